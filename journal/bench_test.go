//go:build unix

package journal_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/runtime"
)

// BenchmarkEffect records effects on disk, each as started and as completed, and
// beside each makes the bare publications that these two records need, a file and a
// head each. publications is the cost of the first by that of the second: what
// records and rules add to the disk. Without syncs it shows what is left on a disk
// that costs nothing.
func BenchmarkEffect(b *testing.B) {
	for name, hook := range map[string]durable.Hook{"synced": nil, "unsynced": unsynced} {
		b.Run(name, func(b *testing.B) {
			files := durable.NewPublisher(durable.Options{Hook: hook})
			engine := disk.Open(b.TempDir(), disk.Options{Files: files}).Journals()
			bare := b.TempDir()
			var j *journal.Journal
			var recording, publishing time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%journal.MaxEntries == 0 {
					j = newJournal(b, engine, i)
				}
				start := time.Now()
				record(b, j, i)
				middle := time.Now()
				publish(b, files, bare, i)
				recording += middle.Sub(start)
				publishing += time.Since(middle)
			}
			b.ReportMetric(float64(recording)/float64(publishing), "publications")
			b.ReportMetric(float64(recording.Nanoseconds())/float64(b.N), "ns/effect")
		})
	}
}

func unsynced(s durable.Step, do func() error) error {
	if s.Op == durable.OpFileSync || s.Op == durable.OpDirSync {
		return nil
	}
	return do()
}

func newJournal(b *testing.B, engine journal.Engine, n int) *journal.Journal {
	d := journal.Dispatch{Process: "worker", Intent: canon.Int(n).Digest(), Manifest: canon.Int(0).Digest()}
	j, err := journal.Create(engine, d, journal.DefaultRecoveries)
	if err != nil {
		b.Fatal(err)
	}
	return j
}

func record(b *testing.B, j *journal.Journal, n int) {
	digest := canon.Int(n).Digest()
	binding := runtime.Binding{RequestDigest: digest, Executor: "tool:bench", ConfigurationDigest: digest, IdempotencyKey: digest}
	token, _, err := j.Begin(binding)
	if err == nil {
		err = j.Complete(token, canon.Object(
			canon.M("executor", canon.String("tool:bench")),
			canon.M("output", canon.Object(canon.M("out", canon.Int(n)))),
			canon.M("requestDigest", canon.String(string(digest))),
		))
	}
	if err != nil {
		b.Fatal(err)
	}
}

// publish makes the publications of an effect and nothing else.
func publish(b *testing.B, files *durable.Publisher, dir string, n int) {
	text := strings.Repeat("x", 600)
	for state := range 2 {
		_, err := files.Create(filepath.Join(dir, "values", fmt.Sprint(n, "-", state)), text)
		if err == nil {
			err = files.Replace(filepath.Join(dir, "entries", fmt.Sprint(n)), text[:130])
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
