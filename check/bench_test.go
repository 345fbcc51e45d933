//go:build unix

package check_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/check"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
)

const benchObjects = 10_000

// benchStore makes a store of 10,000 objects: processes with a generation each, and
// values that nothing needs.
func benchStore(b *testing.B) string {
	b.Helper()
	root := filepath.Join(b.TempDir(), "store")
	files := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		if s.Op == durable.OpFileSync || s.Op == durable.OpDirSync {
			return nil
		}
		return do()
	}})
	store := disk.Open(root, disk.Options{Files: files})
	supervisor := process.New(store.Processes(), store.Journals(), process.Leases(files, root), nil, runtime.Host{Store: store})
	m, err := organism.ParseManifest(parse(b, `{"contract":"algal.organism.v1","key":"organism:bench","name":"Bench",
		"cells":[{"id":"in","kind":"input","outputs":{"v":"json"}},{"id":"out","kind":"const","outputs":{"v":{"type":"json","value":1}}}],"edges":[]}`))
	must(b, err)
	ctx, n := context.Background(), 0
	for i := range 50 {
		name := fmt.Sprintf("p%d", i)
		args := parse(b, fmt.Sprintf(`{"in":{"v":"%s%d"}}`, strings.Repeat("x", 1000), i))
		_, err := supervisor.Create(ctx, process.Definition{Name: name, Manifest: m, Args: args, MaxGenerations: 1})
		must(b, err)
		_, err = supervisor.Tick(ctx, name, process.Options{})
		must(b, err)
		n += 4 // three records and a receipt
	}
	for i := n + 1; i < benchObjects; i++ { // and the manifest
		_, err := store.PutValue(canon.Array(canon.Int(i), canon.String(strings.Repeat("value ", 300))))
		must(b, err)
	}
	return root
}

// BenchmarkStore examines 10,000 objects. The floor is the reading and hashing of
// the same files, one after the other.
func BenchmarkStore(b *testing.B) {
	root := benchStore(b)
	var summary check.Summary
	floor := time.Duration(0)
	b.ReportAllocs()
	for b.Loop() {
		var err error
		summary, err = check.Store(context.Background(), root, check.Options{}, func(f check.Finding) { b.Fatalf("found %s", f.Value()) })
		must(b, err)
		b.StopTimer()
		floor += readAll(b, root)
		b.StartTimer()
	}
	if summary.Objects != benchObjects {
		b.Fatalf("%s", summary.Value())
	}
	b.SetBytes(int64(summary.Bytes))
	b.ReportMetric(float64(b.Elapsed())/float64(floor), "floor-ratio")
}

func readAll(b *testing.B, root string) time.Duration {
	start := time.Now()
	for _, place := range []string{"values", "manifests", "runs"} {
		entries, err := os.ReadDir(filepath.Join(root, place))
		must(b, err)
		for _, d := range entries {
			text, err := os.ReadFile(filepath.Join(root, place, d.Name()))
			must(b, err)
			sha256.Sum256(text)
		}
	}
	return time.Since(start)
}
