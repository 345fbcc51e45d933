package custody

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/hostdoc"
)

// Contract names the form of markers and of the database, whatever a custody
// directory protects (§1.1).
const Contract = "algal.process-owner.v2"

const (
	maxMarker   = 4_096 // bytes of a marker, inclusive
	maxArchived = 256   // markers of dead owners in one archive
	nonceDigits = 64
)

// markerFile is a file that says who owns something, with the directory that
// keeps the markers of owners that died. There are two kinds: the owner's marker
// of a custody directory, and the one that stops older runtimes (§7.2).
type markerFile struct {
	path     string
	archive  string
	contract string
	process  canon.Value // the label of the owners; absent when this kind has none

	// The refusals of this kind.
	foreign string // not a marker of this kind
	full    string // the archive holds no more
	opaque  bool   // a marker that cannot be read is foreign too
}

// ownerMarker is the marker of a custody directory (§3).
func ownerMarker(dir, label string) markerFile {
	return markerFile{
		path:     filepath.Join(dir, markerName),
		archive:  filepath.Join(dir, archiveName),
		contract: Contract,
		process:  canon.String(label),
		foreign:  "legacy process lease requires operator reconciliation",
		full:     "owner recovery evidence limit exceeded",
	}
}

// interlock is the marker that holds processes/.lock, which older runtimes take for
// their lock (§7.2).
func interlock(root string) markerFile {
	return markerFile{
		path:     filepath.Join(root, "processes", markerName),
		archive:  filepath.Join(ProcessCreation(root).Dir, "creation-owners"),
		contract: "algal.process-creation-owner.v1",
		foreign:  "legacy process creation lease requires operator reconciliation",
		full:     "creation recovery evidence limit exceeded",
		opaque:   true,
	}
}

// value returns the marker with the given nonce.
func (f markerFile) value(nonce string) canon.Value {
	return canon.Object(
		canon.M("contract", canon.String(f.contract)),
		canon.M("nonce", canon.String(nonce)),
		canon.M("process", f.process),
	)
}

// read returns the marker that is there and its nonce, the absent value when
// there is none. Whatever is not a marker of this kind is refused; it stays where
// it is, for an operator.
func (f markerFile) read() (marker canon.Value, nonce string, err error) {
	marker, err = hostdoc.Read(f.path, maxMarker)
	if err != nil && f.opaque {
		return canon.Value{}, "", f.refusal()
	}
	if err != nil || !marker.Exists() {
		return canon.Value{}, "", err
	}
	nonce = marker.Get("nonce").Text()
	if !isNonce(nonce) || !canon.Equal(marker, f.value(nonce)) {
		return canon.Value{}, "", f.refusal()
	}
	return marker, nonce, nil
}

func (f markerFile) refusal() error { return algal.Errorf(algal.IOFailed, "%s", f.foreign) }

// admitArchive refuses a marker more than the archive may hold (§5 step 2).
func (f markerFile) admitArchive(names []string, nonce string) error {
	if len(names) == maxArchived && !slices.Contains(names, archivedName(nonce)) {
		return algal.Errorf(algal.BudgetExhausted, "%s", f.full)
	}
	return nil
}

const archivedSuffix = ".json"

func archivedName(nonce string) string { return nonce + archivedSuffix }

func isArchived(name string) bool {
	nonce, found := strings.CutSuffix(name, archivedSuffix)
	return found && isNonce(nonce)
}

func isNonce(s string) bool {
	return len(s) == nonceDigits && strings.Trim(s, "0123456789abcdef") == ""
}
