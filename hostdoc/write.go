//go:build unix

package hostdoc

import (
	"path/filepath"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// Write publishes a host document that never changes (§3.2). A file that
// has the name already must hold the same value, in whatever spelling, and is then
// made durable as it is; another value there is DIGEST_MISMATCH. A value beyond
// the structure bounds or of more than bound canonical bytes is BUDGET_EXHAUSTED,
// the absent value PARSE_FAILED.
func Write(files *durable.Publisher, path string, v canon.Value, bound int) error {
	return WriteVia(files, filepath.Dir(path), path, v, bound)
}

// WriteVia is [Write] with the temporary file in the directory staging, for a
// directory whose listings admit no foreign name.
func WriteVia(files *durable.Publisher, staging, path string, v canon.Value, bound int) error {
	if err := checkBounds(v, bound); err != nil {
		return err
	}
	if found, err := retain(files, path, v, bound); found || err != nil {
		return err
	}
	fresh, err := files.CreateVia(staging, path, v.String())
	if fresh || err != nil {
		return err
	}
	found, err := retain(files, path, v, bound)
	if !found && err == nil {
		return algal.Errorf(algal.IOFailed, "host state publication disappeared")
	}
	return err
}

// retain makes an existing document durable that holds v, and reports
// whether there is one.
func retain(files *durable.Publisher, path string, v canon.Value, bound int) (found bool, err error) {
	file, existing, err := open(path, bound)
	if file == nil {
		return false, err
	}
	defer file.Close()
	if !canon.Equal(existing, v) {
		return true, algal.Errorf(algal.DigestMismatch, "immutable host state conflicts")
	}
	return true, files.Retain(file)
}

// Replace publishes a host document in the place of the one that has the
// name (§3.2). The bounds are those of [Write]. A file that
// [Read] refuses is not replaced.
func Replace(files *durable.Publisher, path string, v canon.Value, bound int) error {
	if err := checkBounds(v, bound); err != nil {
		return err
	}
	if _, err := Read(path, bound); err != nil {
		return err
	}
	return files.Replace(path, v.String())
}

func checkBounds(v canon.Value, bound int) error {
	if !v.Exists() {
		return notValue()
	}
	if v.Depth() > maxDepth || v.Nodes() > maxNodes {
		return structureBound()
	}
	if v.Size() > bound {
		return algal.Errorf(algal.BudgetExhausted, "host state byte bound exceeded")
	}
	return nil
}

// List makes dir if it is missing and returns its names that match
// (§3.3); see [Scan].
func List(files *durable.Publisher, dir string, limit int, match func(name string) bool, others Others) ([]string, error) {
	if _, err := files.Ensure(dir); err != nil {
		return nil, err
	}
	return Scan(dir, limit, match, others)
}
