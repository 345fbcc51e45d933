package process

import (
	"errors"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// kind is a place of immutable objects, named as its directory.
type kind string

const (
	values    kind = "values"
	manifests kind = "manifests"
	runs      kind = "runs"
)

func (k kind) name(d algal.Digest) string { return string(k) + "/" + d.Hex() + ".json" }

func (k kind) bound() int {
	switch k {
	case manifests:
		return chain.MaxManifestBytes
	case runs:
		return chain.MaxReceiptBytes
	}
	return chain.MaxRecordBytes
}

// objects reads and publishes the objects of processes (process.md §5, §8.4).
type objects struct{ engine Engine }

// read returns an object whose value hashes to its name. The file need not be in
// canonical form.
func (o objects) read(k kind, d algal.Digest) (canon.Value, error) {
	v, found, err := o.document(k.name(d), k.bound())
	switch {
	case err != nil:
	case !found:
		err = algal.Errorf(algal.StoreMiss, "missing process %s object", k)
	case v.Digest() != d:
		err = algal.Errorf(algal.ReceiptMismatch, "process CAS digest mismatch")
	default:
		return v, nil
	}
	return canon.Value{}, &FileFault{k.name(d), err}
}

// FileFault is a refusal of a file of a process, or of one that is not there. Its
// sentence is that of the contract and names no file.
type FileFault struct {
	Name string // relative to the store
	Err  error
}

func (f *FileFault) Error() string { return f.Err.Error() }

// Unwrap returns the refusal itself.
func (f *FileFault) Unwrap() error { return f.Err }

// document reads a bounded JSON file.
func (o objects) document(name string, bound int) (v canon.Value, found bool, err error) {
	text, found, err := o.engine.ReadBounded(name, bound)
	if err != nil || !found {
		return canon.Value{}, false, worded(err)
	}
	v, err = parse(text, bound)
	return v, err == nil, err
}

func parse(text string, bound int) (canon.Value, error) {
	v, err := canon.Parse(text, canon.Limits{Bytes: bound, Nodes: chain.MaxNodes})
	if err == nil {
		return v, chain.CheckBounds(v, bound)
	}
	if algal.CodeOf(err) == algal.BudgetExhausted {
		return v, algal.Errorf(algal.BudgetExhausted, "process JSON depth/count exceeded")
	}
	return v, algal.Errorf(algal.ParseFailed, "process file is not UTF-8 JSON")
}

// worded gives what an engine refuses the texts of the contract (process.md §7).
func worded(err error) error {
	var f *durable.Fault
	if !errors.As(err, &f) {
		return err
	}
	switch f.Kind {
	case durable.Symlink:
		return &edge{algal.Errorf(algal.IOFailed, "process symlinks are not admitted"), err}
	case durable.Irregular, durable.TooLarge, durable.Grown:
		return &edge{algal.Errorf(algal.BudgetExhausted, "process file type/byte bound exceeded"), err}
	}
	return err
}

// edge is a worded error that still knows the fault, whose path the edge of a
// command may show.
type edge struct {
	words *algal.Error
	cause error
}

func (e *edge) Error() string { return e.words.Message }

// Unwrap returns the words first: they decide the code.
func (e *edge) Unwrap() []error { return []error{e.words, e.cause} }

// publish makes an object durable under its digest. One that is there already must
// be the same value and is made durable as it is; a damaged one fails.
func (o objects) publish(k kind, v canon.Value) (algal.Digest, error) {
	if err := chain.CheckBounds(v, k.bound()); err != nil {
		return "", err
	}
	d := v.Digest()
	fresh, err := o.engine.Create(k.name(d), v.String())
	if err != nil {
		return "", worded(err)
	}
	if fresh {
		_, err := o.read(k, d)
		return d, err
	}
	found, err := o.engine.Retain(k.name(d), func(text string) error {
		have, err := parse(text, k.bound())
		if err == nil && have.Digest() != d {
			err = algal.Errorf(algal.ReceiptMismatch, "process CAS digest mismatch")
		}
		return err
	})
	if err == nil && !found {
		err = algal.Errorf(algal.IOFailed, "published process object %s is missing", d)
	}
	return d, worded(err)
}

// Record reads a record of a chain.
func (o objects) Record(d algal.Digest) (canon.Value, error) { return o.read(values, d) }

// Receipt reads a receipt of a chain and checks its own digest.
func (o objects) Receipt(d algal.Digest) (canon.Value, error) {
	v, err := o.read(runs, d)
	if err == nil && !runtime.CheckDigest(v) {
		err = algal.Errorf(algal.DigestMismatch, "process receipt digest mismatch")
	}
	return v, err
}

// manifest reads and admits the program of a process.
func (o objects) manifest(d algal.Digest) (*organism.Manifest, error) {
	v, err := o.read(manifests, d)
	if err != nil {
		return nil, err
	}
	m, err := organism.ParseManifest(v.Sorted())
	if err == nil && m.Digest() != d {
		err = algal.Errorf(algal.ReceiptMismatch, "process CAS digest mismatch")
	}
	return m, err
}
