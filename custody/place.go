package custody

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
)

// Place is a custody directory and the label of its owners (§7). The label is part
// of the contract: whoever follows an owner that died must have the same one.
type Place struct {
	Dir   string
	Label string

	// Shared makes [Acquire] wait for a live owner, up to two seconds. Otherwise it
	// is refused at once.
	Shared bool
}

// Process is the place of one dispatch or recovery of the named process, from
// start to end.
func Process(root, name string) Place {
	return Place{Dir: filepath.Join(root, "processes", name), Label: name}
}

// MailboxAdmission is the place of the creation of any mailbox.
func MailboxAdmission(root string) Place {
	return Place{Dir: filepath.Join(root, ".mailbox-admission"), Label: "mailbox-admission"}
}

// ProcessCreation is the place of the creation of any process. Its lease alone is
// not enough; see [AcquireProcessCreation].
func ProcessCreation(root string) Place {
	return Place{Dir: filepath.Join(root, ".process-creation"), Label: "process-creation"}
}

// The names in a custody directory (§1). The database is created on first use and
// then kept for ever, never deleted, renamed or replaced.
const (
	databaseName = ".owner.sqlite"
	markerName   = ".lock"
	archiveName  = "owners"
)

// databaseSuffixes are those of the database file and of the side files that
// SQLite makes, in the order in which they are admitted.
var databaseSuffixes = []string{"", "-journal", "-wal", "-shm"}

// maxDatabase bounds the database file and each of its side files, in bytes.
const maxDatabase = 65_536

// Keeps reports whether an entry of a custody directory is custody's own. Other
// entries belong to whom the place protects.
func Keeps(e fs.DirEntry) bool {
	for _, suffix := range databaseSuffixes {
		if e.Name() == databaseName+suffix {
			return true
		}
	}
	return e.Name() == markerName || e.Name() == archiveName && e.IsDir()
}

// admitDatabase refuses files that SQLite must not touch (§2.1 step 2). It takes
// types and sizes from the directory and opens nothing (§2.5).
func admitDatabase(dir string) error {
	for _, suffix := range databaseSuffixes {
		path := filepath.Join(dir, databaseName+suffix)
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return &durable.Fault{Kind: durable.System, Op: durable.OpStat, Path: path, Err: errors.Unwrap(err)}
		case !info.Mode().IsRegular() || info.Size() > maxDatabase:
			return algal.Errorf(algal.IOFailed, "invalid owner database file")
		}
	}
	return nil
}
