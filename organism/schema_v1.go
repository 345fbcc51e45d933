package organism

import (
	"strconv"

	"github.com/algal-vm/algal/canon"
)

// declaration is a schema under admission. Its value is an object.
type declaration struct {
	*reader
	v       canon.Value
	path    string
	version int
}

func (d declaration) at(key string, v canon.Value) declaration {
	return declaration{d.reader, v, d.path + "." + key, d.version}
}

// maxSchemaDepth bounds the nesting of a version 1 declaration, all of its JSON.
const maxSchemaDepth = 4

// wrongType is the reason for a bad type in every version.
const wrongType = "type must name a supported JSON type or a nonempty unique union"

// checkVersion1 admits a declaration of version 1 (§5.2). Keywords that it does
// not know are kept without meaning.
func (d declaration) checkVersion1() {
	if d.v.Depth() > maxSchemaDepth {
		d.findTooDeep(0)
	}
	d.checkKeywords1()
}

// findTooDeep names the first node below the bound.
func (d declaration) findTooDeep(depth int) {
	if depth > maxSchemaDepth {
		d.refuse("%s exceeds schema depth %d", d.path, maxSchemaDepth)
	}
	for key, m := range d.v.Members() {
		if d.err != nil {
			return
		}
		d.at(key, m).findTooDeep(depth + 1)
	}
	for i, e := range d.v.Elements() {
		if d.err != nil {
			return
		}
		d.at(strconv.Itoa(i), e).findTooDeep(depth + 1)
	}
}

func (d declaration) checkKeywords1() {
	if parseTypes(d.v.Get("type")) == 0 {
		d.refuse("%s.%s", d.path, wrongType)
	}
	if required := d.v.Get("required"); required.Exists() {
		d.array(required, d.path+".required")
		for _, name := range required.Elements() {
			_, err := canon.AsString(name, d.path+".required entry", maxLabel)
			d.keep(err)
		}
	}
	properties := d.v.Get("properties")
	if !properties.Exists() {
		return
	}
	all := d.at("properties", properties)
	d.keep(canon.AsObject(properties, all.path))
	for name, p := range properties.Members() {
		if d.err != nil {
			return
		}
		child := all.at(name, p)
		d.keep(canon.AsObject(p, child.path))
		child.checkKeywords1()
	}
}
