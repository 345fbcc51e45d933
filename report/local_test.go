package report_test

import (
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/report"
	"github.com/algal-vm/algal/runtime"
)

// TestLocal: what only the machine knows of a dispatch without an outcome.
func TestLocal(t *testing.T) {
	h := begin(t, asking, canon.Object(), runtime.Host{})
	h.intend()
	s := subject(t, h.document())
	head := s.Report.Head
	kept := &process.Journaled{Settled: 2, Unsettled: 1, Attempts: 1, MaxRecoveries: 3}
	effects := []process.Effect{
		{Cell: "ask", Executor: "tool:look", Outcome: process.EffectAnswered},
		{Cell: "ask", Executor: "tool:look", Outcome: process.EffectUnsettled, Attempt: 2, Request: head},
	}
	for _, c := range []struct {
		name       string
		generation process.Generation
		says       []string
	}{
		{"nothing kept", process.Generation{Recover: &process.Recovery{Refused: algal.Errorf(algal.IOFailed, "no journal"), Repeats: -1}},
			[]string{"No dispatch kept a journal.", "It kept no journal, so nobody knows"}},
		{"read repeated", process.Generation{Journal: kept, Effects: effects, Recover: &process.Recovery{Repeats: 1}},
			[]string{"<td>2</td><td>1</td><td>1 of 3</td><td>in order</td>", "Effect 1 only reads and would be called again",
				"<td>1</td><td>ask</td><td>tool:look</td><td>unsettled</td><td>2</td>"}},
		{"all settled", process.Generation{Journal: kept, Recover: &process.Recovery{Repeats: -1}},
			[]string{"It can be recovered. What is settled would not be called again."}},
		{"refused", process.Generation{Journal: kept, Recover: &process.Recovery{Refused: algal.Errorf(algal.IOFailed, "unknown completion"), Repeats: -1}},
			[]string{"A recovery would be refused: <bdi>unknown completion</bdi>"}},
		{"settled meanwhile", process.Generation{Journal: kept}, []string{"1 of 3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.generation.Number = 1
			s.Local = &report.Local{Place: "/a/place", Next: []string{"algal process tick p", "more"}, Story: &process.Story{
				Snapshot: &process.Snapshot{Digest: head}, Generations: []process.Generation{c.generation}}}
			text := pageOf(t, s)
			holds(t, text, c.says...)
			holds(t, text, `<code class="whole">/a/place</code>`, `<pre class="whole">algal process tick p</pre>`, "This part is no evidence")
			if strings.Contains(text, "has gone on") {
				t.Error("the page says that the process has gone on")
			}
			s.Local.Story.Digest = canon.Null().Digest()
			holds(t, pageOf(t, s), "The process has gone on since its history was captured for this page.")
		})
	}
}

// TestManyEntries: the entries of a journal are bounded too.
func TestManyEntries(t *testing.T) {
	h := begin(t, asking, canon.Object(), runtime.Host{})
	h.intend()
	s := subject(t, h.document())
	s.Local = &report.Local{Story: &process.Story{Snapshot: &process.Snapshot{Digest: s.Report.Head}, Generations: []process.Generation{{
		Number: 1, Journal: &process.Journaled{}, Recover: &process.Recovery{Repeats: -1},
		Effects: make([]process.Effect, 4096),
	}}}}
	holds(t, pageOf(t, s), "<td>199</td>", "3,896 more are left out here.")
}
