package journal

import (
	"errors"
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Create begins the journal of a dispatch that is about to be published (journal.md
// §4). One that is there already is taken up if it has the same bounds and nothing
// in it, since a dispatch may have died just before its head moved; other bounds
// are DIGEST_MISMATCH, effects or recoveries RECEIPT_MISMATCH.
func Create(engine Engine, d Dispatch, maxRecoveries int) (*Journal, error) {
	h := Header{Dispatch: d, MaxEntries: MaxEntries, MaxRecoveries: maxRecoveries}
	if _, err := ParseHeader(h.Value()); err != nil {
		return nil, err
	}
	p := placeOf(d)
	for _, dir := range p.directories(d.Process) {
		if err := engine.Ensure(dir); err != nil {
			return nil, in(dir, err)
		}
	}
	if err := engine.Write(p.header(), h.Value(), maxSmallBytes); err != nil {
		return nil, in(p.header(), err)
	}
	j, err := Open(engine, d)
	if err != nil {
		return nil, err
	}
	if j.hasHistory() {
		return nil, historyMismatch()
	}
	return j, nil
}

// Discard takes away the journal of a dispatch that is about to be published without
// one. It can only be that of an attempt which died before its head moved, since
// intents are the same as long as nothing has happened; left in its place it would
// say of whatever this dispatch does that it did nothing, and a recovery would do it
// again. No journal is fine; effects or recoveries in it are RECEIPT_MISMATCH.
func Discard(engine Engine, d Dispatch) error {
	j, err := Open(engine, d)
	switch {
	case errors.Is(err, ErrNone):
		return nil
	case err != nil:
		return err
	case j.hasHistory():
		return historyMismatch()
	}
	return in(j.place.header(), engine.Remove(j.place.header()))
}

func (j *Journal) hasHistory() bool { return len(j.entries) > 0 || j.attempts > 0 }

func historyMismatch() error { return mismatch("new dispatch intent already has effect history") }

// ErrNone says that a dispatch has no journal.
var ErrNone error = algal.Errorf(algal.IOFailed, "dispatch has no recovery journal")

// Open reads the journal of a dispatch and holds every record of it to the rules
// (§4). A dispatch without one is [ErrNone]. What is wrong with a document is a
// [*Fault]. Nothing is written.
func Open(engine Engine, d Dispatch) (*Journal, error) {
	j := &Journal{engine: engine, place: placeOf(d), seen: map[algal.Digest]bool{}}
	for _, dir := range j.place.directories(d.Process) {
		if err := engine.Directory(dir); err != nil {
			return nil, in(dir, err)
		}
	}
	for _, load := range []func() error{func() error { return j.loadHeader(d) }, j.loadEntries, j.loadAttempts} {
		if err := load(); err != nil {
			return nil, err
		}
	}
	return j, nil
}

func (j *Journal) loadHeader(d Dispatch) error {
	name := j.place.header()
	v, err := j.engine.Read(name, maxSmallBytes)
	switch {
	case err != nil:
		return in(name, err)
	case !v.Exists():
		return ErrNone
	}
	if j.header, err = ParseHeader(v); err != nil {
		return in(name, err)
	}
	if j.header.Dispatch != d {
		return in(name, mismatch("journal is bound to another dispatch"))
	}
	return nil
}

// scan lists a directory of numbered documents.
func (j *Journal) scan(dir string, limit int) ([]string, error) {
	at := dir
	names, err := j.engine.Scan(dir, limit, func(name string) bool {
		if !isNumbered(name) {
			at = dir + "/" + name // the one that will be refused
			return false
		}
		return true
	})
	return names, in(at, err)
}

func (j *Journal) loadEntries() error {
	names, err := j.scan(j.place.entries(), j.header.MaxEntries)
	if err != nil {
		return err
	}
	for i, name := range names {
		if name != numbered(i) {
			return in(j.place.entries()+"/"+name, mismatch("journal ordinal gap"))
		}
		e, err := j.loadEntry(i)
		if err != nil {
			return err
		}
		if i > 0 && !j.entries[i-1].Completed() {
			return in(j.place.entry(i), mismatch("journal contains effects after an unsettled operation"))
		}
		j.entries = append(j.entries, e)
	}
	return nil
}

func (j *Journal) loadEntry(ordinal int) (Effect, error) {
	name := j.place.entry(ordinal)
	v, err := j.engine.Read(name, maxSmallBytes)
	if err != nil {
		return Effect{}, in(name, err)
	}
	digest, err := ParseHead(v)
	if err != nil {
		return Effect{}, in(name, err)
	}
	r, err := j.load(digest, name)
	if err != nil {
		return Effect{}, err
	}
	if r.Intent != j.header.Intent || r.Ordinal != ordinal {
		return Effect{}, in(name, mismatch("effect belongs to another ordinal/intent"))
	}
	return Effect{digest, r}, j.walk(digest, r)
}

// load reads the record that the document by names.
func (j *Journal) load(d algal.Digest, by string) (*Record, error) {
	r, err := j.loadRecord(d)
	if err != nil {
		return nil, &Fault{Name: recordName(d), By: by, Err: err}
	}
	return r, nil
}

// loadRecord reads a record and counts its bytes the first time it is met.
func (j *Journal) loadRecord(d algal.Digest) (*Record, error) {
	v, err := j.engine.Read(recordName(d), MaxRecordBytes)
	if err != nil {
		return nil, err
	}
	if !v.Exists() || v.Digest() != d {
		return nil, mismatch("effect journal CAS mismatch")
	}
	if !j.seen[d] && j.bytes+v.Size() > MaxBytes {
		return nil, bytesExceeded()
	}
	r, err := ParseRecord(v)
	if err != nil {
		return nil, err
	}
	j.count(d, v.Size())
	return r, nil
}

func bytesExceeded() error {
	return algal.Errorf(algal.BudgetExhausted, "journal byte budget exceeded")
}

func (j *Journal) count(d algal.Digest, size int) {
	if !j.seen[d] {
		j.seen[d] = true
		j.bytes += size
	}
}

// walk follows the states of an effect back to the first and checks each step
// (§4).
func (j *Journal) walk(digest algal.Digest, child *Record) error {
	visited := []algal.Digest{digest}
	for child.Previous != "" {
		if len(visited) > 2*(j.header.MaxRecoveries+1) || slices.Contains(visited, child.Previous) {
			return in(recordName(digest), mismatch("journal chain bound/cycle"))
		}
		prior, err := j.load(child.Previous, recordName(digest))
		if err != nil {
			return err
		}
		if err := checkStep(prior, child); err != nil {
			return in(recordName(digest), err)
		}
		digest, child = child.Previous, prior
		visited = append(visited, digest)
	}
	if child.Completed() || child.Attempt != 0 {
		return in(recordName(digest), mismatch("invalid initial effect record"))
	}
	return nil
}

// checkStep checks that next may follow prior.
func checkStep(prior, next *Record) error {
	switch {
	case prior.Intent != next.Intent || prior.Ordinal != next.Ordinal || prior.Binding != next.Binding:
		return mismatch("journal binding changed")
	case prior.Completed():
		return mismatch("completed effect cannot dispatch again")
	case next.Completed() && next.Attempt != prior.Attempt:
		return mismatch("completion changed attempt")
	case !next.Completed() && (!next.Read || next.Attempt != prior.Attempt+1):
		return mismatch("unsafe effect retry transition")
	}
	return nil
}

// loadAttempts counts the recovery attempts (§4.1).
func (j *Journal) loadAttempts() error {
	names, err := j.scan(j.place.recoveries(), j.header.MaxRecoveries)
	if err != nil {
		return err
	}
	for i, name := range names {
		at := j.place.recoveries() + "/" + name
		if name != numbered(i+1) {
			return in(at, mismatch("recovery attempt gap"))
		}
		v, err := j.engine.Read(at, maxSmallBytes)
		if err != nil {
			return in(at, err)
		}
		if !canon.Equal(v, attemptValue(j.header.Intent, i+1)) {
			return in(at, mismatch("invalid recovery attempt"))
		}
	}
	j.attempts = len(names)
	for i, e := range j.entries {
		if e.Attempt > j.attempts {
			return in(j.place.entry(i), mismatch("effect has no admitted recovery attempt"))
		}
	}
	return nil
}
