package check

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/organism"
)

// Options says how a store is examined.
type Options struct {
	// Quick leaves out the hashing of objects that nothing examined needs.
	Quick bool
	// Verbose reports also what is otherwise only counted: foreign names, residues
	// and unreferenced objects.
	Verbose bool
	// Tools are the signatures of the custom tools that programs name. Those of the
	// mailbox tools are known.
	Tools map[string]*organism.Tool
}

// Store examines the store in a directory and calls visit with every finding, in
// an order that depends on nothing but the store. The objects come last, when it is
// known who needs them.
//
// What cannot be read is a finding. An error means that there is nothing to
// examine: no such directory is STORE_MISS, anything else in its place IO_FAILED.
// When ctx ends, its error is returned with what was counted so far.
func Store(ctx context.Context, dir string, options Options, visit func(Finding)) (Summary, error) {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Summary{}, algal.Errorf(algal.StoreMiss, "there is no store directory")
	case err != nil:
		return Summary{}, algal.Errorf(algal.IOFailed, "store directory cannot be examined: %v", errors.Unwrap(err))
	case !info.IsDir():
		return Summary{}, algal.Errorf(algal.IOFailed, "the store is not a directory")
	}
	e := &examination{
		root:    filepath.Clean(dir),
		options: options,
		visit:   visit,
		closed:  map[string]bool{},
		rights:  map[algal.Digest][]string{},
	}
	e.objects = newObjects(e)
	e.layout()
	for _, r := range rooms {
		if ctx.Err() != nil {
			return e.summary, ctx.Err()
		}
		r.examine(e, ctx)
	}
	return e.summary, ctx.Err()
}

// examination is one run over one store.
type examination struct {
	root    string
	options Options
	visit   func(Finding)
	summary Summary

	closed  map[string]bool           // rooms that are no directories
	objects *objects                  // what is known of the immutable objects
	rights  map[algal.Digest][]string // the capability records that mailboxes name, with the mailboxes
}

// room is a directory of a store with what is found when it is none.
type room struct {
	name    string
	kind    Kind
	examine func(*examination, context.Context)
}

// rooms are the directories that this version interprets (store.md §1), in the
// order in which they are examined.
var rooms []room

func init() {
	rooms = []room{
		{"processes", HeadDamaged, (*examination).processes},
		{".process-creation", CustodyUnknownLock, (*examination).processCreation},
		{"mailboxes", MailboxDamaged, (*examination).mailboxes},
		{".mailbox-admission", CustodyUnknownLock, (*examination).mailboxAdmission},
		{"capabilities", CapabilityDamaged, (*examination).capabilities},
		{"effects", MemoDamaged, (*examination).memos},
		{"slots", SlotDamaged, (*examination).slots},
		{values.dir(), ObjectNotRegular, objectsOf(values)},
		{manifests.dir(), ObjectNotRegular, objectsOf(manifests)},
		{runs.dir(), ObjectNotRegular, objectsOf(runs)},
	}
}

// layout looks at what lies directly in the store.
func (e *examination) layout() {
	known := map[string]Kind{}
	for _, r := range rooms {
		known[r.name] = r.kind
	}
	for _, d := range e.entries(".", PlaceUnknown) {
		name := d.Name()
		kind, isRoom := known[name]
		switch {
		case isRoom && !d.IsDir():
			e.closed[name] = true
			e.report(Finding{Kind: kind, Path: name, Advice: "is not a directory, and nothing in it is read: put the real directory in its place"})
		case isRoom:
		case d.IsDir():
			e.report(Finding{Kind: PlaceUnknown, Path: name, Advice: "a directory that this version does not interpret"})
		default:
			e.stranger(name, d)
		}
	}
}

// report counts a finding and hands it on.
func (e *examination) report(f Finding) {
	e.summary.count(f.Kind)
	if e.options.Verbose || !isCounted(f.Kind) {
		e.visit(f)
	}
}
