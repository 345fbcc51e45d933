package expr

import (
	"fmt"
	"slices"

	"github.com/algal-vm/algal/canon"
)

// node is one compiled node of a program: a literal, an object or a call.
type node struct {
	op    *operation
	args  []node      // of a call, binder slots included; the values of an object
	names []string    // binders of a call; the keys of an object, in byte order
	value canon.Value // of a literal, or the payload of quote
	fault *Failure    // why that value breaks a bound
}

// compile makes the static check of §5 over an ingested program, up to the names
// of the environment. These it returns in the order of the check, as far as the
// check goes: a fault found later than an unbound name is not the first one.
func compile(program canon.Value) (root *node, free []string, fault *Failure) {
	if program.Size() > maxProgramBytes {
		return nil, nil, boundsFailure("program-bytes", maxProgramBytes)
	}
	if program.Nodes() > maxProgramNodes {
		return nil, nil, boundsFailure("program-nodes", maxProgramNodes)
	}
	var c compiler
	root = new(node)
	fault = c.compile(root, program, 1)
	return root, c.free, fault
}

type compiler struct {
	scope []string // binders around the node at hand, innermost last
	free  []string
}

// compile checks the program v, which stands at the given depth, into n.
func (c *compiler) compile(n *node, v canon.Value, depth int) *Failure {
	if depth > maxProgramDepth {
		return boundsFailure("program-depth", maxProgramDepth)
	}
	switch v.Kind() {
	case canon.KindObject:
		return c.object(n, v, depth)
	case canon.KindArray:
		return c.call(n, v, depth)
	}
	n.op, n.value = literalNode, v
	return nil
}

func (c *compiler) object(n *node, v canon.Value, depth int) *Failure {
	n.op, n.names, n.args = objectNode, sortedKeys(v), make([]node, v.Len())
	for i, key := range n.names {
		if f := c.compile(&n.args[i], v.Get(key), depth+1); f != nil {
			return f
		}
	}
	return nil
}

// sortedKeys returns the keys of an object in byte order (§2.2).
func sortedKeys(v canon.Value) []string {
	keys := make([]string, 0, v.Len())
	for key := range v.Members() {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, canon.CompareUTF8)
	return keys
}

func (c *compiler) call(n *node, v canon.Value, depth int) *Failure {
	if v.Len() == 0 || !v.At(0).Is(canon.KindString) {
		return fail(CodeParse, withWhat("op head must be a string"))
	}
	name, count := v.At(0).Text(), v.Len()-1
	n.op = operations[name]
	if n.op == nil {
		return fail(CodeOp, withOp(name))
	}
	if count < n.op.min || n.op.max != unlimited && count > n.op.max {
		return arityFailure(n.op, count)
	}
	for _, slot := range n.op.binders {
		binder := v.At(slot + 1)
		if !isIdentifier(binder.Text()) {
			return fail(CodeParse, withOp(name), withWhat(fmt.Sprintf("binder arg %d must be an identifier <= 64 chars", slot)))
		}
		n.names = append(n.names, binder.Text())
	}
	switch {
	case name == "quote":
		n.value = v.At(1)
		n.fault = measure(n.value, 0)
		return nil
	case name == "get" && v.At(1).Is(canon.KindString):
		c.read(v.At(1).Text())
	}
	return c.arguments(n, v, depth)
}

// arguments compiles the arguments of a call. Binder slots are among them: they
// can fail by their depth.
func (c *compiler) arguments(n *node, v canon.Value, depth int) *Failure {
	n.args = make([]node, v.Len()-1)
	for i := range n.args {
		outer := len(c.scope)
		if i == len(n.args)-1 {
			c.scope = append(c.scope, n.names...)
		}
		f := c.compile(&n.args[i], v.At(i+1), depth+1)
		c.scope = c.scope[:outer]
		if f != nil {
			return f
		}
	}
	return nil
}

// read notes a name that a literal get reads and no binder binds.
func (c *compiler) read(name string) {
	if !slices.Contains(c.scope, name) && !slices.Contains(c.free, name) {
		c.free = append(c.free, name)
	}
}

const maxIdentifier = 64

// isIdentifier reports whether s matches ^[A-Za-z_][A-Za-z0-9_]{0,63}$ (§4).
func isIdentifier(s string) bool {
	if s == "" || len(s) > maxIdentifier || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}
