package canon

import (
	"strings"
	"unicode/utf8"

	"github.com/algal-vm/algal"
)

// Limits bounds a document that is read. Zero members take the widest bound.
type Limits struct {
	Bytes int // of the text; at most and by default MaxBytes
	Depth int // of the deepest node, the root being 0; by default MaxDepth
	Nodes int // values, the root included, keys not; by default as many as the text holds
}

// Document is a value with what its text told beyond it.
type Document struct {
	Value      Value
	Canonical  bool // the text is the canonical text of the value
	Duplicates bool // some object had a key twice; the last value won (§2.5)
}

// Parse reads one JSON text (canonical.md §2). See [ParseDocument].
func Parse(text string, limits Limits) (Value, error) {
	d, err := ParseDocument(text, limits)
	return d.Value, err
}

// ParseDocument reads one JSON text: RFC 8259 without a byte-order mark, lone
// surrogates or numbers beyond binary64. The value shares the memory of text.
//
// The error is a [*Fault]. Faults of the text come before exceeded bounds,
// wherever they stand (§2.7): a document that is too deep and malformed further
// on is malformed. Only the byte bound is checked before anything is read.
func ParseDocument(text string, limits Limits) (Document, error) {
	if limits.Bytes == 0 || limits.Bytes > MaxBytes {
		limits.Bytes = MaxBytes
	}
	if limits.Depth == 0 {
		limits.Depth = MaxDepth
	}
	if limits.Nodes == 0 {
		limits.Nodes = MaxBytes
	}
	if len(text) > limits.Bytes {
		return Document{}, &Fault{Kind: FaultBytes, Bound: limits.Bytes}
	}
	if !utf8.ValidString(text) {
		return Document{}, &Fault{Kind: FaultEncoding, Offset: invalidOffset(text)}
	}
	p := parser{in: text, limits: limits}
	v, ok := p.document()
	if ok {
		return Document{v, p.irregular == 0, p.duplicates}, nil
	}
	if p.fault.Kind != FaultSyntax && p.fault.Kind != FaultSurrogate {
		// A bound or an overflow was met first: the rest may still be malformed.
		if f := scanDocument(text); f != nil {
			return Document{}, f
		}
	}
	return Document{}, p.fault
}

func invalidOffset(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return len(s)
}

// parser builds values in one pass. Nodes and child lists come from slabs, since
// a document is a great many small nodes that live and die together.
type parser struct {
	in         string
	pos        int
	limits     Limits
	depth      int
	nodes      int
	irregular  int // places so far where the text is not canonical
	duplicates bool
	fault      *Fault

	nodeSlab  []node
	kidsSlab  []kids
	valueSlab []Value
	keySlab   []string
	values    []Value // children of the containers being read, innermost last
	keys      []string
}

const maxSlab = 1024

func (p *parser) newNode(kind Kind) *node {
	if len(p.nodeSlab) == cap(p.nodeSlab) {
		p.nodeSlab = make([]node, 0, nextSlab(cap(p.nodeSlab)))
	}
	p.nodeSlab = append(p.nodeSlab, node{kind: kind, sorted: true, nodes: 1})
	return &p.nodeSlab[len(p.nodeSlab)-1]
}

func (p *parser) newKids() *kids {
	if len(p.kidsSlab) == cap(p.kidsSlab) {
		p.kidsSlab = make([]kids, 0, nextSlab(cap(p.kidsSlab)))
	}
	p.kidsSlab = append(p.kidsSlab, kids{})
	return &p.kidsSlab[len(p.kidsSlab)-1]
}

func nextSlab(size int) int { return min(max(16, size*2), maxSlab) }

// keep moves the tail of a scratch stack into a slab and returns it there.
func keep[T any](slab, stack []T, from int) (kept, newSlab []T) {
	tail := stack[from:]
	if len(tail) > cap(slab)-len(slab) {
		if len(tail) > maxSlab/4 {
			return append([]T(nil), tail...), slab
		}
		slab = make([]T, 0, max(nextSlab(cap(slab)), len(tail)))
	}
	start := len(slab)
	slab = append(slab, tail...)
	return slab[start:len(slab):len(slab)], slab
}

func (p *parser) fail(kind FaultKind, at int, reason string) (Value, bool) {
	p.fault = &Fault{Kind: kind, Offset: at, Reason: reason}
	return Value{}, false
}

func (p *parser) exceed(kind FaultKind, bound int) (Value, bool) {
	p.fault = &Fault{Kind: kind, Offset: p.pos, Bound: bound}
	return Value{}, false
}

// space skips white space. Canonical text has none.
func (p *parser) space() {
	for p.pos < len(p.in) && isSpace(p.in[p.pos]) {
		p.pos++
		p.irregular++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// peek returns the byte at the position, 0 at the end: no token starts with it.
func (p *parser) peek() byte {
	if p.pos < len(p.in) {
		return p.in[p.pos]
	}
	return 0
}

func (p *parser) document() (Value, bool) {
	p.space()
	v, ok := p.value()
	if !ok {
		return Value{}, false
	}
	p.space()
	if p.pos < len(p.in) {
		return p.fail(FaultSyntax, p.pos, "trailing text after the value")
	}
	return v, true
}

func (p *parser) value() (Value, bool) {
	if p.depth > p.limits.Depth {
		return p.exceed(FaultDepth, p.limits.Depth)
	}
	if p.nodes++; p.nodes > p.limits.Nodes {
		return p.exceed(FaultNodes, p.limits.Nodes)
	}
	switch c := p.peek(); c {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		start := p.pos
		s, ok := p.str()
		if !ok {
			return Value{}, false
		}
		n := p.newNode(KindString)
		n.text, n.size = s, p.pos-start
		if n.size != len(s)+2 { // it has escapes, not all of them need be canonical
			n.size = QuotedSize(s)
		}
		return Value{n}, true
	case 't', 'f', 'n':
		return p.word()
	default:
		return p.number()
	}
}

func (p *parser) word() (Value, bool) {
	for _, w := range words {
		if strings.HasPrefix(p.in[p.pos:], w.text) {
			p.pos += len(w.text)
			return Value{w.node}, true
		}
	}
	return p.fail(FaultSyntax, p.pos, "expected a value")
}

var words = []struct {
	text string
	node *node
}{{"true", trueNode}, {"false", falseNode}, {"null", nullNode}}

func (p *parser) number() (Value, bool) {
	l, fault := scanNumber(p.in, p.pos)
	if fault != nil {
		p.fault = fault
		return Value{}, false
	}
	n := p.newNode(KindNumber)
	literal := p.in[p.pos:l.end]
	if l.plain {
		n.number, n.text = l.value, literal
	} else {
		f, overflow := l.float(literal)
		if overflow {
			return p.fail(FaultOverflow, p.pos, "number is beyond binary64")
		}
		n.number, n.text = f, numberText(f, literal)
		if n.text != literal {
			p.irregular++
		}
	}
	n.size = len(n.text)
	p.pos = l.end
	return Value{n}, true
}

// str reads the string at the position, which stands on its opening quote.
func (p *parser) str() (string, bool) {
	start := p.pos + 1
	l, fault := scanString(p.in, start)
	if fault != nil {
		p.fault = fault
		return "", false
	}
	p.pos = l.end + 1
	if !l.escaped {
		return p.in[start:l.end], true
	}
	if !l.canonical {
		p.irregular++
	}
	return unescape(p.in[start:l.end]), true
}

func (p *parser) array() (Value, bool) {
	n, from := p.newNode(KindArray), len(p.values)
	start, regular := p.enter()
	for p.space(); p.peek() != ']' || len(p.values) > from; {
		v, ok := p.value()
		if !ok {
			return Value{}, false
		}
		p.values = append(p.values, v)
		if more, ok := p.separator(']'); !ok {
			return Value{}, false
		} else if !more {
			break
		}
	}
	n.kids = p.newKids()
	n.kids.values, p.valueSlab = keep(p.valueSlab, p.values, from)
	p.values = p.values[:from]
	return p.leave(n, start, regular)
}

func (p *parser) object() (Value, bool) {
	n, from, fromKeys := p.newNode(KindObject), len(p.values), len(p.keys)
	start, regular := p.enter()
	for p.space(); p.peek() != '}' || len(p.values) > from; {
		if p.peek() != '"' {
			return p.fail(FaultSyntax, p.pos, "expected a member name")
		}
		key, ok := p.str()
		if !ok {
			return Value{}, false
		}
		p.space()
		if p.peek() != ':' {
			return p.fail(FaultSyntax, p.pos, "expected ':' after a member name")
		}
		p.pos++
		p.space()
		v, ok := p.value()
		if !ok {
			return Value{}, false
		}
		p.values, p.keys = append(p.values, v), append(p.keys, key)
		if more, ok := p.separator('}'); !ok {
			return Value{}, false
		} else if !more {
			break
		}
	}
	k := p.newKids()
	k.values, p.valueSlab = keep(p.valueSlab, p.values, from)
	k.keys, p.keySlab = keep(p.keySlab, p.keys, fromKeys)
	p.values, p.keys = p.values[:from], p.keys[:fromKeys]
	canonical, duplicates := k.arrange()
	if !canonical {
		p.irregular++
	}
	p.duplicates = p.duplicates || duplicates
	n.kids = k
	return p.leave(n, start, regular)
}

func (p *parser) enter() (start, regular int) {
	start, regular = p.pos, p.irregular
	p.pos++
	p.depth++
	return start, regular
}

// separator reads what follows an element: a comma and the start of the next
// one, or nothing before the closing byte.
func (p *parser) separator(closing byte) (more, ok bool) {
	p.space()
	switch p.peek() {
	case ',':
		p.pos++
		p.space()
		return true, true
	case closing:
		return false, true
	}
	p.fail(FaultSyntax, p.pos, "expected ',' or the end of a list of elements")
	return false, false
}

func (p *parser) leave(n *node, start, regular int) (Value, bool) {
	p.pos++ // the closing byte
	p.depth--
	n.measure()
	if p.irregular == regular {
		n.text = p.in[start:p.pos]
	}
	return Value{n}, true
}

// FaultKind tells what is wrong with a text.
type FaultKind uint8

// The kinds of faults. The first four are faults of the text, PARSE_FAILED; the
// others are exceeded bounds, BUDGET_EXHAUSTED.
const (
	FaultEncoding  FaultKind = iota // not UTF-8
	FaultSyntax                     // not RFC 8259
	FaultSurrogate                  // \ud800..\udfff outside a pair
	FaultOverflow                   // a number larger than any binary64
	FaultBytes
	FaultDepth
	FaultNodes
)

// Fault says why a text was not read. Readers of the contract replace its
// sentence by their own wire text; its code stands.
type Fault struct {
	Kind   FaultKind
	Offset int    // byte offset, for faults of the text
	Reason string // for syntax faults
	Bound  int    // the exceeded bound
}

// Bounds reports whether the text is in order and only too large.
func (f *Fault) Bounds() bool { return f.Kind >= FaultBytes }

// Code returns PARSE_FAILED or BUDGET_EXHAUSTED.
func (f *Fault) Code() algal.Code {
	if f.Bounds() {
		return algal.BudgetExhausted
	}
	return algal.ParseFailed
}

// Error returns one sentence.
func (f *Fault) Error() string { return f.Unwrap().Error() }

// Unwrap returns the fault as the module's error.
func (f *Fault) Unwrap() error {
	switch f.Kind {
	case FaultEncoding:
		return algal.Errorf(f.Code(), "invalid UTF-8 at byte %d", f.Offset)
	case FaultSurrogate:
		return algal.Errorf(f.Code(), "lone surrogate escape at byte %d", f.Offset)
	case FaultBytes:
		return algal.Errorf(f.Code(), "JSON text exceeds %d bytes", f.Bound)
	case FaultDepth:
		return algal.Errorf(f.Code(), "JSON depth exceeds %d", f.Bound)
	case FaultNodes:
		return algal.Errorf(f.Code(), "JSON text exceeds %d values", f.Bound)
	}
	return algal.Errorf(f.Code(), "not JSON: %s at byte %d", f.Reason, f.Offset)
}
