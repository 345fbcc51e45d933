//go:build unix

package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
)

// checks are all checks in the order of the report.
var checks = []struct {
	name string
	// needs names earlier checks: with a problem in one of them this one could only
	// find the same again.
	needs []string
	// run makes the check. One without a status is left out.
	run func(*examination, context.Context) Check
}{
	{"program", nil, program},
	{"directory", nil, directory},
	{"filesystem", nil, filesystem},
	{"space", nil, space},
	{"writable", []string{"directory", "space"}, writable},
	{"owner", []string{"writable"}, owner},
	{"modes", []string{"writable"}, modes},
	{"names", []string{"writable"}, names},
	{"exclusive-create", []string{"writable"}, exclusiveCreate},
	{"hard-links", []string{"writable"}, hardLinks},
	{"rename", []string{"writable"}, rename},
	{"fsync", []string{"writable"}, fsync},
	{"ancestors", []string{"fsync"}, ancestors},
	{"publication", []string{"exclusive-create", "hard-links", "ancestors"}, publication},
	{"birth-time", []string{"publication"}, birthTime},
	{"lease", []string{"publication", "rename"}, lease},
}

// Names returns the names of the checks in their order.
func Names() []string {
	var list []string
	for _, c := range checks {
		list = append(list, c.name)
	}
	return list
}

// Examine examines the place of the store at dir, whether it exists or not. begin
// is called with the name of each check that is made.
//
// What is wrong with the place is in the report. An error means that there is none:
// the directory above the store is missing or cannot be searched, or the
// examination's own directory cannot be removed, all IO_FAILED; or ctx has ended,
// BUDGET_EXHAUSTED.
func Examine(ctx context.Context, system System, dir string, begin func(name string)) (report *Report, err error) {
	e, err := newExamination(system, dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if failed := e.remove(); err == nil && failed != nil {
			report, err = nil, failed
		}
	}()
	report = &Report{Store: e.store}
	var sound []string // the checks that have found no problem
	for _, c := range checks {
		if slices.ContainsFunc(c.needs, func(name string) bool { return !slices.Contains(sound, name) }) {
			continue
		}
		begin(c.name)
		found := c.run(e, ctx)
		if ctx.Err() != nil {
			return nil, algal.Errorf(algal.BudgetExhausted, "examination cancelled at %s", c.name)
		}
		if found.Status != Problem {
			sound = append(sound, c.name)
		}
		if found.Status != "" {
			found.Name = c.name
			report.Checks = append(report.Checks, found)
		}
	}
	return report, nil
}

// examination is one run over one place.
type examination struct {
	system System
	files  *durable.Publisher // all steps run by it, under the hook of the system

	store  string      // absolute
	above  string      // the directory above it, without links
	info   os.FileInfo // of the store; nil when nothing is there
	volume Volume
	untold error // why volume is not known

	rooms []string // the store, if it is there, and the directories in it
	probe string   // the examination's own directory, "" when there is none

	dirSyncs  int // steps so far
	perObject int // directories that one publication syncs
}

func newExamination(system System, dir string) (*examination, error) {
	e := &examination{system: system}
	e.files = durable.NewPublisher(durable.Options{Hook: e.do})
	var err error
	if e.store, err = filepath.Abs(dir); err == nil {
		e.above, err = filepath.EvalSymlinks(filepath.Dir(e.store))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, algal.Errorf(algal.IOFailed, "the directory above the store does not exist; make it, or name another store with --dir")
	}
	if err == nil {
		e.info, err = os.Lstat(e.store)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, algal.Errorf(algal.IOFailed, "the place of the store cannot be examined: %v", durable.Cause(err))
	}
	e.volume, e.untold = system.Volume(e.ground())
	return e, nil
}

// do is the hook of all steps.
func (e *examination) do(s durable.Step, do func() error) error {
	if s.Op == durable.OpDirSync {
		e.dirSyncs++
	}
	return e.system.Do(s, do)
}

// exists reports whether there is a store.
func (e *examination) exists() bool { return e.info != nil && e.info.IsDir() }

// ground is the nearest directory that exists.
func (e *examination) ground() string {
	if e.exists() {
		return e.store
	}
	return e.above
}

const probePattern = ".algal-doctor-*"

// makeProbe makes the examination's own directory: beside the store if that is on
// the same file system, else in it.
func (e *examination) makeProbe() error {
	places := []string{e.above}
	if e.exists() {
		places = append(places, e.store)
		if device(e.above) != device(e.store) {
			places = places[1:]
		}
	}
	var refused error
	for _, place := range places {
		refused = e.files.Do(durable.Step{Op: durable.OpMkdir, Path: place}, func() (err error) {
			e.probe, err = os.MkdirTemp(place, probePattern)
			return err
		})
		if refused == nil {
			return nil
		}
	}
	return refused
}

// device returns the number of the file system of a directory, 0 when it cannot be
// told.
func device(dir string) uint64 {
	info, err := os.Stat(dir)
	if err != nil {
		return 0
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(st.Dev)
}

const opRemove durable.Op = "remove"

func (e *examination) remove() error {
	if e.probe == "" {
		return nil
	}
	return e.files.Do(durable.Step{Op: opRemove, Path: e.probe}, func() error { return os.RemoveAll(e.probe) })
}
