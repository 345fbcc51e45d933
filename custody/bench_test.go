//go:build unix

package custody

import (
	"path/filepath"
	"testing"

	"github.com/algal-vm/algal/durable"
)

// BenchmarkLease is one acquisition and release of a place that was used before,
// by a process that was there before.
func BenchmarkLease(b *testing.B) {
	files, place := newFiles(), Place{Dir: scratch(b), Label: label}
	acquireAndRelease(b, place.Dir, place.Label)
	b.ReportAllocs()
	for b.Loop() {
		l, err := Acquire(b.Context(), files, place)
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Release(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPublications is what a lease needs of the disk: one file made and
// unlinked.
func BenchmarkPublications(b *testing.B) {
	files, f := newFiles(), ownerMarker(scratch(b), label)
	content := f.value(sampleNonce).String()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := files.Create(f.path, content); err != nil {
			b.Fatal(err)
		}
		if err := files.Unlink(durable.OpUnlinkLock, f.path); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDatabase is the part that SQLite has in a lease.
func BenchmarkDatabase(b *testing.B) {
	dir := scratch(b)
	makeDatabase(b, dir, tableSQL, rowSQL)
	b.ReportAllocs()
	for b.Loop() {
		c, err := openDatabase(dir)
		if err != nil {
			b.Fatal(err)
		}
		if err := c.take(); err != nil {
			b.Fatal(err)
		}
		if err := c.close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRefusal is the answer to a contender.
func BenchmarkRefusal(b *testing.B) {
	dir := scratch(b)
	defer mustAcquire(b, dir, label).Release()
	files, place := newFiles(), Place{Dir: filepath.Clean(dir), Label: label}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Acquire(b.Context(), files, place); !Held(err) {
			b.Fatal(err)
		}
	}
}
