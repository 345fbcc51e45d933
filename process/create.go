package process

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/organism"
)

// CreationContract names the marker of a creation under way.
const CreationContract = "algal.process-creation.v1"

// Bounds of process.md §3, inclusive.
const (
	MaxProcesses           = 1024
	DefaultMaxGenerations  = 16
	maxCreationMarkerBytes = 4096
)

// Definition is what a process is created from. It never changes.
type Definition struct {
	Name           string
	Manifest       *organism.Manifest
	Args           canon.Value // absent means {}
	MaxGenerations int
}

// record returns the ready record of generation zero.
func (d *Definition) record() (canon.Value, error) {
	args := d.Args
	if !args.Exists() {
		args = canon.Object()
	}
	v := canon.Object(
		canon.M("args", args),
		canon.M("contract", canon.String(chain.Contract)),
		canon.M("generation", canon.Int(0)),
		canon.M("manifestDigest", canon.String(string(d.Manifest.Digest()))),
		canon.M("maxGenerations", canon.Int(d.MaxGenerations)),
		canon.M("name", canon.String(d.Name)),
		canon.M("status", canon.String(string(chain.Ready))),
		canon.M("wake", canon.Array()),
	)
	_, err := chain.ParseRecord(v)
	return v, err
}

// Create makes a process that is ready to run (process.md §6). A creation that was
// interrupted is resumed by the same definition and refused to any other. Nothing
// is written before the definition is admitted, but what a transport delivered.
func (s *Supervisor) Create(ctx context.Context, d Definition) (snapshot *Snapshot, err error) {
	if err := canon.CheckSafeID(d.Name, "process name"); err != nil {
		return nil, err
	}
	if err := chain.CheckBounds(d.Manifest.Normal(), chain.MaxManifestBytes); err != nil {
		return nil, err
	}
	record, err := d.record()
	if err != nil {
		return nil, err
	}
	if err := s.guard(d.Name); err != nil {
		return nil, err
	}
	if _, err := s.compile(d.Manifest, true); err != nil {
		return nil, err
	}
	if err := checkArgs(d.Manifest, record.Get("args")); err != nil {
		return nil, err
	}
	if err := s.engine.Ensure(processesDir); err != nil {
		return nil, worded(err)
	}
	release, err := s.custody.Creation(ctx)
	if err != nil {
		return nil, err
	}
	defer releasing(release, &err)
	if err := s.begin(d.Name, record.Digest()); err != nil {
		return nil, err
	}
	if err := s.found(&d, record); err != nil {
		return nil, err
	}
	return s.Inspect(d.Name)
}

// checkArgs holds the arguments to the declared input ports (§6.1 step 5).
func checkArgs(m *organism.Manifest, args canon.Value) error {
	for cell, ports := range args.Members() {
		at := slices.IndexFunc(m.Cells, func(c *organism.Cell) bool { return c.ID == cell && c.Kind == organism.KindInput })
		for name, v := range ports.Members() {
			var port *organism.Port
			if at >= 0 {
				port = m.Cells[at].Outputs.Find(name)
			}
			if port == nil {
				return undeclared()
			}
			if err := port.CheckValue(v, cell+"."+name); err != nil {
				return err
			}
		}
		if at < 0 {
			return undeclared()
		}
	}
	return nil
}

func undeclared() error {
	return algal.Errorf(algal.InputMissing, "process args must name declared input ports")
}

func markerName(name string) string { return directory(name) + "/.creating.json" }

func marker(name string, record algal.Digest) canon.Value {
	return canon.Object(
		canon.M("contract", canon.String(CreationContract)),
		canon.M("name", canon.String(name)),
		canon.M("record", canon.String(string(record))),
	)
}

// begin claims the name: a fresh directory with the marker, or an interrupted
// creation of the same record (§6.2 steps 8 and 9, §6.3).
func (s *Supervisor) begin(name string, record algal.Digest) error {
	names, err := s.Names()
	if err != nil {
		return err
	}
	if slices.Contains(names, name) {
		return s.resumable(name, record)
	}
	if len(names) >= MaxProcesses {
		return algal.Errorf(algal.BudgetExhausted, "process count exhausted")
	}
	if err := s.engine.Ensure(directory(name)); err != nil {
		return worded(err)
	}
	return worded(s.engine.Replace(markerName(name), marker(name, record).String()))
}

// maxScratch bounds the entries of a directory whose creation was interrupted.
const maxScratch = 4096

func (s *Supervisor) resumable(name string, record algal.Digest) error {
	if _, found, err := s.engine.ReadBounded(headName(name), MaxHeadBytes); found || err != nil {
		return algal.Errorf(algal.IOFailed, "process name already exists")
	}
	v, found, err := s.objects.document(markerName(name), maxCreationMarkerBytes)
	if err != nil || !found || !canon.Equal(v, marker(name, record)) {
		return algal.Errorf(algal.IOFailed, "process name is retained by a completed or interrupted creation")
	}
	err = s.engine.Scan(directory(name), maxScratch, func(entry string, mode fs.FileMode) error {
		if !scratch(entry, mode) {
			return errForeign
		}
		return nil
	})
	if errors.Is(err, errForeign) {
		return algal.Errorf(algal.IOFailed, "interrupted process creation contains foreign entries")
	}
	return worded(err)
}

var errForeign = errors.New("foreign entry")

// scratch reports whether an entry may be there before the head is (§6.3 step 3).
func scratch(entry string, mode fs.FileMode) bool {
	switch entry {
	case ".creating.json", ".lock", ".owner.sqlite", ".owner.sqlite-journal", ".owner.sqlite-wal", ".owner.sqlite-shm":
		return true
	case "owners":
		return mode.IsDir()
	}
	return strings.HasPrefix(entry, ".tmp-") || strings.HasPrefix(entry, ".head-") || strings.HasSuffix(entry, ".tmp")
}

// found publishes the objects, then the head, and removes the marker (§6.2 steps
// 10 and 11).
func (s *Supervisor) found(d *Definition, record canon.Value) error {
	if _, err := s.objects.publish(manifests, d.Manifest.Normal()); err != nil {
		return err
	}
	digest, err := s.objects.publish(values, record)
	if err != nil {
		return err
	}
	if err := s.moveHead(d.Name, digest); err != nil {
		return err
	}
	return worded(s.engine.Remove(markerName(d.Name)))
}
