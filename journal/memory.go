package journal

import (
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// The bounds on the structure of a host document (custody.md §3.1), inclusive.
const (
	maxDocumentNodes = 100_000
	maxDocumentDepth = 64
)

// Memory is an [Engine] that keeps everything in memory, for tests and for hosts
// without a disk. It has neither links nor leftovers of publications.
type Memory struct {
	mu        sync.Mutex
	documents map[string]canon.Value
	dirs      map[string]map[string]bool // the names in each directory; true for a directory's
}

// NewMemory returns an empty engine.
func NewMemory() *Memory {
	return &Memory{documents: map[string]canon.Value{}, dirs: map[string]map[string]bool{".": {}}}
}

// Directory refuses the name of a document.
func (m *Memory) Directory(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.checkDirectory(name)
}

func (m *Memory) checkDirectory(name string) error {
	if _, taken := m.documents[name]; taken {
		return algal.Errorf(algal.IOFailed, "publication directory must be a real directory")
	}
	return nil
}

// Ensure makes a directory and those above it.
func (m *Memory) Ensure(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ensure(name)
}

func (m *Memory) ensure(dir string) error {
	if m.dirs[dir] != nil {
		return nil
	}
	if err := m.checkDirectory(dir); err != nil {
		return err
	}
	up := path.Dir(dir)
	if err := m.ensure(up); err != nil {
		return err
	}
	m.dirs[dir] = map[string]bool{}
	m.dirs[up][path.Base(dir)] = true
	return nil
}

// Read returns a document.
func (m *Memory) Read(name string, bound int) (canon.Value, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.read(name, bound)
}

func (m *Memory) read(name string, bound int) (canon.Value, error) {
	v := m.documents[name]
	if m.dirs[name] != nil || v.Size() > bound {
		return canon.Value{}, algal.Errorf(algal.IOFailed, "host state file type or byte bound failed")
	}
	return v, nil
}

// Write keeps a document unless there is one.
func (m *Memory) Write(name string, v canon.Value, bound int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	have, err := m.admit(name, v, bound)
	switch {
	case err != nil:
		return err
	case !have.Exists():
		return m.put(name, v)
	case !canon.Equal(have, v):
		return algal.Errorf(algal.DigestMismatch, "immutable host state conflicts")
	}
	return nil
}

// Replace keeps a document in the place of the one that has the name.
func (m *Memory) Replace(name string, v canon.Value, bound int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.admit(name, v, bound); err != nil {
		return err
	}
	return m.put(name, v)
}

// Remove takes a document away.
func (m *Memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.documents, name)
	delete(m.dirs[path.Dir(name)], path.Base(name))
	return nil
}

// admit holds a document to the bounds and returns the one that has the name.
func (m *Memory) admit(name string, v canon.Value, bound int) (have canon.Value, err error) {
	switch {
	case !v.Exists():
		return canon.Value{}, algal.Errorf(algal.ParseFailed, "host state is not a JSON value")
	case v.Depth() > maxDocumentDepth || v.Nodes() > maxDocumentNodes:
		return canon.Value{}, algal.Errorf(algal.BudgetExhausted, "host state structure bound exceeded")
	case v.Size() > bound:
		return canon.Value{}, algal.Errorf(algal.BudgetExhausted, "host state byte bound exceeded")
	}
	return m.read(name, bound)
}

func (m *Memory) put(name string, v canon.Value) error {
	dir := path.Dir(name)
	if err := m.ensure(dir); err != nil {
		return err
	}
	m.documents[name] = v
	m.dirs[dir][path.Base(name)] = false
	return nil
}

// Scan returns the names in a directory that match.
func (m *Memory) Scan(dir string, limit int, match func(name string) bool) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	entries := m.dirs[dir]
	if len(entries) > 2*limit+16 {
		return nil, algal.Errorf(algal.BudgetExhausted, "host state directory scan bound exceeded")
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		switch {
		case entries[name]:
			return nil, algal.Errorf(algal.IOFailed, "unexpected host state entry type")
		case !match(name):
			return nil, algal.Errorf(algal.IOFailed, "unexpected host state entry")
		case len(names) == limit:
			return nil, algal.Errorf(algal.BudgetExhausted, "host state entry bound exceeded")
		}
		names = append(names, name)
	}
	return names, nil
}
