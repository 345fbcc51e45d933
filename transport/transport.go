// Package transport delivers bundles to a compiler that misses a manifest
// (bundle.md §4).
//
// A transport has a name, by which the cells of a program ask for it (their
// member via), and an id, by which messages speak of it. [Directory] looks for the
// file of a bundle in a directory, [HTTP] asks a web server, and [ParseConfig]
// makes either from the configuration file that names them.
//
// A transport is trusted with nothing. What it delivers enters a store only if
// all of it has the digests that it claims, so at worst a transport fails to
// deliver. Nothing is kept of a refused delivery, and nothing is cached: what was
// installed is found in the store the next time.
//
// Whether a transport is asked at all is decided by organism.Compile.
package transport

import (
	"errors"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
)

var (
	_ organism.Transport = (*Directory)(nil)
	_ organism.Transport = (*HTTP)(nil)
)

// labelOf returns how messages name the transport.
func labelOf(id string) string { return `transport "` + id + `"` }

// install admits what a transport found at source, a path or URL, when it was
// asked for root, and installs it. The faults of the bundle itself are reported as
// they are.
func install(text, label, source string, root algal.Digest, into cas.Store) error {
	b, err := bundle.ParseText(text)
	if _, malformed := errors.AsType[*canon.Fault](err); malformed {
		return algal.Errorf(algal.ParseFailed, "%s: %s is not JSON", label, source)
	}
	if err != nil {
		return err
	}
	if b.Root != root {
		return algal.Errorf(algal.DigestMismatch, "%s: %s roots at %s, not %s", label, source, b.Root, root)
	}
	_, _, err = b.Install(into)
	return err
}
