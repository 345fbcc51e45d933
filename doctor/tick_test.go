//go:build unix

package doctor

import (
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
)

// TestPublishedPerTick counts what a tick makes durable: names that appear, are
// replaced or go.
func TestPublishedPerTick(t *testing.T) {
	published := 0
	files := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		switch s.Op {
		case durable.OpLink, durable.OpReplace, durable.OpUnlinkLock:
			published++
		}
		return do()
	}})
	root := memoryDir(t)
	store := disk.Open(root, disk.Options{Files: files})
	mailboxes := mailbox.New(store.Mailboxes(), mailbox.Custody(files, root))
	p := process.New(store.Processes(), store.Journals(), process.Leases(files, root), mailboxes, runtime.Host{Store: store})
	program, err := canon.Parse(`{"contract":"algal.organism.v1","key":"organism:one","name":"One","cells":[{"id":"c","kind":"const","outputs":{"v":{"type":"json","value":1}}}],"edges":[]}`, canon.Limits{})
	must(t, err)
	manifest, err := organism.ParseManifest(program)
	must(t, err)
	_, err = p.Create(t.Context(), process.Definition{Name: "p", Manifest: manifest, MaxGenerations: 1})
	must(t, err)
	published = 0
	_, err = p.Tick(t.Context(), "p", process.Options{})
	must(t, err)
	if published != publishedPerTick {
		t.Errorf("a tick publishes %d times, and %d are told", published, publishedPerTick)
	}
}
