package suite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/suite"
)

// folder is an example's files by name.
type folder map[string]string

const (
	greeting = `{"contract":"algal.organism.v1","key":"organism:t","name":"t","cells":[{"id":"c","kind":"const","outputs":{"out":{"type":"text","value":"hello"}}}]}`
	asking   = `{"contract":"algal.organism.v1","key":"organism:t","name":"t","cells":[{"id":"a","kind":"agent","prompt":"p","output":{"kind":"text"}}]}`
	calling  = `{"contract":"algal.organism.v1","key":"organism:t","name":"t","cells":[{"id":"t","kind":"tool","tool":"x.y"}]}`

	// greetingReceipt is the digest that the receipt of greeting has.
	greetingReceipt = "sha256:41f43b445aff1338d3756487cf1a10d7186e4df604fde542f06f82a4dfd38943"
)

// signature declares the tool x.y with an implementation.
func signature(exec string) string {
	return `{"x.y":{"signature":{"inputs":{},"outputs":{"v":"json"},"effect":"read","cost":1,"maxOutputBytes":100},"exec":"` + exec + `"}}`
}

func complete(program string) folder {
	return folder{"program.algal.json": program, "expect.json": `{"outcome":"complete"}`}
}

// with returns the folder with one more or other file.
func (f folder) with(name, content string) folder {
	g := folder{name: content}
	for n, c := range f {
		if n != name {
			g[n] = c
		}
	}
	return g
}

// without returns the folder lacking a file.
func (f folder) without(name string) folder {
	g := f.with(name, "")
	delete(g, name)
	return g
}

// lay returns a suite of the given folders.
func lay(folders map[string]folder) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, f := range folders {
		for file, content := range f {
			fsys[name+"/"+file] = &fstest.MapFile{Data: []byte(content)}
		}
	}
	return fsys
}

func run(t *testing.T, folders map[string]folder) suite.Result {
	t.Helper()
	result, err := suite.Run(t.Context(), lay(folders), suite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestRecord: the record has the examples in byte order of the names, and says
// nothing of an example that was refused but that it was.
func TestRecord(t *testing.T) {
	result := run(t, map[string]folder{
		"b":  complete(greeting),
		"B":  complete(greeting).with("expect.json", `{"outcome":"complete","receipt":"`+greetingReceipt+`"}`),
		"é":  complete(greeting).with("expect.json", `{"outcome":"failed"}`),
		"a2": complete("{}"),
	})
	line := func(name, ok string) string {
		return `{"name":"` + name + `","ok":` + ok + `,"outcome":"complete","receipt":"` + greetingReceipt + `","verified":true}`
	}
	want := `{"examples":[` + line("B", "true") + `,` +
		`{"name":"a2","ok":false,"outcome":null,"receipt":null,"verified":false},` +
		line("b", "true") + `,` + line("é", "false") + `],"ok":false,"total":4}`
	if diff := cmp.Diff(want, result.Value().String()); diff != "" {
		t.Error(diff)
	}
	if result = run(t, map[string]folder{"b": complete(greeting)}); !result.OK() {
		t.Error("a suite that is as expected is not ok")
	}
}

// TestReasons gives each example one fault.
func TestReasons(t *testing.T) {
	cases := map[string]struct {
		folder
		code    algal.Code
		refused bool
		text    string
	}{
		"no program":        {complete(greeting).without("program.algal.json"), algal.ParseFailed, true, "program.algal.json"},
		"program no json":   {complete("{"), algal.ParseFailed, true, "program.algal.json: "},
		"program not utf-8": {complete("\"\xff\""), algal.ParseFailed, true, "program.algal.json: "},
		"program malformed": {complete("{}"), algal.ParseFailed, true, `program.algal.json: manifest requires "cells"`},
		"program too large": {complete(strings.Repeat(" ", 1_048_577)), algal.BudgetExhausted, true, "program.algal.json is not a regular file of at most 1048576 bytes"},
		"graph":             {complete(strings.Replace(greeting, `"cells"`, `"edges":[{"from":{"cell":"c","port":"out"},"to":{"cell":"x","port":"y"}}],"cells"`, 1)), algal.ManifestInvalid, true, `edge 0: unknown to cell "x"`},
		"args no object":    {complete(greeting).with("args.json", "[]"), algal.ParseFailed, true, "run arguments must be an object"},
		"args no json":      {complete(greeting).with("args.json", ""), algal.ParseFailed, true, "args.json: "},
		"args too deep":     {complete(greeting).with("args.json", `{"c":`+strings.Repeat("[", 65)+strings.Repeat("]", 65)+"}"), algal.BudgetExhausted, true, "args.json: "},
		"responses":         {complete(asking).with("responses.json", "[]"), algal.ParseFailed, true, "responses.json: "},
		"tools":             {complete(calling).with("tools.json", "[]"), algal.ParseFailed, true, "tools.json: tools file must be an object"},
		"tools data":        {complete(calling).with("tools.json", signature("scripted:x.json")), algal.ParseFailed, true, "x.json"},
		"module":            {complete(greeting).with("modules/a.algal.json", "[]"), algal.ParseFailed, true, "modules/a.algal.json: manifest must be an object"},
		"modules a file":    {complete(greeting).with("modules", "x"), algal.ParseFailed, true, "modules"},
		"no expectation":    {complete(greeting).without("expect.json"), algal.ParseFailed, true, "expect.json"},
		"expectation list":  {complete(greeting).with("expect.json", "[]"), algal.ParseFailed, true, "expect.json must be an object"},
		"expectation open":  {complete(greeting).with("expect.json", `{"outcome":"complete","work":1}`), algal.ParseFailed, true, `expect.json has unknown key "work"`},
		"outcome missing":   {complete(greeting).with("expect.json", `{}`), algal.ParseFailed, true, `expect.json requires "outcome"`},
		"outcome unknown":   {complete(greeting).with("expect.json", `{"outcome":"ok"}`), algal.ParseFailed, true, "expect.json.outcome must be complete, failed, stuck or suspended"},
		"receipt no digest": {complete(greeting).with("expect.json", `{"outcome":"complete","receipt":null}`), algal.ParseFailed, true, "expect.json.receipt must be a sha256:<64 lowercase hex> digest"},
		"other outcome":     {complete(greeting).with("expect.json", `{"outcome":"suspended"}`), algal.ReceiptMismatch, false, "outcome is complete, expected suspended"},
		"failed":            {complete(asking), algal.ReceiptMismatch, false, "outcome is failed (EFFECT_UNBOUND at a: no host-admitted executor for this request), expected complete"},
		"other receipt": {
			complete(greeting).with("expect.json", `{"outcome":"complete","receipt":"sha256:`+strings.Repeat("0", 64)+`"}`), algal.ReceiptMismatch, false,
			"receipt is " + greetingReceipt + ", expected sha256:" + strings.Repeat("0", 64),
		},
	}
	folders := map[string]folder{}
	for name, c := range cases {
		folders[name] = c.folder
	}
	for _, e := range run(t, folders).Examples {
		c := cases[e.Name]
		if e.OK() || algal.CodeOf(e.Err) != c.code || !strings.Contains(e.Err.Error(), c.text) {
			t.Errorf("%s: %s %v, want %s with %q", e.Name, algal.CodeOf(e.Err), e.Err, c.code, c.text)
		}
		if refused := e.Outcome == "" && e.Receipt == "" && !e.Verified; refused != c.refused {
			t.Errorf("%s: refused %v, want %v", e.Name, refused, c.refused)
		}
	}
	t.Logf("%d faults", len(cases))
}

// TestOutcomes: what is not complete is a legal expectation.
func TestOutcomes(t *testing.T) {
	result := run(t, map[string]folder{
		"failed":    complete(asking).with("expect.json", `{"outcome":"failed"}`),
		"suspended": complete(calling).with("expect.json", `{"outcome":"suspended"}`).with("tools.json", signature("cmd:exit 75")),
	})
	for _, e := range result.Examples {
		if e.Err != nil || e.Outcome != e.Name {
			t.Errorf("%s: %s, %v", e.Name, e.Outcome, e.Err)
		}
	}
}

// TestBounds: 1 to 256 examples.
func TestBounds(t *testing.T) {
	folders := map[string]folder{}
	check := func(code algal.Code, text string) {
		t.Helper()
		result, err := suite.Run(t.Context(), lay(folders), suite.Options{})
		if algal.CodeOf(err) != code || err != nil && err.Error() != text {
			t.Errorf("%d examples: %v, want %s", len(folders), err, text)
		}
		if err == nil && len(result.Examples) != len(folders) {
			t.Errorf("%d results of %d examples", len(result.Examples), len(folders))
		}
	}
	check(algal.ParseFailed, "suite has no example folder, expected 1 to 256")
	for i := range 256 {
		folders[fmt.Sprint(i)] = complete(greeting)
	}
	check("", "")
	folders["one more"] = complete(greeting)
	check(algal.BudgetExhausted, "suite has 257 example folders, expected 1 to 256")

	if _, err := suite.Run(t.Context(), os.DirFS(filepath.Join(t.TempDir(), "absent")), suite.Options{}); algal.CodeOf(err) != algal.ParseFailed {
		t.Errorf("a folder that does not exist: %v", err)
	}
}

// TestModules: a program finds what it embeds, and other files of modules do not
// matter.
func TestModules(t *testing.T) {
	child := strings.Replace(greeting, `"cells"`, `"interface":{"outputs":{"out":{"cell":"c","port":"out"}}},"cells"`, 1)
	v, err := canon.Parse(child, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := organism.ParseManifest(v)
	if err != nil {
		t.Fatal(err)
	}
	parent := `{"contract":"algal.organism.v1","key":"organism:p","name":"p","cells":[{"id":"o","kind":"organism","manifest":"` + string(m.Digest()) + `"}]}`
	with := complete(parent).with("modules/child.algal.json", child).with("modules/notes.txt", "x").with("modules/old.json", "{")
	result := run(t, map[string]folder{"with": with, "without": complete(parent)})
	if e := result.Examples[0]; e.Err != nil {
		t.Error(e.Err)
	}
	if e := result.Examples[1]; algal.CodeOf(e.Err) != algal.StoreMiss {
		t.Errorf("without the module: %v", e.Err)
	}
}

// TestStoreOfItsOwn: a slot that one example writes is empty for the others,
// whichever runs first.
func TestStoreOfItsOwn(t *testing.T) {
	program := func(cell string) string {
		return `{"contract":"algal.organism.v1","key":"organism:t","name":"t","cells":[{"id":"c","kind":"const","outputs":{"v":{"type":"json","value":1}}},` + cell + `]`
	}
	write := program(`{"id":"s","kind":"slot","name":"n","mode":"write"}`) + `,"edges":[{"from":{"cell":"c","port":"v"},"to":{"cell":"s","port":"data"}}]}`
	read := program(`{"id":"s","kind":"slot","name":"n","mode":"read"}`) + "}"
	folders := map[string]folder{}
	for i := range 20 {
		folders[fmt.Sprintf("%02d-write", i)] = complete(write)
		folders[fmt.Sprintf("%02d-read", i)] = complete(read).with("expect.json", `{"outcome":"failed"}`)
	}
	for _, e := range run(t, folders).Examples {
		if e.Err != nil {
			t.Errorf("%s: %v", e.Name, e.Err)
		}
	}
}

// TestToolsRunInACopy: a command tool sees the files of its example and writes
// beside them, and the suite stays as it is. Nothing is left behind.
func TestToolsRunInACopy(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dir := t.TempDir()
	tool := complete(calling).
		with("tools.json", signature(`cmd:cat >/dev/null; echo x >>written; cat data/answer.json`)).
		with("data/answer.json", `{"v":[1]}`)
	for _, name := range []string{"one", "two"} {
		for file, content := range tool {
			place(t, filepath.Join(dir, name, file), content)
		}
	}
	before := tree(t, dir)
	result, err := suite.Run(t.Context(), os.DirFS(dir), suite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range result.Examples {
		if e.Err != nil {
			t.Errorf("%s: %v", e.Name, e.Err)
		}
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("the suite was changed:\n%s", diff)
	}
	if left := tree(t, temp); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestModulesAreBounded: as for a modules directory on a command line.
func TestModulesAreBounded(t *testing.T) {
	full, over, crowded := complete(greeting), complete(greeting), complete(greeting)
	for i := range 513 {
		name := fmt.Sprintf("modules/%d.algal.json", i)
		over[name] = greeting
		if i < 512 {
			full[name] = greeting
		}
	}
	for i := range 4_097 {
		crowded[fmt.Sprintf("modules/%d.txt", i)] = ""
	}
	got := map[string]string{}
	for _, e := range run(t, map[string]folder{"full": full, "over": over, "crowded": crowded}).Examples {
		got[e.Name] = fmt.Sprint(e.Err)
	}
	want := map[string]string{"full": "<nil>", "over": "modules has more than 512 manifests", "crowded": "modules has more than 4096 entries"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCopyIsBounded: a folder with tools is not copied whatever its extent.
func TestCopyIsBounded(t *testing.T) {
	crowded := complete(calling).with("tools.json", signature("cmd:exit 1"))
	for i := range 4_096 {
		crowded[fmt.Sprintf("d/%d", i)] = ""
	}
	e := run(t, map[string]folder{"crowded": crowded}).Examples[0]
	if algal.CodeOf(e.Err) != algal.BudgetExhausted || e.Err.Error() != "folder has more than 4096 entries or 67108864 bytes" {
		t.Error(e.Err)
	}
}

// TestProgress: every example is reported once, with its result.
func TestProgress(t *testing.T) {
	folders := map[string]folder{}
	for i := range 40 {
		folders[fmt.Sprintf("%02d", i)] = complete(greeting)
	}
	folders["13"] = complete("{}")
	var told []suite.Example
	result, err := suite.Run(t.Context(), lay(folders), suite.Options{Progress: func(e suite.Example) { told = append(told, e) }})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(told, func(a, b suite.Example) int { return strings.Compare(a.Name, b.Name) })
	if got, want := (&suite.Result{Examples: told}).Value().String(), result.Value().String(); got != want || len(told) != len(folders) {
		t.Errorf("told %s\nwant %s", got, want)
	}
}

// TestOrderDoesNotShow: one core and many give the same record.
func TestOrderDoesNotShow(t *testing.T) {
	folders := map[string]folder{}
	for i := range 60 {
		f := complete(greeting)
		if i%3 == 0 {
			f = complete(asking)
		}
		folders[fmt.Sprintf("%02d", i)] = f
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	first := run(t, folders)
	runtime.GOMAXPROCS(8)
	second := run(t, folders)
	if diff := cmp.Diff(first.Value().String(), second.Value().String()); diff != "" {
		t.Error(diff)
	}
}

// TestInterruption: an interrupted suite has no result, and no further example is
// begun.
func TestInterruption(t *testing.T) {
	folders := map[string]folder{}
	for i := range 100 {
		folders[fmt.Sprintf("%03d", i)] = complete(greeting)
	}
	ctx, cancel := context.WithCancel(t.Context())
	told := 0
	result, err := suite.Run(ctx, lay(folders), suite.Options{Progress: func(suite.Example) {
		told++
		cancel()
	}})
	if algal.CodeOf(err) != algal.BudgetExhausted || err.Error() != "suite interrupted" || result.Examples != nil {
		t.Errorf("%v, %d examples", err, len(result.Examples))
	}
	if told > runtime.GOMAXPROCS(0) {
		t.Errorf("%d examples were run after the interruption", told)
	}
}

func place(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tree returns the content of every file below dir.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(file)
		files[file] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
