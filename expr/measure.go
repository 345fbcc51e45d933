package expr

import "github.com/algal-vm/algal/canon"

// measure returns the first bound that v breaks where it stands at the given
// level of a value (§7.2), or nil.
func measure(v canon.Value, level int) *Failure {
	if level+v.Depth() <= maxValueDepth && v.Nodes() <= maxKeys && v.Size() <= maxText {
		return nil // too small to break a bound anywhere
	}
	if level > maxValueDepth {
		return boundsFailure("value-depth", maxValueDepth)
	}
	switch v.Kind() {
	case canon.KindArray:
		return measureList(v, level)
	case canon.KindObject:
		return measureMap(v, level)
	}
	if len(v.Text()) > maxText {
		return boundsFailure("string-bytes", maxText)
	}
	t := total(0)
	return t.add(v.Size())
}

func measureList(v canon.Value, level int) *Failure {
	if v.Len() > maxList {
		return boundsFailure("list-len", maxList)
	}
	t := total(emptySize + max(0, v.Len()-1))
	for _, e := range v.Elements() {
		f := measure(e, level+1)
		if f == nil {
			f = t.add(e.Size())
		}
		if f != nil {
			return f
		}
	}
	return nil
}

func measureMap(v canon.Value, level int) *Failure {
	if v.Len() > maxKeys {
		return boundsFailure("object-keys", maxKeys)
	}
	t := total(emptySize + max(0, v.Len()-1))
	for _, key := range sortedKeys(v) {
		if len(key) > maxText {
			return boundsFailure("string-bytes", maxText)
		}
		member := v.Get(key)
		f := t.add(canon.QuotedSize(key) + 1)
		if f == nil {
			f = measure(member, level+1)
		}
		if f == nil {
			f = t.add(member.Size())
		}
		if f != nil {
			return f
		}
	}
	return nil
}

// emptySize is the number of canonical bytes of an empty list or map.
const emptySize = 2

// total is the running size of a list or map, or of the arguments of a call.
type total int

// add counts bytes more and fails when the total exceeds what a value may have.
func (t *total) add(bytes int) *Failure {
	if *t += total(bytes); *t > maxValueBytes {
		return boundsFailure("value-bytes", maxValueBytes)
	}
	return nil
}

// bound bounds the result of a node. Operations bound the lengths of what they
// make, and its parts were bounded when they came to be, so only size and depth
// are left. Which of the two is broken first takes the full walk, once in a run.
func bound(v canon.Value) *Failure {
	if v.Size() <= maxValueBytes && v.Depth() <= maxValueDepth {
		return nil
	}
	return measure(v, 0)
}

// addPart counts a result that becomes part of a list or map, and the separator
// before it. At level 1 only its depth can break a bound that it kept at level 0.
func (t *total) addPart(v canon.Value, separator int) *Failure {
	if v.Depth() >= maxValueDepth {
		return boundsFailure("value-depth", maxValueDepth)
	}
	return t.add(v.Size() + separator)
}

// comma is the size of the separator before part i.
func comma(i int) int { return min(i, 1) }

// admitEnv bounds the environment: steps 1 to 4 of §6.
func admitEnv(env canon.Value) *Failure {
	if env.Len() > maxKeys {
		return boundsFailure("object-keys", maxKeys)
	}
	if env.Size() > maxEnvBytes {
		return boundsFailure("env-bytes", maxEnvBytes)
	}
	if nests(env, maxValueDepth) {
		return boundsFailure("value-depth", maxValueDepth)
	}
	if f := measure(env, 0); f == nil {
		return nil
	}
	// Only here does the order matter; and env's own keys have no bound.
	for _, key := range sortedKeys(env) {
		if f := measure(env.Get(key), 1); f != nil {
			return f
		}
	}
	return nil
}

// admitResult bounds the result of a program: steps 8 and 9 of §6.
func admitResult(v canon.Value) *Failure {
	if v.Size() > maxResultBytes {
		return boundsFailure("output-bytes", maxResultBytes)
	}
	if nests(v, maxValueDepth) {
		return boundsFailure("value-depth", maxValueDepth)
	}
	return nil
}

// nests reports whether the depth of §2.5 is more than levels. An empty
// container counts 1 there and 0 in canon, so canon's depth decides all but one
// case: containers at the very last level, which may be empty.
func nests(v canon.Value, levels int) bool {
	if !v.Is(canon.KindArray) && !v.Is(canon.KindObject) || v.Depth() < levels {
		return false
	}
	if v.Depth() > levels || levels == 0 {
		return true
	}
	for i := range v.Len() {
		if nests(v.At(i), levels-1) {
			return true
		}
	}
	return false
}
