//go:build unix

// Package disk keeps a store in a directory, in the layout and with the texts that
// all runtimes share (store.md).
//
// Under the root of a store lie the immutable objects, each in a file named after
// its digest: values/, manifests/ and runs/. effects/ holds the memo of effect
// answers, keyed by request, and slots/ the named cells. Directories are made when
// something is put; reading makes nothing, and what is not there reads as absent.
//
// Whatever comes from the disk is foreign: path, file type, size, text, structure
// and digest are checked on every read, in the order of store.md §4.3, and nothing
// that was read is kept. So damage shows as soon as it is met. A damaged object is
// never overwritten or removed: a put of the same object fails.
//
// An object counts as put when package durable has published it. A put that finds
// the file there reads and checks it, then makes it durable.
//
// The contract of effect receipts belongs to package runtime and is handed in.
// Process records are values, receipts and manifests to this package.
package disk

import (
	"path/filepath"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/durable"
)

// Options configures a [Store].
type Options struct {
	// Files publishes the files of the store. A process that publishes by other
	// ways too should use one publisher for all; nil makes a new one.
	Files *durable.Publisher

	// AdmitEffect admits an effect receipt and returns its normal form (run.md §12
	// step 5). Without it the effect memo cannot be used.
	AdmitEffect func(receipt canon.Value) (canon.Value, error)
}

// Store is a store in a directory. It is safe for concurrent use, also by several
// processes.
type Store struct {
	root        string
	files       *durable.Publisher
	admitEffect func(canon.Value) (canon.Value, error)
}

var _ cas.Store = (*Store)(nil)

// Open returns the store whose root is the given directory. Nothing is touched: a
// root that does not exist is an empty store.
func Open(root string, options Options) *Store {
	s := &Store{root: filepath.Clean(root), files: options.Files, admitEffect: options.AdmitEffect}
	if s.files == nil {
		s.files = durable.NewPublisher(durable.Options{})
	}
	if s.admitEffect == nil {
		s.admitEffect = func(canon.Value) (canon.Value, error) {
			return canon.Value{}, algal.Errorf(algal.Internal, "store was opened without an effect receipt contract")
		}
	}
	return s
}

// Bounds of documents in bytes, inclusive: the size of a file that is read, the
// canonical length of what is written (store.md §2).
const (
	maxObject = canon.MaxBytes
	maxSlot   = 262_144
)

// space is a directory of a store with the bound of the documents in it.
type space struct {
	name  string
	bound int
}

var (
	values    = space{"values", maxObject}
	manifests = space{"manifests", maxObject}
	runs      = space{"runs", maxObject}
	effects   = space{"effects", maxObject}
	slots     = space{"slots", maxSlot}
)

const suffix = ".json"

func (s *Store) directory(in space) string { return filepath.Join(s.root, in.name) }

func (s *Store) path(in space, name string) string {
	return filepath.Join(s.root, in.name, name+suffix)
}
