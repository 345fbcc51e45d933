//go:build unix

package durable_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal/durable"
)

func BenchmarkCreate(b *testing.B) {
	dir, p := scratch(b), durable.NewPublisher(durable.Options{})
	content := strings.Repeat("x", 1000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := p.Create(filepath.Join(dir, fmt.Sprint(i)), content); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCreateFirst pays for the whole walk up to the root each time.
func BenchmarkCreateFirst(b *testing.B) {
	dir, content := scratch(b), strings.Repeat("x", 1000)
	for i := 0; b.Loop(); i++ {
		p := durable.NewPublisher(durable.Options{})
		if _, err := p.Create(filepath.Join(dir, fmt.Sprint(i)), content); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, size := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			path := filepath.Join(scratch(b), "f")
			p := durable.NewPublisher(durable.Options{})
			if _, err := p.Create(path, strings.Repeat("x", size)); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := durable.Read(path, durable.MaxBytes, durable.NoFollow); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
