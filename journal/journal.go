package journal

import (
	"sync"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/runtime"
)

// Journal is the journal of one dispatch, open. It serves one run; a mutation
// while another is under way poisons it, and both fail.
type Journal struct {
	engine   Engine
	place    place
	header   Header
	entries  []Effect
	attempts int                   // recovery attempts so far
	seen     map[algal.Digest]bool // records that bytes counts
	bytes    int

	cursor     int  // the ordinal of the next effect
	active     bool // the effect before cursor is started and not settled
	recovering bool

	mu       sync.Mutex // guards what follows
	mutating bool
	poison   error
}

var _ runtime.Journal = (*Journal)(nil)

// Effect is an entry of a journal: the current record of an effect.
type Effect struct {
	Digest algal.Digest
	*Record
}

// Err returns why the journal can no longer be used, nil while it is healthy.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.poison
}

// Poison makes the journal unusable. The first cause stays.
func (j *Journal) Poison(cause error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.poison == nil {
		j.poison = cause
	}
}

// mutate makes one change of the journal. Its failure is poison, and so is
// another change meanwhile.
func (j *Journal) mutate(change func() error) error {
	if err := j.enter(); err != nil {
		return err
	}
	err := change()
	if err != nil {
		j.Poison(err)
	}
	return j.leave()
}

func (j *Journal) enter() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.mutating && j.poison == nil {
		j.poison = algal.Errorf(algal.IOFailed, "concurrent journal mutations are forbidden")
	}
	if j.poison != nil {
		return j.poison
	}
	j.mutating = true
	return nil
}

func (j *Journal) leave() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.mutating = false
	return j.poison
}

// Begin presents a live effect (journal.md §5.1). It returns the receipt of one
// that has settled before, which must not be called again, or a token: the effect
// is recorded as started and may be called. Effects come in order and one at a
// time.
//
// An effect that is not the recorded one, and an unsettled one that may not be
// repeated, are a [*Refusal].
func (j *Journal) Begin(b runtime.Binding) (token string, completed canon.Value, err error) {
	err = j.mutate(func() (err error) {
		token, completed, err = j.begin(b)
		return err
	})
	if err != nil {
		return "", canon.Value{}, err
	}
	return token, completed, nil
}

func (j *Journal) begin(b runtime.Binding) (token string, completed canon.Value, err error) {
	if j.active {
		return "", canon.Value{}, outOfOrder()
	}
	if j.cursor >= j.header.MaxEntries {
		return "", canon.Value{}, algal.Errorf(algal.BudgetExhausted, "effect journal entry budget exhausted")
	}
	next := Record{Intent: j.header.Intent, Ordinal: j.cursor, Binding: b}
	if j.cursor < len(j.entries) {
		recorded := j.entries[j.cursor]
		if recorded.Binding != b {
			return "", canon.Value{}, j.refuse(j.cursor, b, mismatch("journal request/configuration/order changed"))
		}
		if recorded.Completed() {
			j.cursor++
			return "", recorded.Receipt, nil
		}
		if !j.recovering || !b.Read {
			return "", canon.Value{}, j.refuse(j.cursor, b, algal.Errorf(algal.IOFailed, "unsettled effect cannot be repeated"))
		}
		next.Attempt, next.Previous = recorded.Attempt+1, recorded.Digest
	}
	digest, err := j.write(next)
	if err != nil {
		return "", canon.Value{}, err
	}
	j.active = true
	j.cursor++
	return string(digest), canon.Value{}, nil
}

func outOfOrder() error { return mismatch("journal effects must settle in order") }

// Complete records how the effect of a token settled (§5.2), an error or a
// suspension included. Its failure is uncertain: the effect happened, and the
// journal does not know it.
func (j *Journal) Complete(token string, receipt canon.Value) error {
	return j.mutate(func() error { return uncertain(j.complete(token, receipt)) })
}

func (j *Journal) complete(token string, receipt canon.Value) error {
	if !j.active {
		return outOfOrder()
	}
	begun := j.entries[j.cursor-1]
	if token != string(begun.Digest) {
		return outOfOrder()
	}
	if err := runtime.ParseEffect(receipt); err != nil {
		return err
	}
	if !receipt.Get("requestDigest").IsText(string(begun.RequestDigest)) {
		return mismatch("journal result request mismatch")
	}
	next := *begun.Record
	next.Previous, next.Receipt = begun.Digest, receipt
	if _, err := j.write(next); err != nil {
		return err
	}
	j.active = false
	return nil
}

// write publishes a record and makes it the current one of its effect.
func (j *Journal) write(r Record) (algal.Digest, error) {
	v := r.Value()
	if _, err := ParseRecord(v); err != nil {
		return "", err
	}
	if v.Size() > MaxRecordBytes || j.bytes+v.Size() > MaxBytes {
		return "", bytesExceeded()
	}
	digest := v.Digest()
	if err := j.engine.Write(recordName(digest), v, MaxRecordBytes); err != nil {
		return "", in(recordName(digest), err)
	}
	name := j.place.entry(r.Ordinal)
	if err := j.engine.Replace(name, headValue(digest), maxSmallBytes); err != nil {
		return "", in(name, err)
	}
	j.count(digest, v.Size())
	if r.Ordinal == len(j.entries) {
		j.entries = append(j.entries, Effect{})
	}
	j.entries[r.Ordinal] = Effect{digest, &r}
	return digest, nil
}

// Finish checks at the end of a run that the journal is healthy and that every
// effect of it was met and has settled (§5.5). Only then may the run's receipt be
// published.
func (j *Journal) Finish() error {
	if err := j.Err(); err != nil {
		return err
	}
	unfinished := mismatch("journal prefix was not fully consumed/settled")
	if j.cursor < len(j.entries) {
		return j.refuse(j.cursor, runtime.Binding{}, unfinished)
	}
	if j.active {
		return unfinished
	}
	return nil
}
