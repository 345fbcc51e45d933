package journaltest

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/journal"
	"github.com/google/go-cmp/cmp"
)

// life is a journal from its creation to the end of a run that nothing interrupts.
func life(t *testing.T, open func(*testing.T) journal.Engine) {
	e := open(t)
	j := fresh(t, e, 3)
	must(t, j.Err())
	ask, look := binding("ask", false), binding("tool:look", true)
	token := begin(t, j, ask)
	holds(t, e, "ask")
	must(t, j.Complete(token, receipt(ask, canon.String("a"))))
	holds(t, e, "ask.")
	suspended := canon.Object(
		canon.M("error", parse(t, `{"code":"EFFECT_SUSPENDED","message":"later"}`)),
		canon.M("executor", canon.String("an alias")), // an adapter may report a label of its own
		canon.M("requestDigest", canon.String(string(look.RequestDigest))),
	)
	must(t, j.Complete(begin(t, j, look), suspended))
	holds(t, e, "ask.", "tool:look.")
	must(t, j.Finish())
	must(t, j.Err())

	// The format, letter by letter.
	first := `{"attempt":0,"configurationDigest":"` + string(ask.ConfigurationDigest) + `","contract":"algal.process-effect-record.v1","executor":"ask",` +
		`"idempotencyKey":"` + string(ask.IdempotencyKey) + `","intent":"` + string(dispatch.Intent) + `","ordinal":0,` +
		`"recovery":"never","requestDigest":"` + string(ask.RequestDigest) + `","state":"started"}`
	started := canon.DigestText(first)
	for name, want := range map[string]string{
		place + "/header.json": `{"contract":"algal.process-journal.v1","intent":"` + string(dispatch.Intent) +
			`","manifestDigest":"` + string(dispatch.Manifest) + `","maxEntries":4096,"maxRecoveries":3,"process":"worker"}`,
		"values/" + started.Hex() + ".json": first,
		place + "/entries/000000.json": `{"contract":"algal.process-effect-head.v1","record":"` +
			string(j.Effects()[0].Digest) + `"}`,
	} {
		if diff := cmp.Diff(want, read(t, e, name).String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := j.Effects()[0].Previous; got != started {
		t.Errorf("the completed record follows %s, want %s", got, started)
	}
	describes(t, e, j)
}

// describes fails the test unless the description is that of the documents.
func describes(t *testing.T, e journal.Engine, j *journal.Journal) {
	t.Helper()
	again, err := journal.Open(e, dispatch)
	must(t, err)
	v := j.Value()
	if !canon.Equal(v, again.Value()) {
		t.Errorf("reopened: %s, want %s", again.Value(), v)
	}
	bytes := 0
	for i, effect := range j.Effects() {
		listed := v.Get("effects").At(i)
		if !listed.Get("digest").IsText(string(effect.Digest)) || listed.Get("record").Digest() != effect.Digest {
			t.Errorf("effect %d is %s", i, listed)
		}
		for d := effect.Digest; d != ""; {
			record := read(t, e, "values/"+d.Hex()+".json")
			bytes += record.Size()
			d = algal.Digest(record.Get("previous").Text())
		}
	}
	if got := v.Get("bytes").Float(); int(got) != bytes {
		t.Errorf("%v bytes, want %d", got, bytes)
	}
	if !canon.Equal(v.Get("header"), read(t, e, place+"/header.json")) {
		t.Errorf("header %s", v.Get("header"))
	}
}

// create is J-4: a dispatch that died before its head moved is made again.
func create(t *testing.T, open func(*testing.T) journal.Engine) {
	e := open(t)
	_, err := journal.Open(e, dispatch)
	Refused(t, "open nothing", err, algal.IOFailed, "dispatch has no recovery journal")
	for range 2 {
		if got := fresh(t, e, 2).Header(); got != (journal.Header{Dispatch: dispatch, MaxEntries: 4096, MaxRecoveries: 2}) {
			t.Errorf("header %+v", got)
		}
	}
	before := read(t, e, place+"/header.json")
	_, err = journal.Create(e, dispatch, 3)
	refusedAt(t, "another budget", err, algal.DigestMismatch, "immutable host state conflicts", place+"/header.json")
	if after := read(t, e, place+"/header.json"); !canon.Equal(before, after) {
		t.Errorf("the header is now %s", after)
	}
	for _, n := range []int{0, 9} {
		_, err := journal.Create(e, dispatch, n)
		Refused(t, "budget out of bounds", err, algal.ParseFailed, "maxRecoveries must be an integer in [1, 8]")
		Refused(t, "budget out of bounds", journal.CheckRecoveries(n), algal.ParseFailed, "maxRecoveries must be an integer in [1, 8]")
	}
}

// discard takes away a journal in which nothing happened, and no other.
func discard(t *testing.T, open func(*testing.T) journal.Engine) {
	e := open(t)
	must(t, journal.Discard(e, dispatch))
	fresh(t, e, 2)
	must(t, journal.Discard(e, dispatch))
	_, err := journal.Open(e, dispatch)
	Refused(t, "open", err, algal.IOFailed, "dispatch has no recovery journal")
	fresh(t, e, 3) // another budget is no conflict now
	begin(t, fresh(t, e, 3), binding("ask", false))
	Refused(t, "discard", journal.Discard(e, dispatch), algal.ReceiptMismatch, "new dispatch intent already has effect history")
	holds(t, e, "ask")
}

// refusedCreation is J-5.
func refusedCreation(t *testing.T, open func(*testing.T) journal.Engine) {
	for name, use := range map[string]func(e journal.Engine){
		"entries":   func(e journal.Engine) { begin(t, fresh(t, e, 2), binding("ask", false)) },
		"recovered": func(e journal.Engine) { fresh(t, e, 2); recovering(t, e) },
	} {
		e := open(t)
		use(e)
		_, err := journal.Create(e, dispatch, 2)
		Refused(t, name, err, algal.ReceiptMismatch, "new dispatch intent already has effect history")
	}
}
