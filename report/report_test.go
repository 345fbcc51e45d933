package report_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/report"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
)

// hostile is a text that wants to be more than text.
const hostile = "</script><script>alert(1)</script>\"><img src=x onerror=\"1\">javascript:1 http://x ]]>\u202e\u2028\u0000"

// holds checks that a page says all of some texts.
func holds(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestRecordedDocuments makes the page of every recorded document.
func TestRecordedDocuments(t *testing.T) {
	for _, name := range append(golden.Glob(t, "evidence/*.evidence.json"), golden.Glob(t, "processes/*/*.evidence.json")...) {
		t.Run(name, func(t *testing.T) {
			s := recorded(t, name)
			text := pageOf(t, s)
			holds(t, text, string(s.Report.Head), string(s.Report.Evidence), string(s.Evidence.Root),
				"<h1>Process "+s.Report.History.Last().Name+"</h1>", ">"+string(s.Report.Status)+"</span>")
			for _, d := range s.Report.History.Digests[1:] {
				holds(t, text, string(d))
			}
			for _, o := range s.Report.History.Outcomes {
				holds(t, text, string(o.Receipt))
				for _, e := range o.Value.Get("effects").Elements() {
					holds(t, text, e.Get("requestDigest").Text())
				}
			}
		})
	}
}

var (
	sentence = map[chain.Status]string{
		chain.Ready:     "It was created and has never been dispatched.",
		chain.Uncertain: "Generation 1 was dispatched and has no outcome.",
		chain.Suspended: "It waits until somebody dispatches it again, which may happen 63 more times.",
		chain.Complete:  "Its program ran to the end in generation 1.",
		chain.Failed:    "Its program failed in generation 1, and nothing can follow: <code>EFFECT_FAILED</code> at <code>ask</code>: <bdi>no</bdi>",
	}
	asking = `{"contract":"algal.organism.v1","key":"organism:ask","name":"Ask","cells":[{"id":"ask","kind":"agent","output":{"kind":"text"},"prompt":"p"}]}`
)

// TestStanding: the page says what each status means.
func TestStanding(t *testing.T) {
	answers := map[chain.Status]answerer{
		chain.Ready: nil, chain.Uncertain: nil,
		chain.Suspended: func(*runtime.Request) (canon.Value, error) { return canon.Value{}, suspended("later") },
		chain.Complete:  func(*runtime.Request) (canon.Value, error) { return canon.String("a"), nil },
		chain.Failed: func(*runtime.Request) (canon.Value, error) {
			return canon.Value{}, algal.Errorf(algal.EffectFailed, "no")
		},
	}
	for status, answer := range answers {
		h := begin(t, asking, canon.Object(), runtime.Host{Executors: []runtime.Executor{answer}})
		switch status {
		case chain.Ready:
		case chain.Uncertain:
			h.intend()
		default:
			h.tick()
		}
		s := subject(t, h.document())
		if s.Report.Status != status {
			t.Fatalf("%s instead of %s", s.Report.Status, status)
		}
		holds(t, pageOf(t, s), sentence[status])
	}
}

// tellingProgram waits once and then calls a tool.
const tellingProgram = `{"contract":"algal.organism.v1","key":"organism:telling","name":"Telling","cells":[
	{"id":"first","kind":"agent","output":{"kind":"text"},"prompt":"Say one."},
	{"id":"second","kind":"agent","output":{"kind":"text"},"prompt":"Say two.","inputs":{"one":"text"}},
	{"id":"third","kind":"tool","tool":"send.v1"}],
	"edges":[{"from":{"cell":"first","port":"out"},"to":{"cell":"second","port":"one"}},
	{"from":{"cell":"second","port":"out"},"to":{"cell":"third","port":"text"}}],
	"interface":{"inputs":{},"outputs":{"sent":{"cell":"third","port":"id"}}}}`

func tellingHost(t *testing.T) runtime.Host {
	signature, err := organism.ParseTool(parsed(t, `{"inputs":{"text":"text"},"outputs":{"id":"text"},"effect":"write","cost":1,"maxOutputBytes":100}`), "tool")
	if err != nil {
		t.Fatal(err)
	}
	waited := false
	answer := answerer(func(r *runtime.Request) (canon.Value, error) {
		if r.CellID == "second" && !waited {
			waited = true
			return canon.Value{}, suspended("the answer is not ready")
		}
		return canon.String("answer of " + r.CellID), nil
	})
	return runtime.Host{Executors: []runtime.Executor{answer}, Tools: map[string]*runtime.HostTool{
		"send.v1": {Signature: signature, Call: echo},
	}}
}

// TestTelling: an effect is told once, in the generation that made it, with what was
// asked and what came of it.
func TestTelling(t *testing.T) {
	h := begin(t, tellingProgram, canon.Object(canon.M("in", canon.Object(canon.M("x", canon.Int(1))))), tellingHost(t))
	h.tick()
	h.tick()
	text := pageOf(t, subject(t, h.document()))
	var told []string
	for _, m := range regexp.MustCompile(`<h2 id="(generation-\d)-title"|<summary>(Effect [^<]*)<|<pre>([^<]*)</pre>|>(It made [^<]*|It called [^<]*)<`).FindAllStringSubmatch(text, -1) {
		told = append(told, strings.Join(m[1:], ""))
	}
	contract := "{\n  &quot;kind&quot;: &quot;text&quot;\n}"
	want := []string{
		"{\n  &quot;in&quot;: {\n    &quot;x&quot;: 1\n  }\n}",
		"&quot;sent answer of second&quot;",
		"generation-1", "It made 2 effects.",
		"Effect 0: first, answered", "Say one.", "{\n  &quot;inputs&quot;: {},\n  &quot;turn&quot;: 0\n}", contract, "&quot;answer of first&quot;",
		"Effect 1: second, suspended", "Say two.", "{\n  &quot;inputs&quot;: {\n    &quot;one&quot;: &quot;answer of first&quot;\n  },\n  &quot;turn&quot;: 0\n}", contract,
		"generation-2", "It made 2 effects. 1 answered effect of earlier generations took part as recorded, without being called again.",
		"Effect 1: second, answered", "Say two.", "{\n  &quot;inputs&quot;: {\n    &quot;one&quot;: &quot;answer of first&quot;\n  },\n  &quot;turn&quot;: 0\n}", contract, "&quot;answer of second&quot;",
		"Effect 2: third, answered", "{\n  &quot;text&quot;: &quot;answer of second&quot;\n}", "{\n  &quot;id&quot;: &quot;sent answer of second&quot;\n}",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
	holds(t, text, "<dt>Kind</dt><dd>write tool</dd>", "3 tokens in", "✓ committed", "Each of the 2 recorded runs was repeated",
		"What the cells gave to each other, and the log of events.")
}

// TestHostileTexts puts a hostile text wherever a document can hold foreign text.
func TestHostileTexts(t *testing.T) {
	name := canon.String(hostile)
	manifest := fmt.Sprintf(`{"contract":"algal.organism.v1","key":"organism:hostile","name":%s,"note":%[2]s,"cells":[
		{"id":"in","kind":"input","outputs":{"x":{"type":"json","optional":true}}},
		{"id":"ask","kind":"agent","output":{"kind":"json","schema":{"title":%[2]s}},"prompt":%[2]s,"view":{"note":%[2]s},"inputs":{"x":"json"},"route":{"model":%[3]s}},
		{"id":"b","kind":"agent","output":{"kind":"choice","labels":[%[3]s]},"prompt":"p","inputs":{"x":"json"}},
		{"id":"c","kind":"store"}],
		"edges":[{"from":{"cell":"in","port":"x"},"to":{"cell":"ask","port":"x"}},{"from":{"cell":"ask","port":"out"},"to":{"cell":"b","port":"x"}},
		{"from":{"cell":"b","port":"out"},"to":{"cell":"c","port":"data"},"guard":{"equals":%[3]s}}]}`, name, canon.String(hostile), canon.String(hostile[:60]))
	answer := answerer(func(r *runtime.Request) (canon.Value, error) {
		if r.CellID == "b" {
			return canon.Value{}, algal.Errorf(algal.EffectFailed, "%s", hostile)
		}
		return canon.Object(canon.M(hostile, canon.String(hostile))), nil
	})
	args := canon.Object(canon.M("in", canon.Object(canon.M("x", canon.String(hostile)))))
	h := begin(t, manifest, args, runtime.Host{Executors: []runtime.Executor{answer}})
	h.tick()
	s := subject(t, h.document())
	s.Local = &report.Local{Place: hostile, Next: []string{hostile}, Story: &process.Story{
		Snapshot: &process.Snapshot{Digest: s.Report.Head},
		Generations: []process.Generation{{
			Number:  1,
			Journal: &process.Journaled{Fault: errors.New(hostile)},
			Recover: &process.Recovery{Refused: errors.New(hostile)},
			Effects: []process.Effect{{Cell: hostile, Executor: hostile, Error: algal.Errorf(algal.EffectFailed, "%s", hostile)}},
		}},
	}}
	text := pageOf(t, s)
	escaped := `&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;img src=x onerror=&quot;1&quot;&gt;javascript:1 http://x ]]&gt;\u202e\u2028`
	holds(t, text, escaped)
	if n := strings.Count(text, escaped); n < 12 {
		t.Errorf("the text stands %d times on the page", n)
	}
}
