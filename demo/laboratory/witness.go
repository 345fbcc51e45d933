package laboratory

import (
	"path/filepath"
	"sync"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/process"
)

// witness watches the publications of a process: whenever its head is about to move,
// what the new head names must already be published, durably (process.md §8).
type witness struct {
	dir     string    // of the store
	process string    // its name
	store   cas.Store // for reading

	mu    sync.Mutex
	loose map[string]bool // files that were linked and whose directory was not synced since
	moves []canon.Value
}

// watch returns the witness of the process with that name in a store.
func watch(dir, name string) *witness {
	return &witness{dir: dir, process: name, store: disk.Open(dir, disk.Options{}), loose: map[string]bool{}}
}

// hook is the durable.Hook of the publisher that moves the head.
func (w *witness) hook(s durable.Step, do func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.Op == durable.OpReplace && s.Target == filepath.Join(w.dir, "processes", w.process, "head.json") {
		w.moves = append(w.moves, w.judge(s.Path))
	}
	err := do()
	switch {
	case err != nil:
	case s.Op == durable.OpLink:
		w.loose[s.Target] = true
	case s.Op == durable.OpDirSync:
		for file := range w.loose {
			if filepath.Dir(file) == s.Path {
				delete(w.loose, file)
			}
		}
	}
	return err
}

// judge looks at what a head names that is about to replace the current one: {head,
// record, receipt}, of which the last two say whether it is there to stay. A record
// that names no receipt is not short of one.
func (w *witness) judge(next string) canon.Value {
	head, record, receipt := canon.Null(), false, false
	if d, err := w.named(next); err == nil {
		head = canon.String(string(d))
		v, err := w.store.Value(d)
		r, malformed := chain.ParseRecord(v)
		if err == nil && malformed == nil {
			record = w.stays("values", d)
			receipt = r.Receipt == "" || w.receipt(r.Receipt)
		}
	}
	return canon.Object(canon.M("head", head), canon.M("record", canon.Bool(record)), canon.M("receipt", canon.Bool(receipt)))
}

// named returns the record that a head names.
func (w *witness) named(path string) (algal.Digest, error) {
	text, err := durable.Read(path, process.MaxHeadBytes, durable.NoFollow)
	if err != nil {
		return "", err
	}
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		return "", err
	}
	return process.ParseHead(v, w.process)
}

func (w *witness) receipt(d algal.Digest) bool {
	v, err := w.store.Receipt(d)
	return err == nil && v.Exists() && w.stays("runs", d)
}

// stays reports whether the name of an object that is there is durable.
func (w *witness) stays(space string, d algal.Digest) bool {
	return !w.loose[filepath.Join(w.dir, space, d.Hex()+".json")]
}

// value returns the moves of the head so far.
func (w *witness) value() canon.Value {
	w.mu.Lock()
	defer w.mu.Unlock()
	return canon.Array(w.moves...)
}
