package organism

import (
	"math"
	"slices"

	"github.com/algal-vm/algal/canon"
)

// Bounds of a version 2 or 3 declaration (§2).
const (
	maxSchemaLevels     = 8
	maxSchemaProperties = 64
	maxSchemaRequired   = 64
	maxEnum             = 32
	maxEnumBytes        = 256
	maxTextLength       = 1_000_000
	maxFormat           = 32
)

var (
	keywords2 = []string{"type", "required", "properties", "items", "enum", "minimum", "maximum"}
	keywords3 = append(slices.Clone(keywords2), "minLength", "maxLength", "format", "uniqueItems", "additionalProperties")
)

// check admits a declaration of version 2 or 3 (§5.3): the schema itself in the
// order of the table there, then its children.
func (d declaration) check(level int) {
	if level > maxSchemaLevels {
		d.refuse("%s: schema exceeds %d nested levels", d.path, maxSchemaLevels)
		return
	}
	d.checkKeywords()
	types := parseTypes(d.v.Get("type"))
	if types == 0 {
		d.fault(wrongType)
	}
	d.checkRequired()
	d.checkProperties()
	d.checkItems(types)
	d.checkEnum(types)
	d.checkRange(types)
	if d.version >= 3 {
		d.checkLengths(types)
		d.checkFormat(types)
		d.checkUnique(types)
		d.checkClosed(types)
	}
	d.checkChildren(level)
}

func (d declaration) fault(reason string) { d.refuse("%s.%s", d.path, reason) }

// checkKeywords names the smallest unknown keyword.
func (d declaration) checkKeywords() {
	known := keywords2
	if d.version >= 3 {
		known = keywords3
	}
	var unknown []string
	for key := range d.v.Members() {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		first := slices.MinFunc(unknown, canon.CompareUTF8)
		d.refuse("%s: unknown schema keyword %s", d.path, canon.AppendQuoted(nil, first))
	}
}

func (d declaration) checkRequired() {
	v := d.v.Get("required")
	if !v.Exists() {
		return
	}
	names := make([]string, 0, maxSchemaRequired)
	ok := v.Is(canon.KindArray) && v.Len() <= maxSchemaRequired
	for i := 0; ok && i < v.Len(); i++ {
		name, err := canon.AsString(v.At(i), "", maxLabel)
		ok = err == nil
		names = append(names, name)
	}
	if !ok || !distinct(names) {
		d.fault("required must list at most 64 distinct names of at most 64 UTF-16 code units")
	}
}

func (d declaration) checkProperties() {
	v := d.v.Get("properties")
	if !v.Exists() {
		return
	}
	ok := v.Is(canon.KindObject) && v.Len() <= maxSchemaProperties
	for i := 0; ok && i < v.Len(); i++ {
		ok = v.At(i).Is(canon.KindObject)
	}
	if !ok {
		d.fault("properties must map at most 64 names to schemas")
	}
}

func (d declaration) checkItems(types typeSet) {
	v := d.v.Get("items")
	if !v.Exists() {
		return
	}
	if !v.Is(canon.KindObject) {
		d.fault("items must be a schema")
	}
	if types&typeArray == 0 {
		d.fault("items requires type array")
	}
}

func (d declaration) checkEnum(types typeSet) {
	const wrongList = "enum must list 1 to 32 distinct values"
	v := d.v.Get("enum")
	if !v.Exists() {
		return
	}
	if !v.Is(canon.KindArray) || v.Len() < 1 || v.Len() > maxEnum {
		d.fault(wrongList)
		return
	}
	for i := range v.Len() {
		e := v.At(i)
		if e.Is(canon.KindObject) || e.Is(canon.KindArray) || e.Size() > maxEnumBytes {
			d.fault("enum values must be strings, finite numbers, booleans, or null of at most 256 canonical JSON bytes")
		}
		for j := range i {
			if canon.Equal(v.At(j), e) {
				d.fault(wrongList)
			}
		}
		if !types.admits(e, d.version) {
			d.fault("enum values must match the schema type")
		}
	}
}

func (d declaration) checkRange(types typeSet) {
	minimum, maximum := d.v.Get("minimum"), d.v.Get("maximum")
	if minimum.Exists() && !minimum.Is(canon.KindNumber) {
		d.fault("minimum must be a finite number")
	}
	if maximum.Exists() && !maximum.Is(canon.KindNumber) {
		d.fault("maximum must be a finite number")
	}
	if (minimum.Exists() || maximum.Exists()) && types&(typeNumber|typeInteger) == 0 {
		d.fault("minimum and maximum require type number or integer")
	}
	if minimum.Exists() && maximum.Exists() && minimum.Float() > maximum.Float() {
		d.fault("minimum exceeds maximum")
	}
}

func (d declaration) checkLengths(types typeSet) {
	minLength, maxLength := d.v.Get("minLength"), d.v.Get("maxLength")
	if minLength.Exists() && !isLength(minLength) {
		d.fault("minLength must be an integer from 0 to 1000000")
	}
	if maxLength.Exists() && !isLength(maxLength) {
		d.fault("maxLength must be an integer from 0 to 1000000")
	}
	if (minLength.Exists() || maxLength.Exists()) && types&typeString == 0 {
		d.fault("minLength and maxLength require type string")
	}
	if minLength.Exists() && maxLength.Exists() && minLength.Float() > maxLength.Float() {
		d.fault("minLength exceeds maxLength")
	}
}

func isLength(v canon.Value) bool {
	n := v.Float()
	return v.Is(canon.KindNumber) && n == math.Trunc(n) && n >= 0 && n <= maxTextLength
}

func (d declaration) checkFormat(types typeSet) {
	v := d.v.Get("format")
	if !v.Exists() {
		return
	}
	name, err := canon.AsString(v, "", maxFormat)
	if err != nil {
		d.fault("format must be a name of at most 32 UTF-16 code units")
	}
	if formats[name] == nil {
		d.fault("format must name digest, name, slug, or uri")
	}
	if types&typeString == 0 {
		d.fault("format requires type string")
	}
}

func (d declaration) checkUnique(types typeSet) {
	v := d.v.Get("uniqueItems")
	if !v.Exists() {
		return
	}
	if !v.Bool() {
		d.fault("uniqueItems must be the boolean true")
	}
	if types&typeArray == 0 {
		d.fault("uniqueItems requires type array")
	}
}

func (d declaration) checkClosed(types typeSet) {
	v := d.v.Get("additionalProperties")
	if !v.Exists() {
		return
	}
	if !v.Is(canon.KindBool) || v.Bool() {
		d.fault("additionalProperties must be the boolean false")
	}
	if types&typeObject == 0 {
		d.fault("additionalProperties requires type object")
	}
	if !d.v.Get("properties").Exists() {
		d.fault("additionalProperties requires a properties map")
	}
}

func (d declaration) checkChildren(level int) {
	if d.err != nil {
		return
	}
	properties := d.v.Get("properties")
	names := make([]string, properties.Len())
	for i := range names {
		names[i] = properties.Key(i)
	}
	slices.SortFunc(names, canon.CompareUTF8)
	all := d.at("properties", properties)
	for _, name := range names {
		all.at(name, properties.Get(name)).check(level + 1)
	}
	if items := d.v.Get("items"); items.Exists() {
		d.at("items", items).check(level + 1)
	}
}
