package lifecycle_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/demo/lifecycle"
	"github.com/algal-vm/algal/internal/golden"
)

func request(release string) string {
	return `{"kind":"agent","cellId":"recommend","context":{"inputs":{"evidence":{"release":"` + release + `"}},"turn":0}}`
}

func TestRecommend(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls.jsonl")
	long := strings.Repeat("é", 256)
	padded := request("c") + strings.Repeat(" ", 8192-len(request("c")))
	want := ""
	for _, c := range []struct{ request, release string }{{request(`a \"b\"`), `a \"b\"`}, {request(long), long}, {padded, "c"}, {request(""), ""}} {
		var out strings.Builder
		if err := lifecycle.Recommend(strings.NewReader(c.request), &out, log); err != nil {
			t.Fatal(err)
		}
		answer := `{"recommendation":"review","release":"` + c.release + `","summary":"Unit, integration, and security fixture checks pass; awaiting host approval."}` + "\n"
		if out.String() != answer {
			t.Errorf("answer %s, want %s", out.String(), answer)
		}
		want += `{"cellId":"recommend","release":"` + c.release + `"}` + "\n"
		if got, err := os.ReadFile(log); err != nil || string(got) != want {
			t.Errorf("log %s, %v; want %s", got, err, want)
		}
	}
}

// TestRecommendRecorded: what a reference runtime asks is served.
func TestRecommendRecorded(t *testing.T) {
	golden.NeedShared(t)
	asked := string(golden.Read(t, "demo/vm-recommend.request.json"))
	var out strings.Builder
	err := lifecycle.Recommend(strings.NewReader(asked), &out, filepath.Join(t.TempDir(), "log"))
	if err != nil || !strings.Contains(out.String(), `"release":"release-42"`) {
		t.Errorf("answered %q, %v", out.String(), err)
	}
}

// TestRecommendRefuses has one fault a row; no refusal logs a decision.
func TestRecommendRefuses(t *testing.T) {
	dir := t.TempDir()
	good := request("r")
	for name, c := range map[string]struct {
		request string
		code    algal.Code
		text    string
	}{
		"too many bytes":   {good + strings.Repeat(" ", 8193-len(good)), algal.BudgetExhausted, "more than 8192 bytes"},
		"nothing":          {"", algal.ParseFailed, ""},
		"not JSON":         {good + "}", algal.ParseFailed, ""},
		"not UTF-8":        {strings.Replace(good, `"r"`, "\"\xff\"", 1), algal.ParseFailed, ""},
		"another kind":     {strings.Replace(good, "agent", "tool", 1), algal.ParseFailed, "kind must be agent"},
		"no kind":          {strings.Replace(good, `"kind":"agent",`, "", 1), algal.ParseFailed, "kind must be agent"},
		"another cell":     {strings.Replace(good, "recommend", "recommended", 1), algal.ParseFailed, "cellId must be recommend"},
		"no evidence":      {strings.Replace(good, "evidence", "proof", 1), algal.ParseFailed, "context.inputs.evidence.release"},
		"release a number": {strings.Replace(good, `"r"`, "42", 1), algal.ParseFailed, "context.inputs.evidence.release"},
		"release too long": {request(strings.Repeat("x", 257)), algal.ParseFailed, "at most 256"},
		"an array":         {"[]", algal.ParseFailed, "kind must be agent"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			err := lifecycle.Recommend(strings.NewReader(c.request), &out, filepath.Join(dir, "log"))
			if err == nil || algal.AsError(err).Code != c.code || !strings.Contains(err.Error(), c.text) || out.Len() > 0 {
				t.Errorf("%v, answered %q", err, out.String())
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "log")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refusal was logged: %v", err)
	}
	var out strings.Builder
	if err := lifecycle.Recommend(strings.NewReader(good), &out, filepath.Join(dir, "no", "log")); algal.AsError(err).Code != algal.IOFailed || out.Len() > 0 {
		t.Errorf("without a log: %v, answered %q", err, out.String())
	}
}

func ExampleRecommend() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	log := filepath.Join(dir, "calls.jsonl")
	err = lifecycle.Recommend(strings.NewReader(request("harbour-3.2")), os.Stdout, log)
	made, _ := os.ReadFile(log)
	fmt.Printf("%v %s", err, made)
	// Output:
	// {"recommendation":"review","release":"harbour-3.2","summary":"Unit, integration, and security fixture checks pass; awaiting host approval."}
	// <nil> {"cellId":"recommend","release":"harbour-3.2"}
}
