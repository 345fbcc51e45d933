//go:build unix

package disk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
)

// sized returns an array of about size bytes of small objects.
func sized(size int) canon.Value {
	var items []canon.Value
	for range size / 50 {
		items = append(items, canon.Object(
			canon.M("id", canon.String(strings.Repeat("i", 10))),
			canon.M("value", canon.String(strings.Repeat("v", 12))),
		))
	}
	return canon.Array(items...)
}

var benchSizes = []int{1_000, 1_000_000}

func BenchmarkPut(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s, v := open(scratch(b)), sized(size)
			b.SetBytes(int64(v.Size()))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := s.PutValue(canon.Array(canon.Int(i), v)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPutAgain(b *testing.B) {
	benchmark(b, func(s *disk.Store, v canon.Value) error { _, err := s.PutValue(v); return err })
}

func BenchmarkGet(b *testing.B) {
	benchmark(b, func(s *disk.Store, v canon.Value) error { _, err := s.Value(v.Digest()); return err })
}

func benchmark(b *testing.B, run func(*disk.Store, canon.Value) error) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s, v := open(scratch(b)), sized(size)
			if _, err := s.PutValue(v); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(v.Size()))
			b.ReportAllocs()
			for b.Loop() {
				if err := run(s, v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
