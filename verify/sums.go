package verify

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// sums are the digests that admission compares, computed on all cores: hashing is
// most of what admission costs. They are computed whether or not the document is
// admitted, which changes no verdict.
type sums struct {
	whole   algal.Digest
	entries map[string][]algal.Digest // by map, in member order
	inner   []algal.Digest            // receipts without their digest member, in member order
	wait    func()
}

// entryMaps are the maps of a document whose keys are digests of their values.
var entryMaps = []string{"records", "receipts", "manifests", "values"}

func entryMap(v canon.Value, name string) canon.Value {
	if name == "manifests" || name == "values" {
		return v.Get("program").Get(name)
	}
	return v.Get(name)
}

// hashAll starts hashing everything in the document that has a digest.
func hashAll(v canon.Value) *sums {
	s := &sums{entries: map[string][]algal.Digest{}}
	jobs := []func(){func() { s.whole = v.Digest() }}
	for _, name := range entryMaps {
		m := entryMap(v, name)
		if !m.Is(canon.KindObject) {
			continue
		}
		list := make([]algal.Digest, m.Len())
		s.entries[name] = list
		for i := range list {
			jobs = append(jobs, func() { list[i] = m.At(i).Digest() })
		}
	}
	if receipts := v.Get("receipts"); receipts.Is(canon.KindObject) {
		s.inner = make([]algal.Digest, receipts.Len())
		for i := range s.inner {
			jobs = append(jobs, func() { s.inner[i] = receipts.At(i).DigestWithout("digest") })
		}
	}
	s.wait = sync.OnceFunc(inParallel(len(jobs), func(i int) { jobs[i]() }))
	return s
}

func (s *sums) document() algal.Digest {
	s.wait()
	return s.whole
}

func (s *sums) of(name string, i int) algal.Digest {
	s.wait()
	return s.entries[name][i]
}

func (s *sums) intrinsic(i int) algal.Digest {
	s.wait()
	return s.inner[i]
}

// inParallel starts n calls of f on all cores and returns what waits for them.
func inParallel(n int, f func(int)) (wait func()) {
	var (
		next  atomic.Int64
		group sync.WaitGroup
	)
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	return group.Wait
}
