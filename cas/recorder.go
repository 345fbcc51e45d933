package cas

import (
	"sync"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Bounds of a recording (evidence.md §5 step 3), all inclusive.
const (
	maxRecordedManifests = 512
	maxRecordedValues    = 512 + 129 // the records of a chain are read as values
	maxRecordedReceipts  = 64
	maxRecordedMissing   = 512
	maxManifestBytes     = 1_048_576
	maxReceiptBytes      = 16_000_000
	maxRecordedNodes     = 1_000_000
)

// Recorder reads through to a source and keeps what was read: what evidence must
// hold is exactly what a replay looked up, and the misses. Writes, the effect memo
// and slots are sealed.
//
// A recording that fails fails for good, see [Recorder.Err]: the run under way may
// turn the error into a recorded failure and go on.
type Recorder struct {
	Sealed
	source Store

	mu      sync.Mutex
	found   [places]map[algal.Digest]canon.Value
	missing [places]map[algal.Digest]bool
	size    int
	err     error
}

// NewRecorder returns a recorder over source with nothing recorded.
func NewRecorder(source Store) *Recorder {
	r := &Recorder{source: source}
	for p := range places {
		r.found[p], r.missing[p] = map[algal.Digest]canon.Value{}, map[algal.Digest]bool{}
	}
	return r
}

// Value reads a value.
func (r *Recorder) Value(d algal.Digest) (canon.Value, error) {
	return r.record(values, d, r.source.Value)
}

// Manifest reads a manifest.
func (r *Recorder) Manifest(d algal.Digest) (canon.Value, error) {
	return r.record(manifests, d, r.source.Manifest)
}

// Receipt reads a receipt; one that is not there is a STORE_MISS.
func (r *Recorder) Receipt(d algal.Digest) (canon.Value, error) {
	return r.record(receipts, d, r.source.Receipt)
}

// Err returns the first failure of the recording itself, nil if it is complete.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Manifests returns the manifests read so far. The caller must not change it.
func (r *Recorder) Manifests() map[algal.Digest]canon.Value { return r.found[manifests] }

// Values returns the values read so far. The caller must not change it.
func (r *Recorder) Values() map[algal.Digest]canon.Value { return r.found[values] }

// Receipts returns the receipts read so far. The caller must not change it.
func (r *Recorder) Receipts() map[algal.Digest]canon.Value { return r.found[receipts] }

// MissingManifests returns the manifests that were looked up in vain.
func (r *Recorder) MissingManifests() map[algal.Digest]bool { return r.missing[manifests] }

// MissingValues returns the values that were looked up in vain.
func (r *Recorder) MissingValues() map[algal.Digest]bool { return r.missing[values] }

// Size returns the sum of the canonical sizes of everything recorded, in bytes.
func (r *Recorder) Size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.size
}

func (r *Recorder) record(p place, d algal.Digest, read func(algal.Digest) (canon.Value, error)) (canon.Value, error) {
	v, err := read(d)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		err = r.note(p, d, v)
	}
	if err != nil {
		if r.err == nil {
			r.err = err
		}
		return canon.Value{}, err
	}
	return v, nil
}

func (r *Recorder) note(p place, d algal.Digest, v canon.Value) error {
	if have, known := r.found[p][d]; known || r.missing[p][d] {
		if have.Exists() != v.Exists() || known && !canon.Equal(have, v) {
			return algal.Errorf(algal.ReceiptMismatch, "source dependency changed during evidence export")
		}
		return nil
	}
	if !v.Exists() {
		return r.noteMissing(p, d)
	}
	bound, most := recordedBounds(p)
	if v.Size() > bound || v.Depth() > canon.MaxDepth || v.Nodes() > maxRecordedNodes {
		return algal.Errorf(algal.BudgetExhausted, "source dependency %s exceeds %d bytes, depth %d or %d values", d, bound, canon.MaxDepth, maxRecordedNodes)
	}
	if v.Digest() != d {
		return algal.Errorf(algal.DigestMismatch, "source dependency digest mismatch")
	}
	if len(r.found[p]) == most {
		return algal.Errorf(algal.BudgetExhausted, "process evidence exceeds %d %s", most, placeNames[p])
	}
	if r.size += v.Size(); r.size > canon.MaxBytes {
		return algal.Errorf(algal.BudgetExhausted, "process evidence exceeds %d bytes", canon.MaxBytes)
	}
	r.found[p][d] = v
	return nil
}

func (r *Recorder) noteMissing(p place, d algal.Digest) error {
	if p == receipts {
		return algal.Errorf(algal.StoreMiss, "receipt %s is not in the store", d)
	}
	if len(r.missing[p]) == maxRecordedMissing {
		return algal.Errorf(algal.BudgetExhausted, "process evidence exceeds %d missing %s", maxRecordedMissing, placeNames[p])
	}
	r.missing[p][d] = true
	return nil
}

var placeNames = [places]string{"values", "manifests", "receipts"}

func recordedBounds(p place) (bytes, count int) {
	switch p {
	case manifests:
		return maxManifestBytes, maxRecordedManifests
	case receipts:
		return maxReceiptBytes, maxRecordedReceipts
	}
	return canon.MaxBytes, maxRecordedValues
}
