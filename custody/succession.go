//go:build unix

package custody

import (
	"crypto/rand"
	"encoding/hex"
	"path/filepath"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/hostdoc"
)

// succeed clears the way for the marker of a new owner. It may only be called
// under custody: a marker found then is that of an owner that died, and it is
// archived as evidence before it goes (§5).
func (f markerFile) succeed(files *durable.Publisher) error {
	marker, nonce, err := f.read()
	if err != nil {
		return f.obstacle(err)
	}
	if !marker.Exists() {
		return nil
	}
	names, err := hostdoc.List(files, f.archive, maxArchived, isArchived, hostdoc.RefuseOthers)
	if err == nil {
		err = f.admitArchive(names, nonce)
	}
	if err != nil {
		return f.archiveObstacle(err)
	}
	if err := hostdoc.Write(files, filepath.Join(f.archive, archivedName(nonce)), marker, maxMarker); err != nil {
		return err
	}
	return files.Unlink(durable.OpUnlinkLock, f.path)
}

// publish writes the marker of a new owner, with the temporary file in staging.
func (f markerFile) publish(files *durable.Publisher, staging string) (marker canon.Value, err error) {
	var random [nonceDigits / 2]byte
	rand.Read(random[:]) // never fails
	marker = f.value(hex.EncodeToString(random[:]))
	return marker, hostdoc.WriteVia(files, staging, f.path, marker, maxMarker)
}

// holds reports whether the file still has the given marker in it.
func (f markerFile) holds(marker canon.Value) (bool, error) {
	found, err := hostdoc.Read(f.path, maxMarker)
	return err == nil && canon.Equal(found, marker), err
}
