package journaltest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/runtime"
)

// forger lays out journals that no [journal.Journal] would write.
type forger struct {
	t testing.TB
	e journal.Engine
}

// record stores an effect record and returns its digest.
func (f forger) record(v canon.Value) algal.Digest {
	f.t.Helper()
	must(f.t, f.e.Write(recordFile(v.Digest()), v, huge))
	return v.Digest()
}

func recordFile(d algal.Digest) string { return "values/" + d.Hex() + ".json" }

func entryFile(n int) string { return fmt.Sprintf("%s/entries/%06d.json", place, n) }

func recoveryFile(n int) string { return fmt.Sprintf("%s/recoveries/%06d.json", place, n) }

// replace puts another value in the place of a document.
func (f forger) replace(name string, v canon.Value) {
	f.t.Helper()
	must(f.t, f.e.Replace(name, v, huge))
}

// edit sets members of a document.
func (f forger) edit(name string, set ...canon.Member) {
	f.t.Helper()
	f.replace(name, read(f.t, f.e, name).With(set...))
}

// entry makes a record the current one of an effect.
func (f forger) entry(n int, record algal.Digest) {
	f.t.Helper()
	f.replace(entryFile(n), canon.Object(canon.M("contract", canon.String(journal.HeadContract)), canon.M("record", canon.String(string(record)))))
}

// chain stores records, each the successor of the one before, and makes the last
// the current one of effect 0.
func (f forger) chain(records ...journal.Record) (digests []algal.Digest) {
	f.t.Helper()
	var previous algal.Digest
	for _, r := range records {
		if r.Previous == "" {
			r.Previous = previous
		}
		previous = f.record(r.Value())
		digests = append(digests, previous)
	}
	f.entry(0, previous)
	return digests
}

// attempts stores n recovery attempts.
func (f forger) attempts(n int) {
	f.t.Helper()
	for i := 1; i <= n; i++ {
		f.replace(recoveryFile(i), parse(f.t, fmt.Sprintf(`{"attempt":%d,"contract":"algal.process-recovery-attempt.v1","intent":"%s"}`, i, dispatch.Intent)))
	}
}

// three is a journal of three effects: a settled call of a provider, a read that
// was repeated by a recovery, and a write that has not settled. The second
// recovery was spent on nothing.
func three(t testing.TB, e journal.Engine) *journal.Journal {
	ask, look := binding("ask", false), binding("tool:look", true)
	j := fresh(t, e, 3)
	r := settle(t, j, ask)
	begin(t, j, look)
	j = recovering(t, e)
	recorded(t, j, ask, r)
	settle(t, j, look)
	recovering(t, e)
	j = reopen(t, e)
	recorded(t, j, ask, r)
	recorded(t, j, look, receipt(look, canon.String("done tool:look")))
	begin(t, j, binding("tool:save", false))
	return reopen(t, e)
}

// badJournals is §4 and §4.1 but for chains, one fault each (J-18, and J-16 as
// far as documents go).
func badJournals(t *testing.T, open func(*testing.T) journal.Engine) {
	other := canon.String(string(canon.DigestText("other")))
	header := place + "/header.json"
	for _, c := range []struct {
		name    string
		damage  func(f forger, j *journal.Journal) (at string)
		code    algal.Code
		message string
	}{
		{"header of another contract", func(f forger, _ *journal.Journal) string {
			f.edit(header, canon.M("contract", canon.String("algal.process-journal.v2")))
			return header
		}, algal.ReceiptMismatch, "invalid journal header"},
		{"header with a member more", func(f forger, _ *journal.Journal) string {
			f.edit(header, canon.M("more", canon.Int(1)))
			return header
		}, algal.ParseFailed, `journal header has unknown key "more"`},
		{"header is a list", func(f forger, _ *journal.Journal) string {
			f.replace(header, canon.Array())
			return header
		}, algal.ParseFailed, "journal header must be an object"},
		{"header of another process", func(f forger, _ *journal.Journal) string {
			f.edit(header, canon.M("process", canon.String("other")))
			return header
		}, algal.ReceiptMismatch, "journal is bound to another dispatch"},
		{"header of another intent", func(f forger, _ *journal.Journal) string {
			f.edit(header, canon.M("intent", other))
			return header
		}, algal.ReceiptMismatch, "journal is bound to another dispatch"},
		{"header of another program", func(f forger, _ *journal.Journal) string {
			f.edit(header, canon.M("manifestDigest", other))
			return header
		}, algal.ReceiptMismatch, "journal is bound to another dispatch"},
		{"header too long", func(f forger, _ *journal.Journal) string {
			f.edit(header, canon.M("process", canon.String(strings.Repeat("x", maxSmall))))
			return header
		}, algal.IOFailed, typeOrBound},

		{"ordinal gap", func(f forger, _ *journal.Journal) string {
			f.replace(entryFile(4), read(f.t, f.e, entryFile(2)))
			return entryFile(4)
		}, algal.ReceiptMismatch, "journal ordinal gap"},
		{"foreign entry", func(f forger, _ *journal.Journal) string {
			f.replace(place+"/entries/000003.jsonx", canon.Int(1))
			return place + "/entries/000003.jsonx"
		}, algal.IOFailed, "unexpected host state entry"},
		{"foreign directory", func(f forger, _ *journal.Journal) string {
			must(f.t, f.e.Ensure(place+"/entries/000003.json"))
			return place + "/entries"
		}, algal.IOFailed, "unexpected host state entry type"},
		{"more entries than admitted", func(f forger, _ *journal.Journal) string {
			f.edit(header, canon.M("maxEntries", canon.Int(2)))
			return place + "/entries"
		}, algal.BudgetExhausted, "host state entry bound exceeded"},
		{"head of another contract", func(f forger, _ *journal.Journal) string {
			f.edit(entryFile(1), canon.M("contract", canon.String("algal.process-head.v1")))
			return entryFile(1)
		}, algal.ReceiptMismatch, "invalid effect head"},
		{"head with a member more", func(f forger, _ *journal.Journal) string {
			f.edit(entryFile(1), canon.M("ordinal", canon.Int(1)))
			return entryFile(1)
		}, algal.ParseFailed, `effect head has unknown key "ordinal"`},
		{"head is no object", func(f forger, _ *journal.Journal) string {
			f.replace(entryFile(1), canon.Null())
			return entryFile(1)
		}, algal.ParseFailed, "effect head must be an object"},
		{"head without a digest", func(f forger, _ *journal.Journal) string {
			f.edit(entryFile(1), canon.M("record", canon.String("sha256:1")))
			return entryFile(1)
		}, algal.ParseFailed, "effect head.record must be a sha256:<64 lowercase hex> digest"},

		{"record missing", func(f forger, _ *journal.Journal) string {
			f.entry(1, canon.DigestText("nothing"))
			return recordFile(canon.DigestText("nothing"))
		}, algal.ReceiptMismatch, "effect journal CAS mismatch"},
		{"record changed", func(f forger, j *journal.Journal) string {
			at := recordFile(j.Effects()[1].Digest)
			f.edit(at, canon.M("attempt", canon.Int(0)))
			return at
		}, algal.ReceiptMismatch, "effect journal CAS mismatch"},
		{"earlier record changed", func(f forger, j *journal.Journal) string {
			at := recordFile(j.Effects()[1].Previous)
			f.edit(at, canon.M("attempt", canon.Int(0)))
			return at
		}, algal.ReceiptMismatch, "effect journal CAS mismatch"},
		{"record too long", func(f forger, j *journal.Journal) string {
			at := recordFile(j.Effects()[1].Digest)
			f.replace(at, canon.String(strings.Repeat("x", journal.MaxRecordBytes-1)))
			return at
		}, algal.IOFailed, typeOrBound},
		{"no record", func(f forger, _ *journal.Journal) string {
			d := f.record(canon.Object())
			f.entry(1, d)
			return recordFile(d)
		}, algal.ReceiptMismatch, "invalid effect record"},
		{"entries swapped", func(f forger, j *journal.Journal) string {
			f.entry(0, j.Effects()[1].Digest)
			f.entry(1, j.Effects()[0].Digest)
			return entryFile(0)
		}, algal.ReceiptMismatch, "effect belongs to another ordinal/intent"},
		{"entry twice", func(f forger, j *journal.Journal) string {
			f.entry(2, j.Effects()[1].Digest)
			return entryFile(2)
		}, algal.ReceiptMismatch, "effect belongs to another ordinal/intent"},
		{"record of another intent", func(f forger, j *journal.Journal) string {
			r := *j.Effects()[0].Record
			r.Intent = canon.DigestText("other")
			f.entry(0, f.record(r.Value()))
			return entryFile(0)
		}, algal.ReceiptMismatch, "effect belongs to another ordinal/intent"},
		{"effect after an unsettled one", func(f forger, j *journal.Journal) string {
			r := *j.Effects()[2].Record
			r.Ordinal = 3
			f.entry(3, f.record(r.Value()))
			return entryFile(3)
		}, algal.ReceiptMismatch, "journal contains effects after an unsettled operation"},

		{"attempt gap", func(f forger, _ *journal.Journal) string {
			f.replace(recoveryFile(4), read(f.t, f.e, recoveryFile(2)))
			f.edit(header, canon.M("maxRecoveries", canon.Int(4)))
			return recoveryFile(4)
		}, algal.ReceiptMismatch, "recovery attempt gap"},
		{"attempt zero", func(f forger, _ *journal.Journal) string {
			f.replace(recoveryFile(0), read(f.t, f.e, recoveryFile(1)))
			return recoveryFile(0)
		}, algal.ReceiptMismatch, "recovery attempt gap"},
		{"attempt twice", func(f forger, _ *journal.Journal) string {
			f.replace(recoveryFile(3), read(f.t, f.e, recoveryFile(2)))
			return recoveryFile(3)
		}, algal.ReceiptMismatch, "invalid recovery attempt"},
		{"attempt of another intent", func(f forger, _ *journal.Journal) string {
			f.edit(recoveryFile(1), canon.M("intent", other))
			return recoveryFile(1)
		}, algal.ReceiptMismatch, "invalid recovery attempt"},
		{"attempt with a member more", func(f forger, _ *journal.Journal) string {
			f.edit(recoveryFile(1), canon.M("more", canon.Int(1)))
			return recoveryFile(1)
		}, algal.ReceiptMismatch, "invalid recovery attempt"},
		{"more attempts than admitted", func(f forger, _ *journal.Journal) string {
			f.edit(header, canon.M("maxRecoveries", canon.Int(1)))
			return place + "/recoveries"
		}, algal.BudgetExhausted, "host state entry bound exceeded"},
		{"foreign attempt", func(f forger, _ *journal.Journal) string {
			f.replace(place+"/recoveries/README", canon.Int(1))
			return place + "/recoveries/README"
		}, algal.IOFailed, "unexpected host state entry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := open(t)
			at := c.damage(forger{t, e}, three(t, e))
			_, err := journal.Open(e, dispatch)
			refusedAt(t, "open", err, c.code, c.message, at)
		})
	}
}

// badChains is the walk of §4, one fault each (J-18).
func badChains(t *testing.T, open func(*testing.T) journal.Engine) {
	look, save := binding("tool:look", true), binding("tool:save", false)
	begun := func(b runtime.Binding, attempt int) journal.Record {
		return journal.Record{Intent: dispatch.Intent, Binding: b, Attempt: attempt}
	}
	done := func(b runtime.Binding, attempt int) journal.Record {
		r := begun(b, attempt)
		r.Receipt = receipt(b, canon.Int(attempt))
		return r
	}
	for _, c := range []struct {
		name    string
		records []journal.Record
		at      int    // the record at fault
		message string // "" is a sound chain
	}{
		{name: "started", records: []journal.Record{begun(save, 0)}},
		{name: "settled", records: []journal.Record{begun(save, 0), done(save, 0)}},
		{name: "repeated", records: []journal.Record{begun(look, 0), begun(look, 1)}},
		{name: "as long as can be", records: []journal.Record{begun(look, 0), begun(look, 1), begun(look, 2), done(look, 2)}},
		{"too long", []journal.Record{begun(look, 0), begun(look, 1), begun(look, 2), begun(look, 3), begun(look, 4), begun(look, 5), begun(look, 6), done(look, 6)},
			1, "journal chain bound/cycle"},
		{"binding changed", []journal.Record{begun(save, 0), done(binding("tool:other", false), 0)}, 1, "journal binding changed"},
		{"policy changed", []journal.Record{begun(save, 0), done(runtime.Binding{RequestDigest: save.RequestDigest, Executor: save.Executor,
			ConfigurationDigest: save.ConfigurationDigest, IdempotencyKey: save.IdempotencyKey, Read: true}, 0)}, 1, "journal binding changed"},
		{"settled twice", []journal.Record{begun(look, 0), done(look, 0), done(look, 0)}, 2, "completed effect cannot dispatch again"},
		{"begun after it settled", []journal.Record{begun(look, 0), done(look, 0), begun(look, 1)}, 2, "completed effect cannot dispatch again"},
		{"settled as another attempt", []journal.Record{begun(look, 0), done(look, 1)}, 1, "completion changed attempt"},
		{"write repeated", []journal.Record{begun(save, 0), begun(save, 1)}, 1, "unsafe effect retry transition"},
		{"attempt left out", []journal.Record{begun(look, 0), begun(look, 2)}, 1, "unsafe effect retry transition"},
		{"attempt again", []journal.Record{begun(look, 0), begun(look, 1), {Intent: dispatch.Intent, Binding: look, Attempt: 1}}, 2, "unsafe effect retry transition"},
		{"begins settled", []journal.Record{done(save, 0)}, 0, "invalid initial effect record"},
		{"begins repeated", []journal.Record{begun(look, 1)}, 0, "invalid initial effect record"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := open(t)
			f := forger{t, e}
			fresh(t, e, 2)
			f.attempts(2)
			digests := f.chain(c.records...)
			_, err := journal.Open(e, dispatch)
			if c.message == "" {
				must(t, err)
				return
			}
			refusedAt(t, "open", err, algal.ReceiptMismatch, c.message, recordFile(digests[c.at]))
		})
	}
	t.Run("more attempts than were admitted", func(t *testing.T) {
		e := open(t)
		f := forger{t, e}
		fresh(t, e, 2)
		f.attempts(1)
		f.chain(begun(look, 0), begun(look, 1), begun(look, 2))
		_, err := journal.Open(e, dispatch)
		refusedAt(t, "open", err, algal.ReceiptMismatch, "effect has no admitted recovery attempt", entryFile(0))
	})
}

// badBindings holds each member of a record to the one before it.
func badBindings(t *testing.T, open func(*testing.T) journal.Engine) {
	for member, value := range map[string]canon.Value{
		"requestDigest":       canon.String(string(canon.DigestText("other"))),
		"executor":            canon.String("other"),
		"configurationDigest": canon.String(string(canon.DigestText("other"))),
		"idempotencyKey":      canon.String(string(canon.DigestText("other"))),
		"recovery":            canon.String("never"),
		"intent":              canon.String(string(canon.DigestText("other"))),
		"ordinal":             canon.Int(1),
	} {
		e := open(t)
		f := forger{t, e}
		fresh(t, e, 2)
		r := journal.Record{Intent: dispatch.Intent, Binding: binding("tool:look", true)}
		first := f.record(r.Value().With(canon.M(member, value)))
		r.Previous, r.Receipt = first, receipt(r.Binding, canon.Int(1))
		f.entry(0, f.record(r.Value()))
		_, err := journal.Open(e, dispatch)
		refusedAt(t, member, err, algal.ReceiptMismatch, "journal binding changed", recordFile(r.Value().Digest()))
	}
}

// journalBytes is the bound of §9 on all records when a journal is read.
func journalBytes(t *testing.T, open func(*testing.T) journal.Engine) {
	e := open(t)
	f := forger{t, e}
	fresh(t, e, 2)
	const each = journal.MaxBytes / 16 // of an effect with its two records
	bytes := 0
	store := func(n, size int) string {
		r := journal.Record{Intent: dispatch.Intent, Ordinal: n, Binding: binding(fmt.Sprint(n), false)}
		begun := f.record(r.Value())
		r.Previous, r.Receipt = begun, receipt(r.Binding, canon.String(""))
		base := read(t, e, recordFile(begun)).Size() + r.Value().Size()
		r.Receipt = receipt(r.Binding, canon.String(strings.Repeat("x", size-base)))
		f.entry(n, f.record(r.Value()))
		bytes += size
		return recordFile(begun) // the last to be read
	}
	for n := range 15 {
		store(n, each)
	}
	store(15, each)
	if got := int(reopen(t, e).Value().Get("bytes").Float()); got != journal.MaxBytes || bytes != got {
		t.Errorf("%d bytes, want %d", got, journal.MaxBytes)
	}
	last := store(15, each+1)
	_, err := journal.Open(e, dispatch)
	refusedAt(t, "a byte more", err, algal.BudgetExhausted, "journal byte budget exceeded", last)
}
