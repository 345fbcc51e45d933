//go:build unix

package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/algal-vm/algal/durable"
)

// fault is a machine with one thing wrong, and the one check that must tell.
type fault struct {
	name    string
	spoil   func(t *testing.T, s *site, m *machine)
	check   string
	status  Status
	finding string // a part of it
	advice  string // a part of it
}

const moved = "--dir PATH"

var faults = []fault{
	{"file system not told", spoilVolume(func(*Volume) error { return syscall.ENOSYS }), "filesystem", Warning, "function not implemented", "find out"},
	{"tmpfs", medium("tmpfs", Memory), "filesystem", Warning, "tmpfs, in memory: a store is gone when", moved},
	{"overlay", medium("overlay", Overlay), "filesystem", Warning, "overlay, the layers", "mount a volume"},
	{"fuse", medium("fuse", Served), "filesystem", Warning, "fuse, served by", "no other machine"},
	{"nfs", medium("nfs", Network), "filesystem", Problem, "nfs, a network file system", moved},

	{"full disk", room(1<<20-1, 1000), "space", Problem, "1024.0 KiB are free", "free some room"},
	{"no inodes", room(1<<40, 63), "space", Problem, "63 of 100000 inodes, too little", "free some room"},
	{"nearly full", room(200<<20, 50_000), "space", Warning, "200.0 MiB are free, and 50000 of 100000 inodes", "free some room"},
	{"few inodes", room(1<<40, 9_999), "space", Warning, "9999 of 100000", "each is a file"},

	{"link", func(t *testing.T, s *site, _ *machine) { must(t, os.Symlink("store", s.moved("link"))) }, "directory", Problem, "symbolic link", "--dir "},
	{"dangling link", func(t *testing.T, s *site, _ *machine) { must(t, os.Symlink("none", s.moved("link"))) }, "directory", Problem, "symbolic link", "not a link to it"},
	{"file", func(t *testing.T, s *site, _ *machine) { must(t, os.WriteFile(s.moved("file"), nil, 0o600)) }, "directory", Problem, "not a directory", "move it away"},

	{"store closed", closed("", syscall.EACCES), "writable", Problem, "store cannot be read and written: permission denied", "chown -R"},
	{"process closed", closed("processes/p", syscall.EACCES), "writable", Problem, "processes/p cannot be read", "chown -R"},
	{"read-only", closed("", syscall.EROFS), "writable", Problem, "read-only file system", "mount the file system for writing"},
	{"parent closed", func(t *testing.T, s *site, m *machine) {
		s.moved("it's new")
		failing(durable.OpMkdir, syscall.EACCES)(t, s, m)
	}, "writable", Problem, "nothing can be made in", `/it'\''s new'; or name`},
	{"no directory", failing(durable.OpMkdir, syscall.EROFS), "writable", Problem, "nothing can be made in", "mount the file system"},
	{"quota", at("create", "trial", func(durable.Step, func() error) error { return syscall.EDQUOT }), "writable", Problem, "64 KiB cannot be written", "raise the quota"},
	{"disk full at once", at("create", "trial", func(durable.Step, func() error) error { return syscall.ENOSPC }), "writable", Problem, "no space left", "free some room"},

	{"open to all", at("create", "trial", after(func(s durable.Step) error { return os.Chmod(s.Path, 0o644) })), "modes", Warning, "made with mode 0600, something has mode 0644", "fmask"},
	{"vanished", at("create", "trial", after(func(s durable.Step) error { return os.Remove(s.Path) })), "modes", Problem, "no such file", moved},

	{"shouted names", at("create", sampleNames[3], func(s durable.Step, _ func() error) error {
		return os.WriteFile(filepath.Join(filepath.Dir(s.Path), strings.ToUpper(filepath.Base(s.Path))), nil, 0o600)
	}), "names", Problem, "do not come back", moved},
	{"short names", at("create", sampleNames[1], func(durable.Step, func() error) error { return syscall.ENAMETOOLONG }), "names", Problem, "refused: file name too long", moved},

	{"created twice", second("create", "exclusive", nil), "exclusive-create", Problem, "created once more", moved},
	{"existence not told", second("create", "exclusive", syscall.EIO), "exclusive-create", Problem, "not told: input/output error", moved},
	{"no creation", at("create", "exclusive", func(durable.Step, func() error) error { return syscall.EPERM }), "exclusive-create", Problem, "cannot be created", moved},

	{"no links", at(durable.OpLink, "link-1", func(durable.Step, func() error) error { return syscall.EPERM }), "hard-links", Problem, "operation not permitted", moved},
	{"links not supported", failing(durable.OpLink, syscall.ENOTSUP), "hard-links", Problem, "operation not supported", moved},
	{"links are copies", at(durable.OpLink, "link-1", func(s durable.Step, _ func() error) error { return os.WriteFile(s.Target, nil, 0o600) }), "hard-links", Problem, "not the same file", moved},
	{"links replace", second(durable.OpLink, "link-1", nil), "hard-links", Problem, "overwritten", moved},
	{"taken names not told", second(durable.OpLink, "link-1", syscall.EIO), "hard-links", Problem, "not told", moved},

	{"no rename", failing(durable.OpReplace, syscall.EPERM), "rename", Problem, "cannot take the place", moved},
	{"rename does nothing", at(durable.OpReplace, "head-new", func(durable.Step, func() error) error { return nil }), "rename", Problem, `the place holds "old"`, moved},
	{"rename copies", at(durable.OpReplace, "head-new", func(s durable.Step, _ func() error) error {
		return os.WriteFile(s.Target, []byte("new"), 0o600)
	}), "rename", Problem, `the place holds "new"`, moved},

	{"no file sync", failing(durable.OpFileSync, syscall.EIO), "fsync", Problem, "file-sync failed: input/output error", moved},
	{"no directory sync", failing(durable.OpDirSync, syscall.EINVAL), "fsync", Problem, "dir-sync failed: invalid argument", moved},
	{"syncs wait for nothing", func(_ *testing.T, _ *site, m *machine) { m.tick = time.Microsecond }, "fsync", Warning, "takes 1µs for a file and 1µs for a directory, medians of 8", "libeatmydata"},

	{"ancestor closed", ancestor(syscall.EACCES), "ancestors", Problem, "permission denied; a publication opens every directory", "chmod o+r "},
	{"ancestor not synced", ancestor(syscall.EINVAL), "ancestors", Problem, "cannot be synced: invalid argument", moved},

	{"publication fails", at(durable.OpLink, "publication/", func(durable.Step, func() error) error { return syscall.EIO }), "publication", Problem, "nothing can be published: link failed", moved},
	{"publication finds its name taken", at(durable.OpLink, "publication/", func(durable.Step, func() error) error { return syscall.EEXIST }), "publication", Problem, "said to be taken", moved},
	{"slow disk", func(_ *testing.T, _ *site, m *machine) { m.tick = 60 * time.Millisecond }, "publication", Warning, "takes 60ms, median of 20, and at most 60ms; a tick publishes about 7 times, which takes 420ms", "faster disk"},
	{"very slow disk", func(_ *testing.T, _ *site, m *machine) { m.tick = 3 * time.Second }, "publication", Warning, "median of 3,", "faster disk"},

	{"no time of birth", at(durable.OpUnlinkTemp, "publication/", after(renewed)), "birth-time", Warning, "each publication syncs", "for speed"},

	{"no second process", func(_ *testing.T, _ *site, m *machine) { m.Holder = noHolder }, "lease", Problem, "could not take a lease: fork/exec /nonexistent", moved},
	{"second process says something else", func(_ *testing.T, _ *site, m *machine) { m.Holder = stranger }, "lease", Problem, `it said "disk I/O error"`, moved},
	{"two owners", ownerIs(func(o Owner, _ string) Owner { o.Kill(); return o }), "lease", Problem, "two processes held the same lease", moved},
	{"marker unreadable", ownerIs(func(o Owner, dir string) Owner { os.Remove(lockOf(dir)); os.Mkdir(lockOf(dir), 0o700); return o }), "lease", Problem, "marker of a lease cannot be read", moved},
	{"refused otherwise", at(durable.OpDirSync, "/lease", func(durable.Step, func() error) error { return syscall.EIO }), "lease", Problem, "not refused as such: dir-sync failed: input/output error", moved},
	{"owner lives on", ownerIs(func(o Owner, _ string) Owner { return immortal{o} }), "lease", Problem, "still held when its owner had been killed", moved},
	{"owner cannot be killed", dies(func(string) error { return errors.New("it sleeps") }), "lease", Problem, "could not be killed: it sleeps", "try again"},
	{"owner leaves a ruin", dies(func(dir string) error { return os.WriteFile(lockOf(dir), []byte("ruin"), 0o600) }), "lease", Problem, "cannot be taken: not JSON", moved},
	{"owner leaves no marker", dies(func(dir string) error { return os.Remove(lockOf(dir)) }), "lease", Problem, "left no evidence: archived are [] instead of its marker", moved},
	{"lease not given up", givenUp(syscall.EIO), "lease", Problem, "cannot be given up: unlink-lock failed: input/output error", moved},
}

// TestFaults: each fault turns its check, and no other one, and comes with an
// advice. Nothing is left behind.
func TestFaults(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			s, m := newSite(t), newMachine()
			f.spoil(t, &s, m)
			var bad []string
			report := s.examine(t, m)
			for _, c := range report.Checks {
				if c.Status == OK {
					continue
				}
				bad = append(bad, c.Name)
				if c.Status != f.status || !strings.Contains(c.Finding, f.finding) || !strings.Contains(c.Advice, f.advice) {
					t.Errorf("%+v", c)
				}
			}
			if !slices.Equal(bad, []string{f.check}) || report.OK() != (f.status != Problem) {
				t.Errorf("not fine are %q: %s", bad, report.Value())
			}
			if f.status != Problem && len(report.Checks) != len(checks) && f.check != "filesystem" {
				t.Errorf("a warning leaves checks out: %s", report.Value())
			}
		})
		seen[f.check] = true
	}
	for _, name := range Names() {
		if !seen[name] && name != "program" && name != "owner" {
			t.Errorf("no fault turns %s", name)
		}
	}
}

// TestMixedOwners: only root can make the real thing.
func TestMixedOwners(t *testing.T) {
	s, m := newSite(t), newMachine()
	process := filepath.Join(s.store, "processes", "p")
	theirs := uint32(os.Geteuid()) + 1
	c := mixed(s.store, process, theirs, theirs-1)
	if os.Geteuid() == 0 {
		must(t, os.Chown(process, int(theirs), -1))
		report := s.examine(t, m)
		if report.Count(OK) != len(checks)-1 {
			t.Errorf("%s", report.Value())
		}
		c = report.Checks[slices.Index(namesOf(report), "owner")]
	}
	if c.Status != Warning || !strings.HasPrefix(c.Finding, process+" belongs to user ") || !strings.Contains(c.Advice, "chown -R ") {
		t.Errorf("%+v", c)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// moved makes something else the store.
func (s *site) moved(name string) string {
	s.store = filepath.Join(s.above, name)
	return s.store
}

type spoiler = func(*testing.T, *site, *machine)

func spoilVolume(spoil func(*Volume) error) spoiler {
	return func(_ *testing.T, _ *site, m *machine) { m.volume = spoil }
}

func medium(name string, medium Medium) spoiler {
	return spoilVolume(func(v *Volume) error { v.Type, v.Medium = name, medium; return nil })
}

func room(bytes, files uint64) spoiler {
	return spoilVolume(func(v *Volume) error { v.FreeBytes, v.FreeFiles, v.Files = bytes, files, 100_000; return nil })
}

// closed refuses one directory of the store.
func closed(name string, errno syscall.Errno) spoiler {
	return func(_ *testing.T, s *site, m *machine) {
		dir := filepath.Join(s.store, name)
		m.access = func(asked string) error {
			if asked == dir {
				return errno
			}
			return m.Machine.Access(asked)
		}
	}
}

// failing lets every step of a kind fail.
func failing(op durable.Op, errno syscall.Errno) spoiler {
	return at(op, "", func(durable.Step, func() error) error { return errno })
}

// at does something else at the steps of a kind on paths that contain a part of the
// probe's.
func at(op durable.Op, part string, instead durable.Hook) spoiler {
	return func(_ *testing.T, _ *site, m *machine) {
		m.hook = func(s durable.Step, do func() error) error {
			if s.Op == op && strings.Contains(s.Path, part) {
				return instead(s, do)
			}
			return do()
		}
	}
}

// after does something when a step is done.
func after(then func(durable.Step) error) durable.Hook {
	return func(s durable.Step, do func() error) error {
		if err := do(); err != nil {
			return err
		}
		return then(s)
	}
}

// second gives the second step of a kind on a file another result.
func second(op durable.Op, name string, result error) spoiler {
	n := 0
	return at(op, name, func(_ durable.Step, do func() error) error {
		if n++; n == 2 {
			return result
		}
		return do()
	})
}

// ancestor refuses to sync the directory that holds the store.
func ancestor(errno syscall.Errno) spoiler {
	return func(t *testing.T, s *site, m *machine) {
		at(durable.OpDirSync, "", func(step durable.Step, do func() error) error {
			if step.Path == s.above {
				return errno
			}
			return do()
		})(t, s, m)
	}
}

// givenUp lets the release of a lease fail, not the removal of the marker of the
// owner before.
func givenUp(errno syscall.Errno) spoiler {
	return second(durable.OpUnlinkLock, "", errno)
}

// renewed puts a new directory in the place of that of a file.
func renewed(s durable.Step) error {
	dir := filepath.Dir(s.Path)
	if err := os.Rename(dir, dir+"-"+filepath.Base(s.Path)); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o700)
}

// ownerIs puts another owner in the place of the real one, which ends with the test.
func ownerIs(act func(o Owner, dir string) Owner) spoiler {
	return func(t *testing.T, _ *site, m *machine) {
		m.owner = func(o Owner, dir string) Owner {
			t.Cleanup(func() { o.Kill() })
			return act(o, dir)
		}
	}
}

// dies does something when its owner is gone.
func dies(then func(dir string) error) spoiler {
	return ownerIs(func(o Owner, dir string) Owner { return &actor{o, func() error { return then(dir) }} })
}

// actor is an owner after whose end something happens.
type actor struct {
	Owner
	then func() error
}

func (a *actor) Kill() error {
	if err := a.Owner.Kill(); err != nil {
		return err
	}
	return a.then()
}

func lockOf(dir string) string { return filepath.Join(dir, ".lock") }

// immortal is an owner that survives its end.
type immortal struct{ Owner }

func (immortal) Kill() error { return nil }
