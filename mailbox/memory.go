package mailbox

import (
	"context"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
)

// Memory is an [Engine] that keeps everything in memory, for tests and for hosts
// without a disk. Its [Memory.Admit] is the [Admission] that goes with it. The
// rules are those of the disk, locks included, where the volatile driver of §12
// has fewer.
type Memory struct {
	mu       sync.Mutex
	records  map[string]string
	dirs     map[string]map[string]fs.FileMode // the entries of each directory
	locks    map[string]bool
	admitted bool // a creation is under way
}

// NewMemory returns an empty engine.
func NewMemory() *Memory {
	return &Memory{
		records: map[string]string{},
		dirs:    map[string]map[string]fs.FileMode{".": {}},
		locks:   map[string]bool{},
	}
}

// Admit is the admission of creations in this memory. It never waits.
func (m *Memory) Admit(context.Context) (release func() error, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.admitted {
		return nil, algal.Errorf(algal.IOFailed, "host lease is held by another live operation")
	}
	m.admitted = true
	return m.dismiss, nil
}

func (m *Memory) dismiss() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.admitted = false
	return nil
}

// Guard refuses nothing: memory has no links.
func (m *Memory) Guard(...string) error { return nil }

// Read returns the text of a record.
func (m *Memory) Read(name string) (text string, found bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, found = m.records[name]
	return text, found, nil
}

// Retain lets judge look at a record. There is nothing to make durable.
func (m *Memory) Retain(name string, judge func(text string) error) (found bool, err error) {
	text, found, _ := m.Read(name)
	if !found {
		return false, nil
	}
	return true, judge(text)
}

// Create keeps a record unless its name is taken.
func (m *Memory) Create(name, text string) (fresh bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.records[name]; taken {
		return false, nil
	}
	m.put(name, text)
	return true, nil
}

// Replace keeps a record in the place of the one that has the name.
func (m *Memory) Replace(name, text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(name, text)
	return nil
}

func (m *Memory) put(name, text string) {
	m.enter(name, 0)
	m.records[name] = text
}

// enter makes a name an entry of its directory.
func (m *Memory) enter(name string, mode fs.FileMode) {
	dir := path.Dir(name)
	m.ensure(dir)
	m.dirs[dir][path.Base(name)] = mode
}

// Remove takes a record away.
func (m *Memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, found := m.records[name]; !found {
		return missing("remove", name)
	}
	delete(m.records, name)
	delete(m.dirs[path.Dir(name)], path.Base(name))
	return nil
}

// Directory reports whether the name is that of a directory.
func (m *Memory) Directory(name string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dirs[name] != nil, nil
}

// Ensure makes a directory and those above it.
func (m *Memory) Ensure(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ensure(name)
	return nil
}

func (m *Memory) ensure(dir string) {
	if m.dirs[dir] == nil {
		m.dirs[dir] = map[string]fs.FileMode{}
		m.enter(dir, fs.ModeDir)
	}
}

// Scan visits the entries of a directory in byte order of their names.
func (m *Memory) Scan(dir string, bound int, visit func(name string, mode fs.FileMode) error) error {
	entries := m.entries(dir)
	if len(entries) > bound {
		return &durable.Fault{Kind: durable.TooMany, Op: durable.OpRead, Path: dir, Bound: bound}
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if err := visit(name, entries[name]); err != nil {
			return err
		}
	}
	return nil
}

func (m *Memory) entries(dir string) map[string]fs.FileMode {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.dirs[dir])
}

// Lock takes a lock unless somebody has it.
func (m *Memory) Lock(name string) (taken bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locks[name] {
		return false, nil
	}
	m.locks[name] = true
	return true, nil
}

// Unlock gives a lock up.
func (m *Memory) Unlock(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.locks[name] {
		return missing("unlock", name)
	}
	delete(m.locks, name)
	return nil
}

// Locked reports whether somebody has the lock.
func (m *Memory) Locked(name string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.locks[name], nil
}

func missing(op durable.Op, name string) error {
	return &durable.Fault{Kind: durable.System, Op: op, Path: name, Err: fs.ErrNotExist}
}
