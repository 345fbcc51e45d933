package organism

import (
	"slices"
	"strconv"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// reader admits foreign data. It keeps the first fault; from then on reads give
// zero values and later faults are dropped. So the order of the reads in a
// function is the order of the checks, which is normative (canonical.md §6).
type reader struct{ err error }

func (r *reader) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) refuse(format string, args ...any) {
	if r.err == nil {
		r.err = algal.Errorf(algal.ParseFailed, format, args...)
	}
}

// object is a JSON object under admission, with the path that its faults name.
type object struct {
	*reader
	v    canon.Value
	path string
}

func (r *reader) object(v canon.Value, path string) object {
	r.keep(canon.AsObject(v, path))
	return object{r, v, path}
}

// closed refuses members outside the list.
func (o object) closed(members ...string) { o.keep(canon.NoUnknownKeys(o.v, o.path, members...)) }

func (o object) at(key string) string { return o.path + "." + key }

// get returns an optional member, absent when there is none. A member that holds
// null is present.
func (o object) get(key string) canon.Value { return o.v.Get(key) }

func (o object) has(key string) bool { return o.v.Get(key).Exists() }

func (o object) require(key string) canon.Value {
	v, err := canon.Require(o.v, o.path, key)
	o.keep(err)
	return v
}

// text reads a required string of at most bound characters.
func (o object) text(key string, bound int) string { return o.asText(o.require(key), key, bound) }

// optText reads an optional string.
func (o object) optText(key string, bound int) (s string, given bool) {
	v := o.get(key)
	if !v.Exists() {
		return "", false
	}
	return o.asText(v, key, bound), true
}

func (o object) asText(v canon.Value, key string, bound int) string {
	return read(o, key, func(what string) (string, error) { return canon.AsString(v, what, bound) })
}

// id reads a required safe id.
func (o object) id(key string) string { return o.asID(o.require(key), key) }

// optID reads an optional safe id.
func (o object) optID(key string) (id string, given bool) {
	v := o.get(key)
	if !v.Exists() {
		return "", false
	}
	return o.asID(v, key), true
}

func (o object) asID(v canon.Value, key string) string {
	return read(o, key, func(what string) (string, error) { return canon.AsSafeID(v, what) })
}

// integer reads a required integer in [lo, hi].
func (o object) integer(key string, lo, hi int) int { return o.asInteger(o.require(key), key, lo, hi) }

// optInteger reads an optional integer.
func (o object) optInteger(key string, lo, hi, absent int) int {
	v := o.get(key)
	if !v.Exists() {
		return absent
	}
	return o.asInteger(v, key, lo, hi)
}

func (o object) asInteger(v canon.Value, key string, lo, hi int) int {
	return read(o, key, func(what string) (int, error) { return canon.AsInt(v, what, lo, hi) })
}

// flag reads an optional boolean.
func (o object) flag(key string) bool {
	v := o.get(key)
	if !v.Exists() {
		return false
	}
	return read(o, key, func(what string) (bool, error) { return canon.AsBool(v, what) })
}

// read reads a member by a reader of canon, which names what it reads in faults.
// A path is worth building only for one.
func read[T any](o object, key string, as func(what string) (T, error)) T {
	v, err := as("")
	if err != nil {
		_, err = as(o.at(key))
		o.keep(err)
	}
	return v
}

// array admits an array.
func (r *reader) array(v canon.Value, path string) { r.keep(canon.AsArray(v, path)) }

// texts reads an array of strings of at most bound characters each.
func (r *reader) texts(v canon.Value, path string, bound int) []string {
	return r.strings(v, path, func(e canon.Value, what string) (string, error) {
		return canon.AsString(e, what, bound)
	})
}

// ids reads an array of safe ids.
func (r *reader) ids(v canon.Value, path string) []string {
	return r.strings(v, path, canon.AsSafeID)
}

// strings reads an array of strings; the result is never nil, so that an empty
// list differs from one that was not given.
func (r *reader) strings(v canon.Value, path string, as func(v canon.Value, what string) (string, error)) []string {
	r.array(v, path)
	list := make([]string, 0, v.Len())
	for i, e := range v.Elements() {
		s, err := as(e, "")
		if err != nil {
			_, err = as(e, index(path, i))
			r.keep(err)
			break
		}
		list = append(list, s)
	}
	return list
}

// set demands 1 to bound distinct entries.
func (r *reader) set(list []string, path string, bound int) {
	if len(list) < 1 || len(list) > bound {
		r.refuse("%s must have 1..%d entries", path, bound)
	} else if !distinct(list) {
		r.refuse("%s must be unique", path)
	}
}

// distinct reports whether no string of a short list occurs twice.
func distinct(list []string) bool {
	for i, s := range list {
		if slices.Contains(list[:i], s) {
			return false
		}
	}
	return true
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
