package laboratory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
)

// TestWitness moves the head of a finished process to its outcome again, each time
// with something that is not there, or not there to stay.
func TestWitness(t *testing.T) {
	const both, lost, short = `"receipt":true,"record":true`, `"receipt":false,"record":false`, `"receipt":false,"record":true`
	for name, c := range map[string]struct {
		alter func(w *witness, record, receipt string) error
		want  string
	}{
		"everything there":     {func(*witness, string, string) error { return nil }, both},
		"no receipt":           {func(_ *witness, _, receipt string) error { return os.Remove(receipt) }, short},
		"another receipt":      {func(_ *witness, _, receipt string) error { return os.WriteFile(receipt, []byte("{}"), 0o600) }, short},
		"no record":            {func(_ *witness, record, _ string) error { return os.Remove(record) }, lost},
		"another record":       {func(_ *witness, record, _ string) error { return os.WriteFile(record, []byte("{}"), 0o600) }, lost},
		"a receipt not synced": {func(w *witness, _, receipt string) error { return w.linked(receipt) }, short},
		"a record not synced":  {func(w *witness, record, _ string) error { return w.linked(record) }, `"receipt":true,"record":false`},
		"synced after all":     {func(w *witness, _, receipt string) error { return errors.Join(w.linked(receipt), w.synced(receipt)) }, both},
		"another directory synced": {func(w *witness, record, receipt string) error {
			return errors.Join(w.linked(receipt), w.synced(record))
		}, short},
		"linked in vain": {func(w *witness, _, receipt string) error {
			w.hook(durable.Step{Op: durable.OpLink, Target: receipt}, func() error { return os.ErrExist })
			return nil
		}, both},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			outcome := finished(t, dir)
			w := watch(dir, "p")
			object := func(space string, d algal.Digest) string { return filepath.Join(dir, space, d.Hex()+".json") }
			if err := c.alter(w, object("values", outcome.Digest), object("runs", outcome.Record.Receipt)); err != nil {
				t.Fatal(err)
			}
			head := filepath.Join(dir, "processes", "p", "head.json")
			text, err := os.ReadFile(head)
			if err != nil {
				t.Fatal(err)
			}
			if err := durable.NewPublisher(durable.Options{Hook: w.hook}).Replace(head, string(text)); err != nil {
				t.Fatal(err)
			}
			if want := `[{"head":"` + string(outcome.Digest) + `",` + c.want + `}]`; w.value().String() != want {
				t.Errorf("got %v, want %s", w.value(), want)
			}
		})
	}
}

// TestWitnessUnreadable: a head that names nothing is not passed over.
func TestWitnessUnreadable(t *testing.T) {
	dir := t.TempDir()
	w := watch(dir, "p")
	files := durable.NewPublisher(durable.Options{Hook: w.hook})
	for _, text := range []string{"", "{}", strings.Repeat(" ", process.MaxHeadBytes+1)} {
		if err := files.Replace(filepath.Join(dir, "processes", "p", "head.json"), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Replace(filepath.Join(dir, "processes", "q", "head.json"), "{}"); err != nil {
		t.Fatal(err)
	}
	const nothing = `{"head":null,"receipt":false,"record":false}`
	if got := w.value().String(); got != "["+nothing+","+nothing+","+nothing+"]" {
		t.Errorf("%s", got)
	}
}

func (w *witness) linked(file string) error {
	return w.hook(durable.Step{Op: durable.OpLink, Target: file}, func() error { return nil })
}

func (w *witness) synced(file string) error {
	return w.hook(durable.Step{Op: durable.OpDirSync, Path: filepath.Dir(file)}, func() error { return nil })
}

// finished returns a process that ran to its end.
func finished(t *testing.T, dir string) *process.Snapshot {
	t.Helper()
	v, err := canon.Parse(`{"contract":"algal.organism.v1","key":"organism:one","name":"One","cells":[{"id":"one","kind":"const","outputs":{"out":{"type":"json","value":1}}}],"edges":[]}`, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := organism.ParseManifest(v)
	if err != nil {
		t.Fatal(err)
	}
	store := disk.Open(dir, disk.Options{Files: durable.NewPublisher(durable.Options{Hook: unsynced})})
	supervisor := process.New(store.Processes(), store.Journals(), unowned{}, nil, runtime.Host{Store: store})
	if _, err := supervisor.Create(t.Context(), process.Definition{Name: "p", Manifest: manifest, MaxGenerations: 1}); err != nil {
		t.Fatal(err)
	}
	outcome, err := supervisor.Tick(t.Context(), "p", process.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

// unowned is custody that nobody contests.
type unowned struct{}

func (unowned) Process(context.Context, string) (func() error, error) { return free, nil }
func (unowned) Creation(context.Context) (func() error, error)        { return free, nil }

func free() error { return nil }
