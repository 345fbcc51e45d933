package hostdoc

import (
	"errors"
	"io/fs"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// Structure bounds of a host document, both inclusive (§3.1 step 6).
const (
	maxNodes = 100_000
	maxDepth = 64
)

// Read returns the value of a host document of at most bound bytes, the
// absent value when there is no such file (§3.1). White space and member order do
// not matter. A link, a special file and an oversized one are refused with
// IO_FAILED, malformed text with PARSE_FAILED, too much structure with
// BUDGET_EXHAUSTED.
func Read(path string, bound int) (canon.Value, error) {
	file, v, err := open(path, bound)
	if file != nil {
		file.Close()
	}
	return v, err
}

// open is Read with the file still open, so that it can be
// retained. The file is nil when there is none or it is refused.
func open(path string, bound int) (*durable.File, canon.Value, error) {
	file, err := durable.Open(path, bound, durable.NoFollow)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, canon.Value{}, nil
	}
	if err != nil {
		return nil, canon.Value{}, readFault(err)
	}
	v, err := parse(file)
	if err != nil {
		file.Close()
		return nil, canon.Value{}, err
	}
	return file, v, nil
}

func readFault(err error) error {
	var f *durable.Fault
	if errors.As(err, &f) {
		switch f.Kind {
		case durable.Irregular, durable.TooLarge:
			return algal.Errorf(algal.IOFailed, "host state file type or byte bound failed")
		case durable.Grown:
			return changedWhileReading()
		}
	}
	return err
}

func changedWhileReading() error {
	return algal.Errorf(algal.IOFailed, "host state changed while reading")
}

func parse(file *durable.File) (canon.Value, error) {
	if len(file.Text) != file.Size {
		return canon.Value{}, changedWhileReading()
	}
	v, err := canon.Parse(file.Text, canon.Limits{Depth: maxDepth, Nodes: maxNodes})
	var f *canon.Fault
	if errors.As(err, &f) {
		switch {
		case f.Kind == canon.FaultEncoding:
			return canon.Value{}, algal.Errorf(algal.ParseFailed, "host state contains invalid UTF-8")
		case f.Kind == canon.FaultOverflow:
			return canon.Value{}, notValue()
		case f.Bounds():
			return canon.Value{}, structureBound()
		}
	}
	return v, err
}

func structureBound() error {
	return algal.Errorf(algal.BudgetExhausted, "host state structure bound exceeded")
}

func notValue() error { return algal.Errorf(algal.ParseFailed, "host state is not a JSON value") }
