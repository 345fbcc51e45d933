//go:build unix

package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/shell"
)

// The checks of this file try single operations in the probe directory.

// opCreate is a step of the checks alone: publication creates only names that
// nobody else can have.
const opCreate durable.Op = "create"

// create makes a new file as publication does (store.md §3.2).
func (e *examination) create(path, content string) error {
	return e.files.Do(durable.Step{Op: opCreate, Path: path}, func() (err error) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return err
		}
		defer func() {
			if failed := f.Close(); err == nil {
				err = failed
			}
		}()
		_, err = f.WriteString(content)
		return err
	})
}

func (e *examination) link(from, to string) error {
	return e.files.Do(durable.Step{Op: durable.OpLink, Path: from, Target: to}, func() error { return os.Link(from, to) })
}

func (e *examination) replace(from, to string) error {
	return e.files.Do(durable.Step{Op: durable.OpReplace, Path: from, Target: to}, func() error { return os.Rename(from, to) })
}

// room makes a directory in the probe directory.
func (e *examination) room(name string) (string, error) {
	dir := filepath.Join(e.probe, name)
	return dir, os.Mkdir(dir, 0o700)
}

// What bounds the look at the directories of a store: those in it and those in
// these, as processes/NAME.
const (
	maxEntries = 4096
	maxLevels  = 2
)

// directoriesIn returns a directory and those below it. One that cannot be listed,
// or that has too many entries, is returned without what is in it.
func directoriesIn(dir string, levels int) []string {
	list := []string{dir}
	if levels == 0 {
		return list
	}
	entries, err := durable.Entries(dir, maxEntries, durable.NoFollow)
	if err != nil {
		return list
	}
	for _, d := range entries {
		if d.IsDir() {
			list = append(list, directoriesIn(filepath.Join(dir, d.Name()), levels-1)...)
		}
	}
	return list
}

// trial is what a quota must leave room for.
const trial = 64 << 10

// writable asks for the directories of the store and makes the probe directory and
// a file in it.
func writable(e *examination, _ context.Context) Check {
	if e.exists() {
		e.rooms = directoriesIn(e.store, maxLevels)
	}
	for _, dir := range e.rooms {
		if err := e.system.Access(dir); err != nil {
			return e.refusal(dir+" cannot be read and written", err)
		}
	}
	if err := e.makeProbe(); err != nil {
		return e.refusal("nothing can be made in "+e.ground(), err)
	}
	if err := e.create(filepath.Join(e.probe, "trial"), strings.Repeat("x", trial)); err != nil {
		return e.refusal("a file of 64 KiB cannot be written in "+filepath.Dir(e.probe), err)
	}
	return fine("a directory and a file of 64 KiB could be made in %s", filepath.Dir(e.probe))
}

// refusal is the problem of a directory where something cannot be done.
func (e *examination) refusal(what string, err error) Check {
	advice := "name a store elsewhere with --dir PATH"
	switch {
	case errors.Is(err, syscall.EROFS):
		advice = "mount the file system for writing, or " + advice
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		advice = "free some room or raise the quota, or " + advice
	case errors.Is(err, fs.ErrPermission) && e.exists():
		advice = fmt.Sprintf("give the store to this user: chown -R %d %s; or %s", os.Geteuid(), shell.Quote(e.store), advice)
	case errors.Is(err, fs.ErrPermission):
		advice = fmt.Sprintf("let who may do it make the store for this user: install -d -m 700 -o %d %s; or %s", os.Geteuid(), shell.Quote(e.store), advice)
	}
	return problem(advice, "%s: %v", what, durable.Cause(err))
}

// modes sees whether files are kept from others (store.md §1.1).
func modes(e *examination, _ context.Context) Check {
	for _, m := range []struct {
		path string
		want fs.FileMode
	}{{e.probe, 0o700}, {filepath.Join(e.probe, "trial"), 0o600}} {
		info, err := os.Lstat(m.path)
		if err != nil {
			return problem(moveAdvice, "what was made cannot be looked at: %v", durable.Cause(err))
		}
		if got := info.Mode().Perm(); got != m.want {
			return warning("set umask 0077 and mount options such as fmask and dmask so that modes are kept, or keep others out of "+e.above,
				"made with mode %#o, something has mode %#o: whom the store is closed to is not what it says", m.want, got)
		}
	}
	return fine("modes 0700 and 0600 are kept")
}

// sampleNames are of the forms that stores use (store.md §1), in byte order.
var sampleNames = []string{
	".owner.sqlite-journal",
	".tmp-" + strings.Repeat("0f", 24),
	strings.Repeat("0f", 32) + ".json",
	"a.b_c-d.json",
	strings.Repeat("z", 64) + ".json",
}

// names sees whether names come back as they were given. Only lower-case ASCII is
// ever used, so that it does not matter what becomes of other letters.
func names(e *examination, _ context.Context) Check {
	dir, err := e.room("names")
	for _, name := range sampleNames {
		if err == nil {
			err = e.create(filepath.Join(dir, name), "")
		}
	}
	if err != nil {
		return problem(moveAdvice, "names as a store has them are refused: %v", durable.Cause(err))
	}
	entries, err := durable.Entries(dir, maxEntries, durable.NoFollow)
	if err != nil {
		return problem(moveAdvice, "a directory cannot be listed: %v", durable.Cause(err))
	}
	var got []string
	for _, d := range entries {
		got = append(got, d.Name())
	}
	if !slices.Equal(got, sampleNames) {
		return problem(moveAdvice, "names do not come back as they were given: %q became %q", sampleNames, got)
	}
	if err := e.create(filepath.Join(dir, strings.ToUpper(sampleNames[3])), ""); errors.Is(err, fs.ErrExist) {
		return fine("names are kept; upper and lower case are one, which no name of a store minds")
	}
	return fine("names are kept")
}

func exclusiveCreate(e *examination, _ context.Context) Check {
	path := filepath.Join(e.probe, "exclusive")
	if err := e.create(path, ""); err != nil {
		return problem(moveAdvice, "a file cannot be created: %v", durable.Cause(err))
	}
	switch err := e.create(path, ""); {
	case err == nil:
		return problem(moveAdvice, "a file that exists could be created once more: of two writers each would take it for its own")
	case !errors.Is(err, fs.ErrExist):
		return problem(moveAdvice, "that a file exists already is not told: %v", durable.Cause(err))
	}
	return fine("a name is created once and then refused")
}

// hardLinks tries what gives an immutable object its name.
func hardLinks(e *examination, _ context.Context) Check {
	first, second := filepath.Join(e.probe, "link-1"), filepath.Join(e.probe, "link-2")
	err := e.create(first, "linked")
	if err == nil {
		err = e.link(first, second)
	}
	if err != nil {
		return problem(moveAdvice, "a file cannot be linked to a second name, without which nothing is published: %v", durable.Cause(err))
	}
	if !sameFile(first, second) {
		return problem(moveAdvice, "a link is not the same file as what it was made of")
	}
	switch err := e.link(first, second); {
	case err == nil:
		return problem(moveAdvice, "a link replaced a name that was taken: an object could be overwritten")
	case !errors.Is(err, fs.ErrExist):
		return problem(moveAdvice, "that a name is taken already is not told: %v", durable.Cause(err))
	}
	return fine("a link is the same file, and a name that is taken is refused")
}

func sameFile(a, b string) bool {
	first, err := os.Lstat(a)
	if err != nil {
		return false
	}
	second, err := os.Lstat(b)
	return err == nil && os.SameFile(first, second)
}

// rename tries what moves a head.
func rename(e *examination, _ context.Context) Check {
	was, will := filepath.Join(e.probe, "head"), filepath.Join(e.probe, "head-new")
	err := e.create(was, "old")
	if err == nil {
		err = e.create(will, "new")
	}
	if err == nil {
		err = e.replace(will, was)
	}
	if err != nil {
		return problem(moveAdvice, "a file cannot take the place of another: %v", durable.Cause(err))
	}
	text, err := os.ReadFile(was)
	if _, left := os.Lstat(will); err != nil || string(text) != "new" || !errors.Is(left, fs.ErrNotExist) {
		return problem(moveAdvice, "a file that takes the place of another does not do so whole: the place holds %q", text)
	}
	return fine("a file takes the place of another")
}
