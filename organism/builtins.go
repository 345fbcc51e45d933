package organism

import (
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// builtins holds the functions of §12. All but label.v1 deliver one port of a
// plain type.
var builtins = Registry{
	"echo.v1": {Ports{{Name: "value", Type: JSON}}, valuePort(JSON), 10, fnEcho},
	"coalesce.v1": {
		Ports{{Name: "a", Type: JSON, Optional: true}, {Name: "b", Type: JSON, Optional: true}, {Name: "c", Type: JSON, Optional: true}},
		valuePort(JSON), 10, fnCoalesce,
	},
	"format.v1": {Ports{{Name: "prefix", Type: Text}, {Name: "value", Type: JSON}}, valuePort(Text), 10, fnFormat},
	"tag.v1":    {Ports{{Name: "tag", Type: Text}, {Name: "value", Type: JSON}}, valuePort(Text), 10, fnTag},
	"pick.v1":   {Ports{{Name: "record", Type: JSON}, {Name: "field", Type: Text}}, valuePort(JSON), 10, fnPick},
	"join.v1": {
		Ports{{Name: "items", Type: Text, Many: true}, {Name: "sep", Type: Text, Optional: true}},
		valuePort(Text), 10, fnJoin,
	},
	"assert.v1": {Ports{{Name: "value", Type: JSON}, {Name: "expect", Type: JSON}}, valuePort(JSON), 10, fnAssert},
	"inc.v1":    {Ports{{Name: "value", Type: JSON}}, valuePort(JSON), 5, fnInc},
	"label.v1": {
		Ports{{Name: "value", Type: Text}},
		Ports{{Name: "value", Type: Choice, Labels: []string{"a", "b"}}}, 10, fnLabel,
	},
	"push.v1": {Ports{{Name: "list", Type: JSON}, {Name: "item", Type: JSON}}, valuePort(JSON), 5, fnPush},
}

func valuePort(t PortType) Ports { return Ports{{Name: "value", Type: t}} }

// result is the outputs object of a function that delivers v.
func result(v canon.Value) (canon.Value, error) { return canon.Object(canon.M("value", v)), nil }

func failed(format string, args ...any) (canon.Value, error) {
	return canon.Value{}, algal.Errorf(algal.FnFailed, format, args...)
}

// orNull stands for a value that may not have been delivered.
func orNull(v canon.Value) canon.Value {
	if !v.Exists() {
		return canon.Null()
	}
	return v
}

// render shows a value inside text: a string as it is, else the canonical text.
func render(v canon.Value) string {
	if v.Is(canon.KindString) {
		return v.Text()
	}
	return orNull(v).String()
}

func fnEcho(in canon.Value) (canon.Value, error) { return result(orNull(in.Get("value"))) }

func fnCoalesce(in canon.Value) (canon.Value, error) {
	for _, name := range []string{"a", "b", "c"} {
		if v := in.Get(name); v.Exists() && !v.Is(canon.KindNull) {
			return result(v)
		}
	}
	return failed("coalesce.v1: all inputs empty")
}

func fnFormat(in canon.Value) (canon.Value, error) {
	return result(canon.String(in.Get("prefix").Text() + render(in.Get("value"))))
}

func fnTag(in canon.Value) (canon.Value, error) {
	return result(canon.String(upperASCII(in.Get("tag").Text()) + ": " + render(in.Get("value"))))
}

// upperASCII changes a to z and nothing else, whatever the locale.
func upperASCII(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' {
			return c - 'a' + 'A'
		}
		return c
	}, s)
}

// fnPick looks at own members only: a record without the member gives null whatever
// the name.
func fnPick(in canon.Value) (canon.Value, error) {
	record, field := in.Get("record"), in.Get("field")
	if !field.Is(canon.KindString) {
		return failed("pick.v1: field must be text")
	}
	if !record.Is(canon.KindObject) {
		return failed("pick.v1: record must be an object")
	}
	return result(orNull(record.Get(field.Text())))
}

func fnJoin(in canon.Value) (canon.Value, error) {
	sep := "\n"
	if s := in.Get("sep"); s.Exists() {
		sep = s.Text()
	}
	items := in.Get("items")
	parts := make([]string, 0, items.Len())
	for _, item := range items.Elements() {
		parts = append(parts, render(item))
	}
	return result(canon.String(strings.Join(parts, sep)))
}

// shown is how much of a text a failed assertion shows, in UTF-16 units.
const shown = 200

func fnAssert(in canon.Value) (canon.Value, error) {
	value, expect := in.Get("value"), in.Get("expect")
	if !canon.Equal(value, expect) {
		return failed("assert.v1: value %s != expect %s", canon.CutUnits(value.String(), shown), canon.CutUnits(expect.String(), shown))
	}
	return result(orNull(value))
}

func fnInc(in canon.Value) (canon.Value, error) {
	v := in.Get("value")
	if !v.Is(canon.KindNumber) {
		return failed("inc.v1: value must be a finite number")
	}
	next, err := canon.Number(v.Float() + 1) // one more than the largest number is that number
	if err != nil {
		return canon.Value{}, err
	}
	return result(next)
}

func fnLabel(in canon.Value) (canon.Value, error) {
	if in.Get("value").IsText("a") {
		return result(canon.String("a"))
	}
	return result(canon.String("b"))
}

func fnPush(in canon.Value) (canon.Value, error) {
	list := in.Get("list")
	if !list.Is(canon.KindArray) {
		return failed("push.v1: list must be an array")
	}
	elements := make([]canon.Value, 0, list.Len()+1)
	for _, e := range list.Elements() {
		elements = append(elements, e)
	}
	return result(canon.Array(append(elements, orNull(in.Get("item")))...))
}
