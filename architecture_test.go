package algal_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/algal-vm/algal"

// floors is the table of design.md §2: a package imports only lower floors. A
// pattern ending in /... covers a folder; the longest match counts. Packages of
// internal belong to tests or to the edge and are listed with the floor from
// which they may be used.
var floors = map[string]struct {
	floor int
	pure  bool
}{
	"":                    {0, true},
	"canon":               {1, true},
	"durable":             {1, false},
	"hostdoc":             {2, false},
	"expr":                {2, true},
	"cas":                 {2, true},
	"organism":            {3, true},
	"runtime":             {4, true},
	"bundle":              {4, true},
	"replay":              {5, true},
	"chain":               {5, true},
	"verify":              {6, true},
	"verify/document":     {7, false},
	"export":              {7, true},
	"trust":               {7, false},
	"cas/disk":            {7, false},
	"cas/archive":         {7, false},
	"custody":             {7, false},
	"executor/subprocess": {7, false},
	"executor/...":        {7, false},
	"tool/...":            {7, false},
	"transport":           {7, false},
	"mailbox":             {8, false},
	"journal":             {8, false},
	"process":             {9, false},
	"application/...":     {10, false},
	"check":               {11, false},
	"report/page":         {10, true},
	"report/diagram":      {11, true},
	"report":              {11, false},
	"suite":               {12, false},
	"demo/...":            {12, false},
	"doctor":              {12, false},
	"scripts/...":         {13, false},
	"schemas":             {12, false},
	"examples":            {11, false},
	"cmd/...":             {13, false},
	"internal/terminal":   {7, false},
	"internal/buildinfo":  {7, false},
	"internal/golden":     {1, false},
	"internal/goldenrun":  {7, false},
	"internal/plain":      {1, false},
	"internal/shell":      {1, false},
	"internal/...":        {12, false},
	"fuzz":                {13, false},
	"cas/castest":         {7, false},
	"journal/journaltest": {9, false},
	"check/checktest":     {12, false},
	"mailbox/mailboxtest": {9, false},
}

// sameFloor lists imports within a floor that the design means: one runner of
// subprocesses serves executors and tools, reports show diagrams, and all
// demonstrations stand on one stage.
var sameFloor = []string{"executor/subprocess", "tool/builtin", "internal/goldenrun", "report/diagram", "demo/stage", "demo/fault", "demo/root", "demo/qualification", "demo/adapter"}

// pureImports is what pure packages may import of the standard library: nothing
// that reads files, clocks, randomness, the environment or the network. What embed
// brings in is read by the compiler.
var pureImports = []string{
	"bytes", "cmp", "context", "crypto/sha256", "embed", "encoding/binary", "encoding/hex", "errors", "fmt", "hash", "io", "iter", "maps",
	"math", "math/big", "math/bits", "runtime", "slices", "sort", "strconv", "strings", "sync", "sync/atomic", "unicode",
	"unicode/utf16", "unicode/utf8",
}

func floorOf(pkg string) (floor int, pure, known bool) {
	if f, ok := floors[pkg]; ok {
		return f.floor, f.pure, true
	}
	for dir := pkg; dir != "."; dir = path.Dir(dir) {
		if f, ok := floors[dir+"/..."]; ok {
			return f.floor, f.pure, true
		}
	}
	return 0, false, false
}

// TestFloors holds the direct imports of every package, tests apart, to the house
// rules.
func TestFloors(t *testing.T) {
	packages := importsByPackage(t)
	for pkg, imports := range packages {
		floor, pure, known := floorOf(pkg)
		if !known {
			t.Errorf("package %q has no floor: give it one in this table, and a one-line job in design.md's sense", pkg)
			continue
		}
		for _, imp := range imports {
			own, isOwn := strings.CutPrefix(imp, module)
			own = strings.TrimPrefix(own, "/")
			if !isOwn {
				if pure && !slices.Contains(pureImports, imp) {
					t.Errorf("pure package %q imports %s", pkg, imp)
				}
				continue
			}
			below, _, _ := floorOf(own)
			if below > floor || below == floor && !slices.Contains(sameFloor, own) {
				t.Errorf("package %q (floor %d) imports %q (floor %d)", pkg, floor, own, below)
			}
		}
	}
	if len(packages) < 10 {
		t.Fatalf("only %d packages found", len(packages))
	}
	t.Logf("%d packages keep to their floors", len(packages))
}

// importsByPackage reads the imports of all files but tests.
func importsByPackage(t *testing.T) map[string][]string {
	t.Helper()
	packages := map[string][]string{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && file != ".") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		if pkg == "." {
			pkg = ""
		}
		list := packages[pkg]
		for _, i := range parsed.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
		packages[pkg] = list
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}
