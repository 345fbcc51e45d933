//go:build unix

package durable_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/algal-vm/algal/durable"
	"pgregory.net/rapid"
)

// disk is a model of what a power failure leaves. A name survives when its
// directory was synced while it held the name, a content when its file was synced.
// Files and directories have numbers of their own here, since the file system uses
// inode numbers again.
type disk struct {
	numbers map[inode]int          // of what is there
	names   map[int]map[string]int // what each directory held when it was last synced
	content map[int]bool           // files that were synced
	next    int
}

// inode tells files apart, also where a path crosses file systems.
type inode struct{ device, number uint64 }

func inodeOf(info os.FileInfo) inode {
	s := info.Sys().(*syscall.Stat_t)
	return inode{uint64(s.Dev), uint64(s.Ino)}
}

func newDisk() *disk {
	return &disk{numbers: map[inode]int{}, names: map[int]map[string]int{}, content: map[int]bool{}}
}

func (d *disk) number(path string) int {
	info, err := os.Lstat(path)
	if err != nil {
		return -1
	}
	at := inodeOf(info)
	if d.numbers[at] == 0 {
		d.next++
		d.numbers[at] = d.next
	}
	return d.numbers[at]
}

// removed is told before a whole tree goes.
func (d *disk) removed(tree string) {
	filepath.Walk(tree, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			delete(d.numbers, inodeOf(info))
		}
		return nil
	})
}

func (d *disk) step(s durable.Step) {
	switch s.Op {
	case durable.OpFileSync:
		d.content[d.number(s.Path)] = true
	case durable.OpDirSync:
		held := map[string]int{}
		entries, _ := os.ReadDir(s.Path)
		for _, e := range entries {
			held[e.Name()] = d.number(filepath.Join(s.Path, e.Name()))
		}
		d.names[d.number(s.Path)] = held
	}
}

// lost returns the first component of a path that a power failure could take, or
// "" when the file is durable.
func (d *disk) lost(path string) string {
	if !d.content[d.number(path)] {
		return "content of " + path
	}
	for ; path != "/"; path = filepath.Dir(path) {
		if d.names[d.number(filepath.Dir(path))][filepath.Base(path)] != d.number(path) {
			return "name " + path
		}
	}
	return ""
}

// TestAcknowledgedIsDurable lets two processes publish into a few directories while
// others make, remove and replace these without syncing anything. Whatever is
// acknowledged must survive a power failure, although most ancestor syncs are left
// out.
func TestAcknowledgedIsDurable(t *testing.T) {
	base := scratch(t)
	acknowledged, syncs, levels, n := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		root := filepath.Join(base, fmt.Sprint(n))
		model := newDisk()
		failing := false
		hook := func(s durable.Step, do func() error) error {
			if s.Op == durable.OpDirSync && failing {
				failing = false
				return syscall.EIO
			}
			err := do()
			if err == nil {
				model.step(s)
				if s.Op == durable.OpDirSync {
					syncs++
				}
			}
			return err
		}
		processes := []*durable.Publisher{
			durable.NewPublisher(durable.Options{Hook: hook}),
			durable.NewPublisher(durable.Options{Hook: hook}),
		}
		for range rapid.IntRange(1, 40).Draw(t, "operations") {
			p := processes[rapid.IntRange(0, 1).Draw(t, "process")]
			outer := filepath.Join(root, "outer")
			inner := filepath.Join(outer, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "inner"))
			path := filepath.Join(inner, rapid.SampledFrom([]string{"f", "g"}).Draw(t, "file"))
			dir := rapid.SampledFrom([]string{root, outer, inner}).Draw(t, "directory")
			var err error
			ack := false
			switch op := rapid.SampledFrom([]string{"put", "put", "put", "replace", "foreign file", "foreign directory", "remove", "remake", "swap", "fail"}).Draw(t, "operation"); op {
			case "put":
				err = put(p, path)
				ack = err == nil
			case "replace":
				err = p.Replace(path, "x")
				ack = err == nil
			case "foreign file":
				os.MkdirAll(inner, 0o700)
				err = os.WriteFile(path, []byte("x"), 0o600)
			case "foreign directory":
				err = os.MkdirAll(dir, 0o700)
			case "remove":
				model.removed(dir)
				err = os.RemoveAll(dir)
			case "remake":
				model.removed(dir)
				if err = os.RemoveAll(dir); err == nil {
					err = os.MkdirAll(inner, 0o700)
				}
			case "swap":
				if os.Rename(dir, fmt.Sprint(dir, "-old-", model.next)) == nil {
					err = os.Mkdir(dir, 0o700)
				}
				model.next++
			case "fail":
				failing = true
			}
			if err != nil && !errors.Is(err, syscall.EIO) {
				t.Fatal(err)
			}
			if ack {
				acknowledged++
				levels += levelsAbove(path)
				if lost := model.lost(path); lost != "" {
					t.Fatalf("acknowledged %s, and a power failure could take the %s", path, lost)
				}
			}
		}
	})
	if syncs >= levels {
		t.Errorf("%d acknowledged with %d directory syncs below %d levels: too few cases, or nothing is left out", acknowledged, syncs, levels)
	}
	t.Logf("%d publications acknowledged with %d directory syncs below %d levels", acknowledged, syncs, levels)
}

// put is how an owner publishes an immutable file.
func put(p *durable.Publisher, path string) error {
	fresh, err := p.Create(path, "x")
	if fresh || err != nil {
		return err
	}
	return retain(p, path)
}
