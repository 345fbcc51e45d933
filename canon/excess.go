package canon

// Excess walks v as the reference's admission does, depth first in member order,
// and tells which of two bounds it meets first: FaultDepth at a node deeper than
// depth, FaultBytes once the canonical bytes counted so far pass bytes. Both are
// known not to be exceeded without a walk, so that is the fast path.
func Excess(v Value, depth, bytes int) (kind FaultKind, exceeded bool) {
	if v.Depth() <= depth && v.Size() <= bytes {
		return 0, false
	}
	w := excess{depth: depth, left: bytes}
	exceeded = w.walk(v, 0)
	return w.kind, exceeded
}

type excess struct {
	depth, left int
	kind        FaultKind
}

func (w *excess) walk(v Value, level int) bool {
	if level > w.depth {
		w.kind = FaultDepth
		return true
	}
	switch v.Kind() {
	case KindArray:
		if w.charge(2 + max(v.Len()-1, 0)) {
			return true
		}
		for _, e := range v.Elements() {
			if w.walk(e, level+1) {
				return true
			}
		}
		return false
	case KindObject:
		if w.charge(2) {
			return true
		}
		comma := 0
		for key, m := range v.Members() {
			if w.charge(comma+QuotedSize(key)+1) || w.walk(m, level+1) {
				return true
			}
			comma = 1
		}
		return false
	}
	return w.charge(v.Size())
}

func (w *excess) charge(n int) bool {
	w.left -= n
	if w.left < 0 {
		w.kind = FaultBytes
	}
	return w.left < 0
}
