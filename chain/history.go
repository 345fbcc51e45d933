package chain

import (
	"fmt"
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/runtime"
)

// Reader gives the objects of a history by digest. What it returns hashes to the
// digest, and a receipt's own digest member is right; how an absent or damaged
// object is reported is the reader's.
type Reader interface {
	Record(d algal.Digest) (canon.Value, error)
	Receipt(d algal.Digest) (canon.Value, error)
}

// History is a validated chain.
type History struct {
	Head     algal.Digest
	Records  []*Record // from the ready record to the head
	Digests  []algal.Digest
	Outcomes []Outcome // in chronological order
}

// Last returns the head record.
func (h *History) Last() *Record { return h.Records[len(h.Records)-1] }

// Outcome is a record that ended a dispatch, with its receipt.
type Outcome struct {
	*Record
	Value canon.Value // the receipt
}

// Fault is a failed validation with the place of the fault, for whoever shows it.
// Its error stands unchanged.
type Fault struct {
	Err        error
	Generation int // of the record at fault, -1 when it could not be read
	Digest     algal.Digest
}

func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the error itself.
func (f *Fault) Unwrap() error { return f.Err }

// Validate walks the chain that ends in head (process.md §5). head must hash to
// digest. The error is a [*Fault].
func Validate(digest algal.Digest, head canon.Value, reader Reader) (*History, error) {
	h := &History{Head: digest}
	if err := h.walk(digest, head, reader); err != nil {
		return nil, err
	}
	first := h.Records[0]
	if first.Status != Ready || first.Generation != 0 || first.Receipt != "" || first.Cause != "" || len(first.Wake) > 0 {
		return nil, &Fault{mismatch("invalid initial process record"), first.Generation, h.Digests[0]}
	}
	var checkpoint canon.Value // the receipt of the last outcome
	for i := 1; i < len(h.Records); i++ {
		prior, next := h.Records[i-1], h.Records[i]
		var err error
		if err = sameDefinition(first, next); err == nil {
			if next.Status == Uncertain {
				err = checkIntent(prior, next)
			} else {
				checkpoint, err = h.checkOutcome(prior, next, checkpoint, reader)
			}
		}
		if err != nil {
			return nil, &Fault{err, next.Generation, h.Digests[i]}
		}
	}
	return h, nil
}

// walk reads the records from the head back and puts them in order.
func (h *History) walk(digest algal.Digest, value canon.Value, reader Reader) error {
	for {
		r, err := ParseRecord(value)
		if err != nil {
			return &Fault{err, -1, digest}
		}
		if len(h.Records) == 0 && value.Digest() != digest {
			return &Fault{mismatch("process head digest mismatch"), r.Generation, digest}
		}
		h.Records, h.Digests = append(h.Records, r), append(h.Digests, digest)
		if r.Previous == "" {
			slices.Reverse(h.Records)
			slices.Reverse(h.Digests)
			return nil
		}
		if len(h.Records) == MaxRecords {
			return &Fault{mismatch("process history bound exceeded"), r.Generation, digest}
		}
		digest = r.Previous
		if value, err = reader.Record(digest); err != nil {
			return &Fault{err, -1, digest}
		}
	}
}

func sameDefinition(a, b *Record) error {
	if a.Name != b.Name || a.ManifestDigest != b.ManifestDigest || a.MaxGenerations != b.MaxGenerations || !canon.Equal(a.Args, b.Args) {
		return mismatch("process definition changed")
	}
	return nil
}

// checkIntent checks that next is a dispatch of prior (step 4.2).
func checkIntent(prior, next *Record) error {
	if prior.Status != Ready && prior.Status != Suspended || next.Generation != prior.Generation+1 ||
		next.Receipt != prior.Receipt || !slices.Equal(next.Wake, prior.Wake) {
		return mismatch("invalid dispatch intent")
	}
	fits := next.Cause == CauseStart
	if prior.Status == Suspended {
		fits = next.Cause == CauseManual || slices.Contains(prior.Wake, next.Cause)
	}
	if !fits {
		return mismatch("dispatch cause does not match prior wake")
	}
	return nil
}

// checkOutcome checks that next ends the dispatch prior (step 4.3) and returns its
// receipt. checkpoint is the receipt that prior carries, absent for the first.
func (h *History) checkOutcome(prior, next *Record, checkpoint canon.Value, reader Reader) (canon.Value, error) {
	if prior.Status != Uncertain || next.Status == Ready || next.Generation != prior.Generation || next.Receipt == "" || next.Cause != prior.Cause {
		return canon.Value{}, mismatch("invalid process completion transition")
	}
	receipt, err := ReadReceipt(reader, next.Receipt)
	if err != nil {
		return canon.Value{}, err
	}
	if receipt.Get("manifestDigest").Text() != string(next.ManifestDigest) || !canon.Equal(receipt.Get("args"), next.Args) ||
		!receipt.Get("outcome").IsText(string(next.Status)) || !slices.Equal(Wake(receipt), next.Wake) {
		return canon.Value{}, mismatch("process receipt does not match record")
	}
	if prior.Receipt != "" {
		if err := checkContinuation(checkpoint, receipt); err != nil {
			return canon.Value{}, err
		}
	}
	h.Outcomes = append(h.Outcomes, Outcome{next, receipt})
	return receipt, nil
}

// ReadReceipt reads and admits the receipt of a record.
func ReadReceipt(reader Reader, d algal.Digest) (canon.Value, error) {
	receipt, err := reader.Receipt(d)
	if err == nil {
		err = CheckBounds(receipt, MaxReceiptBytes)
	}
	if err == nil {
		err = runtime.ParseReceipt(receipt)
	}
	return receipt, err
}

// Wake returns the handles on which a suspended receipt waits, ascending (§5.1).
func Wake(receipt canon.Value) []string {
	var wake []string
	for _, e := range receipt.Get("effects").Elements() {
		if runtime.IsSuspended(e) {
			for _, handle := range e.Get("wake").Elements() {
				wake = append(wake, handle.Text())
			}
		}
	}
	slices.Sort(wake)
	return slices.Compact(wake)
}

// checkContinuation checks that a receipt begins as its checkpoint ended (§5.2):
// nothing that was settled may change.
func checkContinuation(checkpoint, receipt canon.Value) error {
	effects, at := receipt.Get("effects"), 0
	for _, e := range checkpoint.Get("effects").Elements() {
		if runtime.IsSuspended(e) {
			continue
		}
		if at >= effects.Len() || !canon.Equal(e, effects.At(at)) {
			return mismatch("process continuation changed completed effects")
		}
		at++
	}
	cells := receipt.Get("cells")
	for path, c := range checkpoint.Get("cells").Members() {
		settled := c.Get("status").IsText("committed") || c.Get("status").IsText("skipped")
		if settled && !canon.Equal(c, cells.Get(path)) {
			return mismatch("process continuation changed completed cells")
		}
	}
	return nil
}

// ReplayMismatch is the refusal of an outcome whose receipt does not replay (§10).
func ReplayMismatch(generation int, mismatches string) error {
	return mismatch(fmt.Sprintf("process generation %d does not replay: %s", generation, mismatches))
}
