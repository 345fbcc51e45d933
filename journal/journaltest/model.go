package journaltest

import (
	"fmt"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/journal"
	"pgregory.net/rapid"
)

// model runs random programs that die anywhere and are recovered as often as they
// may be, and keeps a ledger of every call: nothing that has settled is called
// again, only reads are, and a recovery that succeeds leaves what an uninterrupted
// run would have left.
func model(t *testing.T, open func(*testing.T) journal.Engine) {
	outcomes := map[string]int{}
	rapid.Check(t, func(r *rapid.T) {
		m := &machine{
			t:      r,
			engine: &faulty{Engine: open(t)},
			reads:  rapid.SliceOfN(rapid.Bool(), 0, 5).Draw(r, "reads"),
			calls:  map[int]int{},
			budget: rapid.IntRange(1, 3).Draw(r, "budget"),
		}
		outcomes[m.live()]++
	})
	for _, outcome := range []string{"finished", "blocked", "spent"} {
		if outcomes[outcome] == 0 {
			t.Errorf("no program %s", outcome)
		}
	}
	t.Logf("outcomes: %v", outcomes)
}

// machine is a program whose effects are reads or not.
type machine struct {
	t       *rapid.T
	engine  *faulty
	reads   []bool
	calls   map[int]int // by ordinal
	settled []bool
	doubt   int // the effect whose completion failed, or -1
	budget  int
}

// live runs the program until it has finished or cannot be recovered.
func (m *machine) live() string {
	m.settled = make([]bool, len(m.reads))
	for run := 0; ; run++ {
		m.engine.left = rapid.IntRange(0, 4*len(m.reads)+4).Draw(m.t, "documents until it dies")
		m.engine.written, m.doubt = rapid.Bool().Draw(m.t, "the last is written"), -1
		j, err := m.admit(run)
		if err == nil {
			err = m.play(j)
		}
		m.check(run)
		switch {
		case err == nil:
			return "finished"
		case algal.CodeOf(err) == algal.BudgetExhausted:
			return "spent"
		case err.Error() != "the disk is gone":
			return "blocked"
		}
	}
}

// admit opens the journal for the first run or a recovery. Without a header there
// was no dispatch, and it is made again.
func (m *machine) admit(run int) (*journal.Journal, error) {
	j, err := journal.Open(m.engine, dispatch)
	if run == 0 || err != nil {
		return journal.Create(m.engine, dispatch, m.budget)
	}
	return j, j.Recover()
}

func (m *machine) play(j *journal.Journal) error {
	for i, read := range m.reads {
		b := binding(fmt.Sprint("effect-", i), read)
		token, done, err := j.Begin(b)
		if err != nil {
			return err
		}
		if done.Exists() {
			if !m.settled[i] || !canon.Equal(done, m.receipt(i)) {
				m.t.Fatalf("effect %d is answered with %s", i, done)
			}
			continue
		}
		if m.settled[i] {
			m.t.Fatalf("effect %d has settled and is called again", i)
		}
		m.calls[i]++
		if err := j.Complete(token, m.receipt(i)); err != nil {
			m.doubt = i // whether it was recorded is for the next one to see
			return err
		}
		m.settled[i] = true
	}
	return j.Finish()
}

func (m *machine) receipt(i int) canon.Value {
	return receipt(binding(fmt.Sprint("effect-", i), m.reads[i]), canon.Int(i))
}

// check holds the ledger and the journal to each other after a run.
func (m *machine) check(run int) {
	for i, n := range m.calls {
		if n > 1 && !m.reads[i] || n > run+1 {
			m.t.Fatalf("effect %d was called %d times in %d runs", i, n, run+1)
		}
	}
	j, err := journal.Open(m.engine.Engine, dispatch)
	if err != nil {
		if algal.CodeOf(err) != algal.IOFailed || len(m.calls) > 0 {
			m.t.Fatal(err)
		}
		return
	}
	for i, e := range j.Effects() {
		if i == m.doubt {
			m.settled[i] = e.Completed()
		}
		if e.Completed() != m.settled[i] {
			m.t.Fatalf("effect %d completed: %v, settled: %v", i, e.Completed(), m.settled[i])
		}
	}
	if len(j.Effects()) < len(m.calls) {
		m.t.Fatalf("%d effects were called, and the journal has %d", len(m.calls), len(j.Effects()))
	}
	if j.Attempts() > m.budget {
		m.t.Fatalf("%d recoveries within a budget of %d", j.Attempts(), m.budget)
	}
}
