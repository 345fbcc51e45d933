package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/runtime"
)

// defaultDir is the store directory of cli.md §1.2.
const defaultDir = ".algal"

// store is the store of a command. What it finds wrong with a file it also tells
// the operator, with the path: the message of the error may land in a receipt and
// names none.
type store struct {
	*disk.Store
	dir   string
	files *durable.Publisher
	note  func(format string, args ...any)

	mu   sync.Mutex
	told map[string]bool
}

var _ cas.Store = (*store)(nil)

// openStore returns the store at a directory. Nothing is touched.
func openStore(dir string, s *streams) *store {
	files := durable.NewPublisher(durable.Options{})
	return &store{
		Store: disk.Open(dir, disk.Options{Files: files, AdmitEffect: admitEffect}),
		dir:   dir,
		files: files,
		note:  s.note,
		told:  map[string]bool{},
	}
}

// admitEffect is the contract of the effect memo: the normal form of an effect
// receipt is the receipt.
func admitEffect(receipt canon.Value) (canon.Value, error) {
	return receipt, runtime.ParseEffect(receipt)
}

// The directories of a store.
const (
	valuesDir    = "values"
	manifestsDir = "manifests"
	runsDir      = "runs"
	effectsDir   = "effects"
	slotsDir     = "slots"
)

func (s *store) Value(d algal.Digest) (canon.Value, error) {
	v, err := s.Store.Value(d)
	return v, s.object(valuesDir, d, err)
}

func (s *store) PutValue(v canon.Value) (algal.Digest, error) {
	d, err := s.Store.PutValue(v)
	return d, s.put(valuesDir, v, err)
}

func (s *store) Manifest(d algal.Digest) (canon.Value, error) {
	v, err := s.Store.Manifest(d)
	return v, s.object(manifestsDir, d, err)
}

func (s *store) PutManifest(normal canon.Value) (algal.Digest, error) {
	d, err := s.Store.PutManifest(normal)
	return d, s.put(manifestsDir, normal, err)
}

func (s *store) Receipt(d algal.Digest) (canon.Value, error) {
	v, err := s.Store.Receipt(d)
	return v, s.object(runsDir, d, err)
}

func (s *store) PutReceipt(receipt canon.Value) (algal.Digest, error) {
	d, err := s.Store.PutReceipt(receipt)
	return d, s.put(runsDir, receipt, err)
}

func (s *store) Effect(identity string, request algal.Digest) (canon.Value, error) {
	v, err := s.Store.Effect(identity, request)
	return v, s.memo(identity, request, err)
}

func (s *store) PutEffect(identity string, receipt canon.Value) error {
	err := s.Store.PutEffect(identity, receipt)
	return s.memo(identity, algal.Digest(receipt.Get("requestDigest").Text()), err)
}

func (s *store) Slot(name string) (canon.Value, error) {
	v, err := s.Store.Slot(name)
	return v, s.slot(name, err)
}

func (s *store) SetSlot(name string, v canon.Value) error {
	return s.slot(name, s.Store.SetSlot(name, v))
}

// object tells about an object that could not be read or written.
func (s *store) object(space string, d algal.Digest, err error) error {
	if err != nil && algal.IsDigest(string(d)) {
		s.tell(space, d.Hex(), string(d), err)
	}
	return err
}

func (s *store) put(space string, v canon.Value, err error) error {
	if err != nil && v.Exists() {
		s.tell(space, v.Digest().Hex(), string(v.Digest()), err)
	}
	return err
}

func (s *store) memo(identity string, request algal.Digest, err error) error {
	if err != nil && algal.IsDigest(string(request)) {
		s.tell(effectsDir, cas.EffectKey(identity, request).Hex(), "the memo of request "+string(request), err)
	}
	return err
}

func (s *store) slot(name string, err error) error {
	if err != nil && filepath.IsLocal(name) {
		s.tell(slotsDir, name, "slot "+name, err)
	}
	return err
}

// tell says once which file is at fault and what is wrong with it. A refusal that
// is about no file is left to the error line.
func (s *store) tell(space, name, subject string, err error) {
	sentence := s.sentence(space, name, subject, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if sentence != "" && !s.told[sentence] {
		s.told[sentence] = true
		s.note("store: %s", sentence)
	}
}

func (s *store) sentence(space, name, subject string, err error) string {
	if fault, ok := errors.AsType[*durable.Fault](err); ok {
		return absolute(fault.Path) + ", for " + subject + ": " + fault.Error()
	}
	path := filepath.Join(s.dir, space, name+".json")
	for _, at := range []string{s.dir, filepath.Join(s.dir, space), path} {
		if kind := oddity(at, at == path); kind != "" {
			return absolute(at) + " is " + kind + ", needed for " + subject
		}
	}
	if _, missing := os.Lstat(path); missing != nil {
		return ""
	}
	return absolute(path) + ", the file of " + subject + ": " + err.Error()
}

// oddity says what a path is if it is not the file or directory that it should be,
// "" if it is or is not there.
func oddity(path string, file bool) string {
	info, err := os.Lstat(path)
	if err != nil || file && info.Mode().IsRegular() || !file && info.IsDir() {
		return ""
	}
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode.IsRegular():
		return "a file"
	}
	return "neither a file nor a directory"
}
