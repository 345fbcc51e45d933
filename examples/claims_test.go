package examples_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/tool/builtin"
	"github.com/algal-vm/algal/tool/hostfile"
)

// What the notes of programs say about a second run is tried here; the suite runs
// each of them once.

// lay copies a program's folder and returns the program and a host over a new store.
func lay(t *testing.T, name string) (folder string, m *organism.Manifest, args canon.Value, host runtime.Host) {
	t.Helper()
	folder = t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(dir, name))); err != nil {
		t.Fatal(err)
	}
	executor, err := scripted.New(readJSON(t, name+"/responses.json"), "")
	if err != nil {
		t.Fatal(err)
	}
	host = runtime.Host{Store: cas.NewMemory(), Tools: builtin.Tools(), Executors: []runtime.Executor{executor}}
	if file := readJSON(t, name+"/tools.json"); file.Exists() {
		tools, err := hostfile.Parse(file, folder)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(host.Tools, tools)
	}
	return folder, readManifest(t, name+"/program.algal.json"), readJSON(t, name+"/args.json"), host
}

// TestGlossaryRemembers: the second run on one store calls no model.
func TestGlossaryRemembers(t *testing.T) {
	_, m, args, host := lay(t, "glossary-memo")
	first, err := runtime.Run(t.Context(), m, args, host, nil)
	if err != nil {
		t.Fatal(err)
	}
	host.Executors = nil
	second, err := runtime.Run(t.Context(), m, args, host, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer := func(r *runtime.Result) string { return r.Body.Get("cells").Get("answer").Get("outputs").String() }
	if second.Outcome != runtime.Complete || second.Body.Get("effects").Len() != 0 || answer(first) != answer(second) {
		t.Errorf("second run: %s", second.Body)
	}
}

// TestApprovalResumes: once the decision is there, the run goes on from its
// checkpoint without asking the model again.
func TestApprovalResumes(t *testing.T) {
	for _, verdict := range []struct{ word, cell string }{{"approved", "go"}, {"declined", "stop"}} {
		folder, m, args, host := lay(t, "change-approval")
		waiting, err := runtime.Run(t.Context(), m, args, host, nil)
		if err != nil {
			t.Fatal(err)
		}
		if waiting.Outcome != runtime.Suspended {
			t.Fatalf("outcome %s: %s", waiting.Outcome, waiting.Body)
		}
		decision := `{"decision":{"verdict":"` + verdict.word + `","by":"Tove"}}`
		if err := os.WriteFile(filepath.Join(folder, "decision.json"), []byte(decision), 0o600); err != nil {
			t.Fatal(err)
		}
		host.Executors = nil
		done, err := replay.Resume(t.Context(), waiting.Receipt(), m, host)
		if err != nil {
			t.Fatal(err)
		}
		if done.Outcome != runtime.Complete || !done.Body.Get("cells").Get(verdict.cell).Get("status").IsText("committed") {
			t.Errorf("%s: %s", verdict.word, done.Body)
		}
	}
}

// TestBadFormula: a program that is malformed, and one that fails, are reported.
func TestBadFormula(t *testing.T) {
	for name, answer := range map[string]string{
		"malformed": `{"contract":"algal.organism.v1","key":"organism:x","name":"","cells":[{}],"interface":{}}`,
		"fails": `{"contract":"algal.organism.v1","key":"organism:x","name":"","interface":{},
			"cells":[{"id":"c","kind":"const","outputs":{"out":{"type":"text","value":1}}}]}`,
	} {
		_, m, args, host := lay(t, "formula-builder")
		author, err := canon.Parse(`{"author":`+answer+`}`, canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		executor, err := scripted.New(author, "")
		if err != nil {
			t.Fatal(err)
		}
		host.Executors = []runtime.Executor{executor}
		r, err := runtime.Run(t.Context(), m, args, host, nil)
		if err != nil {
			t.Fatal(err)
		}
		reported := r.Body.Get("cells").Get("answer").Get("outputs").Get("value")
		if r.Outcome != runtime.Complete || !reported.Get("refused").Is(canon.KindString) {
			t.Errorf("%s: %s", name, r.Body)
		}
	}
}
