package command

import (
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// maxID is the longest executor name that a receipt can hold (run.md §12 step 5),
// in characters.
const maxID = 256

// ParseFile reads the content of an executors file (cli.md §2.3): an object of
// executor name to line of shell. It returns one executor per entry, in member
// order. They have default options whatever the command line says, since that is
// what their configuration digests are made of in every runtime (journal.md §6).
//
// Faults are PARSE_FAILED. Names are 1 to 256 characters long and do not begin
// with "tool:", which is how a receipt tells the effects of tools.
func ParseFile(v canon.Value) ([]*Executor, error) {
	if err := canon.AsObject(v, "executors file"); err != nil {
		return nil, err
	}
	executors := make([]*Executor, 0, v.Len())
	for name, line := range v.Members() {
		if name == "" || canon.Units(name) > maxID || strings.HasPrefix(name, "tool:") {
			return nil, algal.Errorf(algal.ParseFailed,
				`executors file entry "%s" must have a name of 1 to %d characters that does not begin with "tool:"`, name, maxID)
		}
		if line.Text() == "" {
			return nil, algal.Errorf(algal.ParseFailed, `executors file entry "%s" must be a non-empty shell command`, name)
		}
		e, err := New(line.Text(), Options{ID: name})
		if err != nil {
			return nil, algal.Errorf(algal.ParseFailed, `executors file entry "%s": %s`, name, err)
		}
		executors = append(executors, e)
	}
	return executors, nil
}
