//go:build unix

package command_test

import (
	"context"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/command"
	"github.com/algal-vm/algal/executor/executortest"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
)

func newExecutor(t testing.TB, line string, options command.Options) *command.Executor {
	t.Helper()
	e, err := command.New(line, options)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestIdentity covers the computed vectors of run.md §8.5.2 and journal.md §6.
func TestIdentity(t *testing.T) {
	cases := []struct {
		line                    string
		options                 command.Options
		identity, configuration algal.Digest
	}{
		{
			"exit 75", command.Options{},
			"sha256:b9317c5026ac1cafa27b06a812653c65d9b447d16a9105f66ca26ceeff1738f2",
			"sha256:cff317c00532bd8271982c2334021a3bfd09037239c8504a9575b87be90958bc",
		},
		{
			"exit 75", command.Options{TimeoutMs: 5000},
			"sha256:567954fb83153e1b195f8d269b5b3f14934168c93fdec638c22b2e1ffc1575ff", "",
		},
		{
			"cat", command.Options{},
			"sha256:855e3e7c442b89014078c8b3a53bd59c996fb3858d67fd3c76dfe52ee4cdfa8a",
			"sha256:40e94f78fd8d62a6f27879b57c98657088dec05304cb879bdba9dfea794c7988",
		},
	}
	for _, c := range cases {
		d := newExecutor(t, c.line, c.options).Describe()
		if d.Identity != string(c.identity) || d.ID != "cmd:"+string(c.identity) {
			t.Errorf("%q %+v: identity %s, id %s, want %s", c.line, c.options, d.Identity, d.ID, c.identity)
		}
		if c.configuration != "" && d.Configuration != c.configuration {
			t.Errorf("%q %+v: configuration %s, want %s", c.line, c.options, d.Configuration, c.configuration)
		}
	}
}

// TestDigestRows covers the rows of golden/digests.json.
func TestDigestRows(t *testing.T) {
	rows := 0
	for _, row := range goldenrun.Parse(t, "digests.json").Elements() {
		input, want := row.Get("input"), row.Get("digest").Text()
		switch row.Get("what").Text() {
		case "executor id of --executor-cmd: cmd:<digest>":
			rows++
			if got := newExecutor(t, input.Get("command").Text(), command.Options{}).Describe().ID; got != "cmd:"+want {
				t.Errorf("id %s, want cmd:%s", got, want)
			}
		case "configurationDigest of --executor-cmd":
			rows++
			if got := newExecutor(t, input.Get("argv").At(2).Text(), command.Options{}).Describe().Configuration; string(got) != want {
				t.Errorf("configuration %s, want %s", got, want)
			}
		}
	}
	if rows != 2 {
		t.Errorf("%d rows, want 2", rows)
	}
}

func TestDescription(t *testing.T) {
	d := newExecutor(t, "cat", command.Options{ID: "named", MaxStdout: 7}).Describe()
	for _, k := range []runtime.EffectKind{"agent", "classifier", "gate", "decide", "recall"} {
		if !d.Admits(k) {
			t.Errorf("%s is not admitted", k)
		}
	}
	if d.ID != "named" || d.Wildcard || d.Cacheable || d.Retryable {
		t.Errorf("%+v", d)
	}
	if want := string(executortest.JSON(t, `{"command":"cat","options":{"maxStdoutBytes":7}}`).Digest()); d.Identity != want {
		t.Errorf("identity %s, want %s", d.Identity, want)
	}
}

func TestRefusedOptions(t *testing.T) {
	cases := []struct {
		line    string
		options command.Options
		want    string
	}{
		{"", command.Options{}, "command must be a non-empty text without NUL"},
		{"a\x00b", command.Options{}, "command must be a non-empty text without NUL"},
		{"\xff", command.Options{}, "command must be a non-empty text without NUL"},
		{"cat", command.Options{TimeoutMs: -1}, "timeoutMs must be an integer in [1, 600000]"},
		{"cat", command.Options{TimeoutMs: 600_001}, "timeoutMs must be an integer in [1, 600000]"},
		{"cat", command.Options{MaxStdout: 67_108_865}, "maxStdoutBytes must be an integer in [1, 67108864]"},
	}
	for _, c := range cases {
		if _, err := command.New(c.line, c.options); algal.CodeOf(err) != algal.ParseFailed || err.Error() != c.want {
			t.Errorf("%q %+v: %v, want %s", c.line, c.options, err, c.want)
		}
	}
	newExecutor(t, "cat", command.Options{TimeoutMs: 600_000, MaxStdout: 67_108_864})
}

// TestRecordedRuns runs every recorded program that has a command executor and
// compares the whole receipt, digests and texts included.
func TestRecordedRuns(t *testing.T) {
	ran := 0
	for _, r := range executortest.Recordings(t) {
		executors := commands(t, r)
		if executors == nil {
			continue
		}
		ran++
		t.Run(r.Name, func(t *testing.T) {
			got := executortest.Run(t, r.Manifest, r.Args, r.Host(t, executors...))
			if diff := cmp.Diff(r.Receipt.String(), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Logf("%d recorded runs", ran)
	if ran != 9 {
		t.Errorf("%d recorded runs, want 9", ran)
	}
}

// commands returns the executors of a recorded run, nil if none is a command.
func commands(t *testing.T, r executortest.Recorded) []runtime.Executor {
	var executors []runtime.Executor
	found := false
	for _, s := range r.Executors {
		if s.Command != "" {
			found = true
			executors = append(executors, newExecutor(t, s.Command, command.Options{ID: s.ID, TimeoutMs: s.TimeoutMs, MaxStdout: s.MaxStdout}))
			continue
		}
		e, err := scripted.New(s.Responses, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		executors = append(executors, e)
	}
	if !found {
		return nil
	}
	return executors
}

// TestJ29 lets an uncertain error meet a cell with retries left: it is not
// repeated, and no receipt says the word.
func TestJ29(t *testing.T) {
	retry := canon.M("retry", canon.Object(canon.M("attempts", canon.Int(3))))
	e := newExecutor(t, "kill -9 $$", command.Options{})
	receipt := executortest.Run(t, executortest.Agent(retry), canon.Value{}, runtime.Host{Executors: []runtime.Executor{e}})
	effects := receipt.Get("effects")
	if effects.Len() != 1 {
		t.Fatalf("%d attempts: %s", effects.Len(), receipt)
	}
	want := `{"code":"EFFECT_FAILED","message":"executor terminated by signal; external completion uncertain"}`
	effect := effects.At(0)
	if effect.Get("error").String() != want || effect.Get("retryable").String() != "false" {
		t.Error(effect)
	}
	if strings.Contains(receipt.String(), `"uncertain"`) {
		t.Error("the receipt has a member uncertain")
	}
}

// TestJ36 lets a command close its standard input early, before a request that no
// pipe holds.
func TestJ36(t *testing.T) {
	cases := []struct{ line, code, message string }{
		{"exec <&-; exit 75", "EFFECT_SUSPENDED", "executor asked the host to suspend the run"},
		{"exec <&-; exit 2", "EFFECT_FAILED", "executor exited 2; diagnostics withheld"},
		{"exec <&-; exit 0", "EFFECT_FAILED", "executor closed stdin before request delivery"},
	}
	for _, c := range cases {
		e := newExecutor(t, c.line, command.Options{})
		request := &runtime.Request{Record: canon.String(strings.Repeat("x", 900_000))}
		answer, err := e.Call(t.Context(), request)
		if string(algal.CodeOf(err)) != c.code || err.Error() != c.message || algal.AsError(err).Uncertain {
			t.Errorf("%q: %v", c.line, err)
		}
		if answer.Configuration != e.Describe().Configuration {
			t.Errorf("%q: the configuration is not told with an error", c.line)
		}
	}
}

func TestCancelledBeforeLaunch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newExecutor(t, "cat", command.Options{}).Call(ctx, &runtime.Request{Record: canon.Null()})
	if algal.CodeOf(err) != algal.BudgetExhausted || err.Error() != "command cancelled before launch" || algal.AsError(err).Uncertain {
		t.Error(err)
	}
}

func TestParseFile(t *testing.T) {
	executors, err := command.ParseFile(executortest.JSON(t, `{"zeta":"cat","10":"exit 75","alpha":"true"}`))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range executors {
		ids = append(ids, e.Describe().ID)
	}
	if diff := cmp.Diff([]string{"10", "zeta", "alpha"}, ids); diff != "" {
		t.Error(diff)
	}
	if got, want := executors[1].Describe().Configuration, newExecutor(t, "cat", command.Options{}).Describe().Configuration; got != want {
		t.Errorf("configuration %s, want that of the unnamed command %s", got, want)
	}
	long := strings.Repeat("n", 257)
	refused := map[string]string{
		`[]`:                     "executors file must be an object",
		`{"a":1}`:                `executors file entry "a" must be a non-empty shell command`,
		`{"a":""}`:               `executors file entry "a" must be a non-empty shell command`,
		`{"a":"\u0000"}`:         `executors file entry "a": command must be a non-empty text without NUL`,
		`{"":"cat"}`:             `executors file entry "" must have a name of 1 to 256 characters that does not begin with "tool:"`,
		`{"tool:x":"cat"}`:       `executors file entry "tool:x" must have a name of 1 to 256 characters that does not begin with "tool:"`,
		`{"` + long + `":"cat"}`: `executors file entry "` + long + `" must have a name of 1 to 256 characters that does not begin with "tool:"`,
	}
	for text, want := range refused {
		if _, err := command.ParseFile(executortest.JSON(t, text)); algal.CodeOf(err) != algal.ParseFailed || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
