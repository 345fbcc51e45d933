package check

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

const suffix = ".json"

// maxEntries bounds the listing of a directory: more than any store has.
const maxEntries = 1 << 30

func (e *examination) path(name string) string {
	return filepath.Join(e.root, filepath.FromSlash(name))
}

// name is the inverse of path.
func (e *examination) name(path string) string {
	name, err := filepath.Rel(e.root, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(name)
}

// entries lists a directory of the store in byte order and counts its regular
// files. A missing one is empty; one that cannot be listed is a finding of the
// given kind.
func (e *examination) entries(dir string, kind Kind) []fs.DirEntry {
	list, err := durable.Entries(e.path(dir), maxEntries, durable.NoFollow)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		e.report(Finding{Kind: kind, Path: dir, Advice: "cannot be listed: " + err.Error()})
		return nil
	}
	for _, d := range list {
		if !d.Type().IsRegular() {
			continue
		}
		if info, err := d.Info(); err == nil { // else it has just gone
			e.summary.Files++
			e.summary.Bytes += int(info.Size())
		}
	}
	return list
}

// document reads a JSON file of the store.
func (e *examination) document(name string, bound int) (v canon.Value, found bool, err error) {
	text, err := durable.Read(e.path(name), bound, durable.NoFollow)
	if errors.Is(err, fs.ErrNotExist) {
		return canon.Value{}, false, nil
	}
	if err != nil {
		return canon.Value{}, false, err
	}
	v, err = canon.Parse(text, canon.Limits{})
	return v, err == nil, err
}

// stranger reports an entry that belongs to nobody: what a publication left that
// was interrupted, or a foreign name. Neither is ever read.
func (e *examination) stranger(name string, d fs.DirEntry) {
	if d.Type().IsRegular() && isResidue(d.Name()) {
		e.report(Finding{Kind: Residue, Path: name, Advice: "left by an interrupted publication: it may be removed when nothing works on the store"})
		return
	}
	e.report(Finding{Kind: NameForeign, Path: name, Advice: "not a name of this place: nothing reads it"})
}

// isResidue reports whether a name is one that a publication of some runtime uses
// before its file is complete (store.md §1.2, process.md §8.4).
func isResidue(name string) bool {
	return strings.HasPrefix(name, ".tmp-") || strings.HasPrefix(name, ".head-") || strings.HasSuffix(name, ".tmp") || strings.Contains(name, ".algal-")
}

// digestOf returns the digest in the name of an object's file.
func digestOf(name string) (d algal.Digest, ok bool) {
	hex, ok := strings.CutSuffix(name, suffix)
	d = algal.Digest("sha256:" + hex)
	return d, ok && algal.IsDigest(string(d))
}
