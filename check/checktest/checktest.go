// Package checktest lets tests demand that the stores they touch are sound: what a
// test does to a store is examined when it ends (package check).
package checktest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/algal-vm/algal/check"
	"github.com/algal-vm/algal/organism"
)

// Option changes what [Clean] demands.
type Option func(*demand)

type demand struct {
	allowed []check.Kind
	options check.Options
}

// Allow admits findings of kinds that ask for attention, for tests that leave
// something interrupted on purpose. Damage is never admitted.
func Allow(kinds ...check.Kind) Option {
	return func(d *demand) { d.allowed = append(d.allowed, kinds...) }
}

// Tools gives the signatures of custom tools, without which programs that name them
// are not replayed.
func Tools(tools map[string]*organism.Tool) Option {
	return func(d *demand) { d.options.Tools = tools }
}

// Clean has the store in dir examined when the test ends. The test fails on damage,
// on every finding that asks for attention and is not allowed, and on a process that
// could not be replayed. A store that does not exist by then is clean. What the test
// itself removes at its end, it must remove later: call Clean after t.TempDir.
func Clean(t testing.TB, dir string, options ...Option) {
	t.Helper()
	t.Cleanup(func() {
		t.Helper()
		Now(t, dir, options...)
	})
}

// Now is [Clean] at once.
func Now(t testing.TB, dir string, options ...Option) {
	t.Helper()
	d := demanded(options)
	for _, f := range d.examine(t, dir) {
		attention := f.Kind.Severity() == check.Attention && !slices.Contains(d.allowed, f.Kind)
		if attention || f.Kind.Severity() == check.Damage || f.Kind == check.PlaceUnknown {
			t.Errorf("store: %s", f.Value())
		}
	}
}

// Findings examines a store and returns all that is found, what is only counted
// included.
func Findings(t testing.TB, dir string, options ...Option) []check.Finding {
	t.Helper()
	d := demanded(options)
	d.options.Verbose = true
	return d.examine(t, dir)
}

func demanded(options []Option) *demand {
	d := &demand{}
	for _, o := range options {
		o(d)
	}
	return d
}

func (d *demand) examine(t testing.TB, dir string) (found []check.Finding) {
	t.Helper()
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, err := check.Store(context.Background(), dir, d.options, func(f check.Finding) { found = append(found, f) })
	if err != nil {
		t.Errorf("store cannot be examined: %v", err)
	}
	return found
}
