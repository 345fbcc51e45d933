package hostdoc

import (
	"errors"
	"io/fs"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
)

// Others says what becomes of names that a listing does not look for.
type Others bool

// Names that do not match are refused, or passed over.
const (
	RefuseOthers Others = false
	SkipOthers   Others = true
)

// Scan returns the names in dir that match, in byte order, none when dir
// does not exist (§3.3). It writes nothing.
//
// Only regular files are admitted. Leftovers of publications are passed over but
// count towards the physical bound, 2·limit+16 entries. That bound and more than
// limit names are BUDGET_EXHAUSTED, a foreign entry IO_FAILED.
func Scan(dir string, limit int, match func(name string) bool, others Others) ([]string, error) {
	entries, err := durable.Entries(dir, 2*limit+16, durable.NoFollow)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, scanFault(err)
	}
	var names []string
	for _, e := range entries {
		switch {
		case !e.Type().IsRegular():
			return nil, algal.Errorf(algal.IOFailed, "unexpected host state entry type")
		case durable.IsTemp(e.Name()):
		case match(e.Name()):
			names = append(names, e.Name())
		case others == RefuseOthers:
			return nil, algal.Errorf(algal.IOFailed, "unexpected host state entry")
		}
		if len(names) > limit {
			return nil, algal.Errorf(algal.BudgetExhausted, "host state entry bound exceeded")
		}
	}
	return names, nil
}

func scanFault(err error) error {
	var f *durable.Fault
	if errors.As(err, &f) && f.Kind == durable.TooMany {
		return algal.Errorf(algal.BudgetExhausted, "host state directory scan bound exceeded")
	}
	return err
}
