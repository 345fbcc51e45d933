package docs_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/algal-vm/algal/internal/golden"
)

const module = "github.com/algal-vm/algal/"

// source evaluates the constants of the module, exported or not, from its source.
type source struct {
	*testing.T
	packages map[string]bool
	declared map[string]declaration // by package and name, as in organism.maxCells
	values   map[string]constant.Value
}

// declaration is a constant with the scope that its expression is read in.
type declaration struct {
	value   ast.Expr
	pkg     string
	imports map[string]string // by the name in the file
}

// readSource reads the constants of every package of the product that belong to the
// whole package.
func readSource(t *testing.T) *source {
	t.Helper()
	s := &source{t, map[string]bool{}, map[string]declaration{}, map[string]constant.Value{}}
	root := golden.Root(t)
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		pkg, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		if pkg = filepath.ToSlash(pkg); d.IsDir() && (strings.HasPrefix(d.Name(), ".") && file != root || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || !ofProduct(pkg) {
			return nil
		}
		return s.readFile(file, pkg)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ofProduct leaves out what only tests and engineers run.
func ofProduct(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return first != "internal" && first != "scripts" && first != "fuzz" && !strings.HasSuffix(pkg, "test")
}

func (s *source) readFile(file, pkg string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s.packages[pkg] = true
	imports := map[string]string{}
	for _, i := range parsed.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return err
		}
		local := path.Base(name)
		if i.Name != nil {
			local = i.Name.Name
		}
		imports[local] = name
	}
	for _, d := range parsed.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			v := spec.(*ast.ValueSpec)
			for i, name := range v.Names {
				if i < len(v.Values) {
					s.declared[pkg+"."+name.Name] = declaration{v.Values[i], pkg, imports}
				}
			}
		}
	}
	return nil
}

// value returns a number; ok is false for a constant that is none.
func (s *source) value(name string) (v constant.Value, ok bool) {
	if v, ok = s.values[name]; ok {
		return v, true
	}
	d, ok := s.declared[name]
	if !ok {
		return nil, false
	}
	v = s.evaluate(d.value, d)
	if v.Kind() == constant.Int || v.Kind() == constant.Float {
		s.values[name] = v
		return v, true
	}
	return nil, false
}

// seconds are the units of time; a duration is evaluated in seconds.
var seconds = map[string]string{"Second": "1", "Millisecond": "0.001", "Minute": "60"}

// evaluate computes a constant expression, unknown where it is beyond this.
func (s *source) evaluate(e ast.Expr, in declaration) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.ParenExpr:
		return s.evaluate(e.X, in)
	case *ast.Ident:
		return s.named(in.pkg + "." + e.Name)
	case *ast.SelectorExpr:
		from := in.imports[fmt.Sprint(e.X)]
		if unit := seconds[e.Sel.Name]; from == "time" && unit != "" {
			return constant.MakeFromLiteral(unit, token.FLOAT, 0)
		}
		return s.named(strings.TrimPrefix(from, module) + "." + e.Sel.Name)
	case *ast.BinaryExpr:
		x, y := s.evaluate(e.X, in), s.evaluate(e.Y, in)
		if x.Kind() == constant.Unknown || y.Kind() == constant.Unknown {
			return constant.MakeUnknown()
		}
		if e.Op == token.SHL || e.Op == token.SHR {
			n, _ := constant.Uint64Val(constant.ToInt(y))
			return constant.Shift(constant.ToInt(x), e.Op, uint(n))
		}
		return constant.BinaryOp(x, e.Op, y)
	}
	return constant.MakeUnknown()
}

func (s *source) named(name string) constant.Value {
	if v, ok := s.value(name); ok {
		return v
	}
	return constant.MakeUnknown()
}
