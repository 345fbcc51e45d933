//go:build unix

package disk

import (
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// structure bounds a document (store.md §2). The reference finds a violation with
// a stack: it pops a value, counts it, checks the count and the value's depth, then
// pushes the children, checking the length of the stack after each. So the last
// child is visited first, and which of two texts is reported depends on which
// bound is met first on that walk.
type structure struct{ nodes, depth int }

var admitted = structure{nodes: 1_000_000, depth: canon.MaxDepth}

func (structure) exceeded() error {
	return algal.Errorf(algal.BudgetExhausted, "store JSON depth/count exceeded")
}

func (structure) pendingExceeded() error {
	return algal.Errorf(algal.BudgetExhausted, "store JSON count exceeded")
}

// check admits a value. A value carries its measures, and within them the walk
// finds nothing.
func (b structure) check(v canon.Value) error {
	if v.Nodes() <= b.nodes && v.Depth() <= b.depth {
		return nil
	}
	w := walk{bounds: b, pending: 1}
	return w.visit(v, 0)
}

type walk struct {
	bounds  structure
	nodes   int
	pending int // values pushed and not yet popped
}

func (w *walk) visit(v canon.Value, depth int) error {
	w.pending--
	if w.nodes++; w.nodes > w.bounds.nodes || depth > w.bounds.depth {
		return w.bounds.exceeded()
	}
	if w.pending += v.Len(); w.pending > w.bounds.nodes {
		return w.bounds.pendingExceeded()
	}
	for i := v.Len() - 1; i >= 0; i-- {
		if err := w.visit(v.At(i), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// fault tells what the walk would have met in a well-formed text that was not
// built because it exceeds a bound. It scans the text once, in little memory.
//
// The walk pops values in the reverse of the order in which they end in the text,
// so a scan that notes where each container ends knows the whole walk. (Members
// that a later duplicate overwrites are counted, canonical.md §2.7, and members
// are taken in the order of the text.)
func (b structure) fault(text string) error {
	s := scan{bounds: b, children: make([]int, b.depth+1), deep: -1}
	s.run(text)
	pushed := 1
	for i := len(s.containers) - 1; i >= 0; i-- {
		c := s.containers[i]
		popped := s.ended - c.order // with this container
		if popped > b.nodes || s.deep > c.order {
			break
		}
		if pushed-popped+c.children > b.nodes {
			return b.pendingExceeded()
		}
		pushed += c.children
	}
	return b.exceeded()
}

// container is what the walk needs of an array or object.
type container struct {
	order    int // number of values that ended before it
	children int
}

type scan struct {
	bounds     structure
	depth      int   // of the value at hand
	ended      int   // values so far
	deep       int   // order of the last value below the admitted depth
	children   []int // ended children of the open containers, by depth
	containers []container
}

func (s *scan) run(text string) {
	for i := 0; i < len(text); {
		switch text[i] {
		case '[', '{':
			if s.depth <= s.bounds.depth {
				s.children[s.depth] = 0
			}
			s.depth++
			i++
		case ']', '}':
			s.depth--
			s.closed()
			i++
		case '"':
			i = skipString(text, i)
			if !isKey(text, i) {
				s.end()
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
		default:
			i = skipWord(text, i)
			s.end()
		}
	}
}

func (s *scan) closed() {
	if s.depth <= s.bounds.depth {
		// The walk reaches no more than the last containers.
		if n := s.bounds.nodes; len(s.containers) == 2*n {
			s.containers = append(s.containers[:0], s.containers[n:]...)
		}
		s.containers = append(s.containers, container{s.ended, s.children[s.depth]})
	}
	s.end()
}

func (s *scan) end() {
	if s.depth > s.bounds.depth {
		s.deep = s.ended
	}
	if s.depth > 0 && s.depth <= s.bounds.depth+1 {
		s.children[s.depth-1]++
	}
	s.ended++
}

// skipString returns the position after the string that begins at i.
func skipString(text string, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// skipWord returns the position after the number or word that begins at i.
func skipWord(text string, i int) int {
	if n := strings.IndexAny(text[i:], ",]} \t\n\r"); n >= 0 {
		return i + n
	}
	return len(text)
}

func isKey(text string, i int) bool {
	return strings.HasPrefix(strings.TrimLeft(text[i:], " \t\n\r"), ":")
}
