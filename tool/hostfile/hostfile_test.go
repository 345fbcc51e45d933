//go:build unix

package hostfile_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/executortest"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/tool/hostfile"
	"github.com/google/go-cmp/cmp"
)

const signature = `{"inputs":{"v":"json"},"outputs":{"o":"json"},"effect":"read","cost":5,"maxOutputBytes":40}`

// declare returns a tools file of one tool "t".
func declare(t testing.TB, exec string) canon.Value {
	t.Helper()
	return executortest.JSON(t, `{"t":{"signature":`+signature+`,"exec":`+canon.String(exec).String()+`}}`)
}

func parse(t testing.TB, file canon.Value, dir string) map[string]*runtime.HostTool {
	t.Helper()
	tools, err := hostfile.Parse(file, dir)
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const (
	requestDigest = algal.Digest("sha256:1111111111111111111111111111111111111111111111111111111111111111")
	key           = algal.Digest("sha256:2222222222222222222222222222222222222222222222222222222222222222")
)

// call calls tool "t" and returns its output or the error.
func call(t testing.TB, tools map[string]*runtime.HostTool, inputs string) string {
	t.Helper()
	output, err := tools["t"].Call(t.Context(), runtime.ToolCall{
		Inputs: executortest.JSON(t, inputs), RequestDigest: requestDigest, IdempotencyKey: key,
	})
	if err != nil {
		suffix := ""
		if algal.AsError(err).Uncertain {
			suffix = " (uncertain)"
		}
		return string(algal.CodeOf(err)) + " " + err.Error() + suffix
	}
	return output.String()
}

func TestScripted(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "data.json"), `{"{\"a\":1,\"b\":2}":{"o":1},"{}":[1]}`)
	tools := parse(t, declare(t, "scripted:data.json"), dir)
	long := `{"v":"` + strings.Repeat("é", 300) + `"}`
	cases := map[string]string{
		`{"b":2,"a":1.0}`: `{"o":1}`,
		`{}`:              "TOOL_FAILED t: no scripted output for inputs {}",
		`{"a":2}`:         `TOOL_FAILED t: no scripted output for inputs {"a":2}`,
		long:              "TOOL_FAILED t: no scripted output for inputs " + long[:6+2*194],
	}
	for inputs, want := range cases {
		if got := call(t, tools, inputs); got != want {
			t.Errorf("%.40s: %s, want %s", inputs, got, want)
		}
	}
	// Calls see what was parsed, not what the file has become.
	write(t, filepath.Join(dir, "data.json"), `{}`)
	if got := call(t, tools, `{"a":1,"b":2}`); got != `{"o":1}` {
		t.Error(got)
	}
	absolute := parse(t, declare(t, "scripted:"+filepath.Join(dir, "data.json")), t.TempDir())
	if got := call(t, absolute, `{}`); got != "TOOL_FAILED t: no scripted output for inputs {}" {
		t.Error(got)
	}
}

func TestCommand(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct{ exec, want string }{
		{`cmd:printf '{"o":%s}' "$(wc -c)"`, `{"o":199}`},
		{`cmd:exit 75`, "EFFECT_SUSPENDED executor asked the host to suspend the run"},
		{`cmd:exit 3`, "EFFECT_FAILED executor exited 3; diagnostics withheld"},
		{`cmd:kill -9 $$`, "EFFECT_FAILED executor terminated by signal; external completion uncertain (uncertain)"},
		{`cmd:echo nope`, "EFFECT_UNPARSEABLE executor stdout is not JSON"},
		{`cmd:echo '[1]'`, "TOOL_FAILED t: output must be a JSON object of ports"},
		{`cmd:printf '%40s' '{}'`, `{}`},
		{`cmd:printf '%41s' '{}'`, "BUDGET_EXHAUSTED executor response unavailable; external completion uncertain (uncertain)"},
	}
	for _, c := range cases {
		if got := call(t, parse(t, declare(t, c.exec), dir), `{"v":1}`); got != c.want {
			t.Errorf("%s: %s, want %s", c.exec, got, c.want)
		}
	}
	// What arrives on standard input, and where the command runs.
	call(t, parse(t, declare(t, "cmd:cat > input; pwd > where; echo '{}'"), dir), `{"z":1,"a":2}`)
	want := `{"idempotencyKey":"` + string(key) + `","inputs":{"a":2,"z":1},"requestDigest":"` + string(requestDigest) + `"}`
	if got, err := os.ReadFile(filepath.Join(dir, "input")); err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "where")); err != nil || string(got) != dir+"\n" {
		t.Errorf("ran in %s, %v, want %s", got, err, dir)
	}
}

// TestConfiguration builds the digest of a journal by hand; what it must be made
// of is computed in golden/digests.json and journal.md §6.
func TestConfiguration(t *testing.T) {
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(real, "data.json"), ` { "{}" : {"o":1} } `)
	digest := func(exec, more string) algal.Digest {
		return executortest.JSON(t, `{"contract":"algal.cli-tool-binding.v1","cwd":`+canon.String(real).String()+
			`,"exec":"`+exec+`","signature":`+signature+more+`}`).Digest()
	}
	if got, want := parse(t, declare(t, "cmd:true"), link)["t"].Configuration, digest("cmd:true", ""); got != want {
		t.Errorf("command: %s, want %s", got, want)
	}
	if got, want := parse(t, declare(t, "scripted:data.json"), link)["t"].Configuration, digest("scripted:data.json", `,"responses":{"{}":{"o":1}}`); got != want {
		t.Errorf("scripted: %s, want %s", got, want)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "list.json"), `[]`)
	write(t, filepath.Join(dir, "words.json"), `nope`)
	write(t, filepath.Join(dir, "large.json"), `{"a":"`+strings.Repeat("x", hostfile.MaxBytes)+`"}`)
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	badName := func(name string) string {
		return `PARSE_FAILED tool name "` + name + `" must match ^[a-z0-9][a-z0-9.-]*$ and have at most 128 characters`
	}
	badExec := `PARSE_FAILED tool "t" exec must be "scripted:FILE" or "cmd:SHELL COMMAND"`
	long := strings.Repeat("n", 129)
	cases := map[string]string{
		`[]`:                  "PARSE_FAILED tools file must be an object",
		`{"t":1}`:             `PARSE_FAILED tool "t" must be an object`,
		`{"t":{"x":1}}`:       `PARSE_FAILED tool "t" has unknown key "x"`,
		`{"t":{"exec":"x"}}`:  `PARSE_FAILED tool "t" requires "signature"`,
		`{"T":{}}`:            badName("T"),
		`{"":{}}`:             badName(""),
		`{".t":{}}`:           badName(".t"),
		`{"` + long + `":{}}`: badName(long),
		`{"mailbox.send.v1":{"signature":` + signature + `}}`:                                              `PARSE_FAILED tools file redefines the built-in tool "mailbox.send.v1"`,
		`{"t":{"signature":` + strings.Replace(signature, `"read"`, `"look"`, 1) + `}}`:                    `PARSE_FAILED tool "t" signature.effect must be read|write`,
		`{"t":{"signature":` + signature + `}}`:                                                            `PARSE_FAILED tool "t" requires "exec"`,
		`{"t":{"signature":` + signature + `,"exec":1}}`:                                                   badExec,
		`{"t":{"signature":` + signature + `,"exec":"sh"}}`:                                                badExec,
		`{"t":{"signature":` + signature + `,"exec":"cmd:"}}`:                                              badExec,
		`{"t":{"signature":` + signature + `,"exec":"cmd:a\u0000"}}`:                                       badExec,
		`{"t":{"signature":` + signature + `,"exec":"scripted:list.json"}}`:                                "PARSE_FAILED " + filepath.Join(real, "list.json") + ": scripted data must be an object",
		`{"t":{"signature":` + signature + `,"exec":"scripted:words.json"}}`:                               "PARSE_FAILED " + filepath.Join(real, "words.json") + ": not JSON: expected a value at byte 0",
		`{"t":{"signature":` + signature + `,"exec":"scripted:large.json"}}`:                               `BUDGET_EXHAUSTED responses of tool "t": regular file byte bound`,
		`{"t":{"signature":` + signature + `,"exec":"scripted:fifo.json"}}`:                                `BUDGET_EXHAUSTED responses of tool "t": regular file byte bound`,
		`{"t":{"signature":` + signature + `,"exec":` + canon.String("scripted:"+at("no")).String() + `}}`: "PARSE_FAILED " + at("no") + ": open failed: no such file or directory",
	}
	for text, want := range cases {
		_, err := hostfile.Parse(executortest.JSON(t, text), dir)
		if got := string(algal.CodeOf(err)) + " " + fmt.Sprint(err); got != want {
			t.Errorf("%.100s:\n  %s\nwant\n  %s", text, got, want)
		}
	}
	if _, err := hostfile.Parse(executortest.JSON(t, `{}`), at("absent")); algal.CodeOf(err) != algal.ParseFailed {
		t.Error(err)
	}
}

func TestSignatures(t *testing.T) {
	got, err := hostfile.Signatures(executortest.JSON(t, `{"b":{"signature":`+signature+`},"a":{"signature":`+signature+`,"exec":"scripted:absent.json"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Error(diff)
	}
	if got["a"].Cost != 5 || got["a"].Write {
		t.Errorf("%+v", got["a"])
	}
	many := func(n int) canon.Value {
		members := make([]canon.Member, n)
		for i := range members {
			members[i] = canon.M(fmt.Sprintf("t%d", i), executortest.JSON(t, `{"signature":`+signature+`}`))
		}
		return canon.Object(members...)
	}
	if _, err := hostfile.Signatures(many(64)); err != nil {
		t.Error(err)
	}
	if _, err := hostfile.Signatures(many(65)); algal.CodeOf(err) != algal.ParseFailed || err.Error() != "tools file exceeds 64 entries" {
		t.Error(err)
	}
	if _, err := hostfile.Signatures(canon.Null()); algal.CodeOf(err) != algal.ParseFailed {
		t.Error(err)
	}
}

// TestRecordedRuns runs every recorded program with a tools file whose tools are
// scripted, and compares the whole receipt.
func TestRecordedRuns(t *testing.T) {
	ran := 0
	for _, r := range executortest.Recordings(t) {
		// 32-tool-suspend-wake has a tool of its own, in process.
		if !r.Tools.Exists() || r.Name == "32-tool-suspend-wake" {
			continue
		}
		ran++
		t.Run(r.Name, func(t *testing.T) {
			tools := parse(t, withData(t, r), ".")
			var executors []runtime.Executor
			for _, s := range r.Executors {
				e, err := scripted.New(s.Responses, s.ID)
				if err != nil {
					t.Fatal(err)
				}
				executors = append(executors, e)
			}
			host := r.Host(t, executors...)
			host.Tools = tools
			got := executortest.Run(t, r.Manifest, r.Args, host)
			if diff := cmp.Diff(r.Receipt.String(), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Logf("%d recorded runs", ran)
	if ran < 7 {
		t.Errorf("only %d recorded runs", ran)
	}
}

// withData lays out the scripted data of a recorded run and points its tools
// there. Where the data is given inline, it is under the tool's name.
func withData(t *testing.T, r executortest.Recorded) canon.Value {
	dir := t.TempDir()
	var tools []canon.Member
	for name, tool := range r.Tools.Members() {
		file := strings.TrimPrefix(tool.Get("exec").Text(), "scripted:")
		data := canon.Object()
		if file != "inline" {
			data = goldenrun.Parse(t, "receipts/"+r.Name+"/"+file)
		} else if given := r.Record.Get("toolData").Get(name); given.Exists() {
			data = given
		}
		path := filepath.Join(dir, name+".json")
		write(t, path, data.String())
		tools = append(tools, canon.M(name, tool.With(canon.M("exec", canon.String("scripted:"+path)))))
	}
	return canon.Object(tools...)
}
