package journaltest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/journal"
)

// poisoned fails the test unless every use of the journal now fails with the text.
func poisoned(t testing.TB, j *journal.Journal, message string) {
	t.Helper()
	_, _, begun := j.Begin(binding("more", true))
	uses := map[string]error{
		"begin": begun, "complete": j.Complete("token", canon.Null()), "recover": j.Recover(), "finish": j.Finish(), "state": j.Err(),
	}
	j.Poison(algal.Errorf(algal.Internal, "a later cause"))
	uses["poison again"] = j.Err()
	for use, err := range uses {
		if err == nil || err.Error() != message {
			t.Errorf("%s after poison: %v, want %s", use, err, message)
		}
	}
}

// order is §5.1 step 2 and the token of §5.2: one effect at a time.
func order(t *testing.T, open func(*testing.T) journal.Engine) {
	const message = "journal effects must settle in order"
	for name, misuse := range map[string]func(j *journal.Journal) error{
		"begin during an effect": func(j *journal.Journal) error {
			begin(t, j, binding("ask", false))
			_, _, err := j.Begin(binding("other", false))
			return err
		},
		"complete nothing": func(j *journal.Journal) error {
			return j.Complete(string(canon.DigestText("token")), receipt(binding("ask", false), canon.Null()))
		},
		"complete another effect": func(j *journal.Journal) error {
			begin(t, j, binding("ask", false))
			return j.Complete(string(canon.DigestText("token")), receipt(binding("ask", false), canon.Null()))
		},
		"complete twice": func(j *journal.Journal) error {
			token := begin(t, j, binding("ask", false))
			must(t, j.Complete(token, receipt(binding("ask", false), canon.Null())))
			return j.Complete(token, receipt(binding("ask", false), canon.Null()))
		},
	} {
		j := fresh(t, open(t), 2)
		Refused(t, name, misuse(j), algal.ReceiptMismatch, message)
		poisoned(t, j, message)
	}
	j := fresh(t, open(t), 2)
	j.Poison(algal.Errorf(algal.EffectFailed, "an outcome is not known"))
	poisoned(t, j, "an outcome is not known")
}

// entryBudget is §5.1 step 3.
func entryBudget(t *testing.T, open func(*testing.T) journal.Engine) {
	e := open(t)
	fresh(t, e, 2)
	forger{t, e}.edit(place+"/header.json", canon.M("maxEntries", canon.Int(2)))
	j := reopen(t, e)
	settle(t, j, binding("a", false))
	settle(t, j, binding("b", false))
	_, _, err := j.Begin(binding("c", false))
	Refused(t, "one effect more", err, algal.BudgetExhausted, "effect journal entry budget exhausted")
	poisoned(t, j, "effect journal entry budget exhausted")
	holds(t, e, "a.", "b.")
}

// completion is §5.2: what is no receipt of the effect leaves it unsettled.
func completion(t *testing.T, open func(*testing.T) journal.Engine) {
	b := binding("ask", false)
	for _, c := range []struct {
		name    string
		receipt canon.Value
		code    algal.Code // "" is fine
		message string
	}{
		{"output", receipt(b, canon.Null()), "", ""},
		{"error", receipt(b, canon.Value{}, canon.M("error", parse(t, `{"code":"BUDGET_EXHAUSTED","message":"too much"}`))), "", ""},
		{"alias", receipt(b, canon.Null()).With(canon.M("executor", canon.String("backend"))), "", ""},
		{"cache hit", receipt(b, canon.Null(), canon.M("cached", canon.Bool(true))), "", ""},
		{"configuration", receipt(b, canon.Null(), canon.M("configurationDigest", canon.String(string(b.ConfigurationDigest)))), "", ""},
		{"other configuration", receipt(b, canon.Null(), canon.M("configurationDigest", canon.String(string(canon.DigestText("other"))))),
			algal.ReceiptMismatch, "journal receipt configuration mismatch"},
		{"other request", receipt(binding("other", false), canon.Null()), algal.ReceiptMismatch, "journal result request mismatch"},
		{"no receipt", canon.Null(), algal.ParseFailed, "effect receipt must be an object"},
		{"nothing", canon.Value{}, algal.ParseFailed, "effect receipt must be an object"},
		{"neither output nor error", receipt(b, canon.Value{}), algal.ParseFailed, "effect receipt: exactly one of output or error is required"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := open(t)
			j := fresh(t, e, 2)
			err := j.Complete(begin(t, j, b), c.receipt)
			if c.code == "" {
				must(t, err)
				must(t, j.Finish())
				holds(t, e, "ask.")
				return
			}
			Refused(t, "complete", err, c.code, c.message)
			uncertain(t, "complete", err, true)
			poisoned(t, j, c.message)
			holds(t, e, "ask")
		})
	}
}

// recordBounds is the bounds of one record and of all of them (J-19, J-20, J-21).
func recordBounds(t *testing.T, open func(*testing.T) journal.Engine) {
	b := binding("tool:save", false)
	first := journal.Record{Intent: dispatch.Intent, Binding: b}
	done := first
	done.Previous, done.Receipt = first.Value().Digest(), receipt(b, canon.String(""))
	wrapper := done.Value() // around an output of one node and two bytes
	text := func(size int) canon.Value { return canon.String(strings.Repeat("x", size-wrapper.Size())) }
	list := func(nodes int) canon.Value { return canon.Array(make100k(nodes - wrapper.Nodes())...) }
	nested := func(depth int) canon.Value {
		return parse(t, strings.Repeat("[", depth)+"0"+strings.Repeat("]", depth))
	}
	for _, c := range []struct {
		name    string
		output  canon.Value
		message string // "" is fine
	}{
		{"longest", text(journal.MaxRecordBytes), ""},
		{"too long", text(journal.MaxRecordBytes + 1), "journal byte budget exceeded"},
		{"most nodes", list(100_000), ""},
		{"too many nodes", list(100_001), structure},
		{"deepest", nested(62), ""},
		{"too deep", nested(63), structure},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := open(t)
			j := fresh(t, e, 2)
			err := j.Complete(begin(t, j, b), receipt(b, c.output))
			if c.message == "" {
				must(t, err)
				holds(t, e, "tool:save.")
				return
			}
			Refused(t, "complete", err, algal.BudgetExhausted, c.message)
			uncertain(t, "complete", err, true)
			holds(t, e, "tool:save")
		})
	}
	for lacking := range 2 {
		fill(t, open(t), lacking)
	}
}

// fill fills a journal so that the next started record just fits, or lacks a byte.
func fill(t *testing.T, e journal.Engine, lacking int) {
	t.Helper()
	j := fresh(t, e, 2)
	last := binding("last", false)
	end := journal.Record{Intent: dispatch.Intent, Ordinal: 16, Binding: last}
	left := journal.MaxBytes - end.Value().Size() + lacking
	for i := range 16 {
		b := binding(fmt.Sprint(i), false)
		token := begin(t, j, b)
		r := *j.Effects()[i].Record
		size := left/(16-i) - r.Value().Size() // of the completed record
		left -= left / (16 - i)
		r.Previous, r.Receipt = algal.Digest(token), receipt(b, canon.String(""))
		must(t, j.Complete(token, receipt(b, canon.String(strings.Repeat("x", size-r.Value().Size())))))
	}
	const message = "journal byte budget exceeded"
	token, _, err := j.Begin(last)
	if lacking > 0 {
		Refused(t, "begin", err, algal.BudgetExhausted, message)
		uncertain(t, "begin", err, false)
		return
	}
	must(t, err)
	err = j.Complete(token, receipt(last, canon.Null()))
	Refused(t, "complete", err, algal.BudgetExhausted, message)
	uncertain(t, "complete", err, true)
	if got := int(reopen(t, e).Value().Get("bytes").Float()); got != journal.MaxBytes {
		t.Errorf("%d bytes, want %d", got, journal.MaxBytes)
	}
}

// engineFaults lets each document of an effect fail to be written (J-15). What was
// written before stays, and what follows from the state is what recovery says.
func engineFaults(t *testing.T, open func(*testing.T) journal.Engine) {
	b := binding("tool:save", false)
	for _, c := range []struct {
		fails   int // the document, from the first of begin on
		during  string
		entries []string
		blocked string
	}{
		{0, "begin", nil, ""},
		{1, "begin", nil, ""},
		{2, "complete", []string{"tool:save"}, "effect 0 has unknown completion; adapter reconciliation is required"},
		{3, "complete", []string{"tool:save"}, "effect 0 has unknown completion; adapter reconciliation is required"},
	} {
		e := &faulty{Engine: open(t), left: -1}
		j := fresh(t, e, 2)
		e.left = c.fails
		token, _, err := j.Begin(b)
		during := "begin"
		if err == nil {
			during = "complete"
			err = j.Complete(token, receipt(b, canon.Null()))
			uncertain(t, "complete", err, true)
		}
		if during != c.during {
			t.Errorf("document %d failed during %s, want %s", c.fails, during, c.during)
		}
		Refused(t, during, err, algal.IOFailed, "the disk is gone")
		poisoned(t, j, "the disk is gone")
		holds(t, e.Engine, c.entries...)
		if err := reopen(t, e.Engine).Recover(); c.blocked == "" {
			must(t, err)
		} else {
			Refused(t, "recover", err, algal.IOFailed, c.blocked)
		}
	}
}

// faulty is an engine that fails for good after some documents. The one at which it
// fails is written or not.
type faulty struct {
	journal.Engine
	left    int // documents that it still writes, negative for any number
	written bool
}

func (f *faulty) write(do func() error) error {
	if f.left != 0 {
		f.left--
		return do()
	}
	if f.written {
		f.written = false
		if err := do(); err != nil {
			return err
		}
	}
	return algal.Errorf(algal.IOFailed, "the disk is gone")
}

func (f *faulty) Write(name string, v canon.Value, bound int) error {
	return f.write(func() error { return f.Engine.Write(name, v, bound) })
}

func (f *faulty) Replace(name string, v canon.Value, bound int) error {
	return f.write(func() error { return f.Engine.Replace(name, v, bound) })
}

// concurrent is J-14: a second mutation while one is under way fails, and so does
// the first.
func concurrent(t *testing.T, open func(*testing.T) journal.Engine) {
	const message = "concurrent journal mutations are forbidden"
	e := &slow{Engine: open(t)}
	j := fresh(t, e, 2)
	e.entered, e.proceed = make(chan bool), make(chan bool)
	first := make(chan error)
	go func() {
		_, _, err := j.Begin(binding("a", false))
		first <- err
	}()
	<-e.entered
	_, _, err := j.Begin(binding("b", false))
	Refused(t, "second", err, algal.IOFailed, message)
	close(e.proceed)
	Refused(t, "first", <-first, algal.IOFailed, message)
	poisoned(t, j, message)
}

// slow is an engine that waits in the middle of a write.
type slow struct {
	journal.Engine
	entered, proceed chan bool
}

func (s *slow) Write(name string, v canon.Value, bound int) error {
	if s.entered != nil {
		s.entered <- true
		<-s.proceed
	}
	return s.Engine.Write(name, v, bound)
}
