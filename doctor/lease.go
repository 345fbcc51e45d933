//go:build unix

package doctor

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/algal-vm/algal/custody"
)

// leaseTime bounds the check: a second process is started and two leases are taken.
const leaseTime = 20 * time.Second

const leaseAdvice = "the file system does not lock as SQLite needs it: " + moveAdvice

func leasePlace(dir string) custody.Place { return custody.Place{Dir: dir, Label: "doctor"} }

// lease sees whether a lease excludes others as long as its owner lives and no
// longer (custody.md §4, §5).
func lease(e *examination, ctx context.Context) Check {
	ctx, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	place := leasePlace(filepath.Join(e.probe, "lease"))
	owner, err := e.system.StartOwner(ctx, place.Dir)
	if err != nil {
		return problem(leaseAdvice, "a second process could not take a lease: %v", err)
	}
	defer owner.Kill()
	alive, err := custody.Inspect(place)
	if err != nil {
		return problem(leaseAdvice, "the marker of a lease cannot be read: %v", err)
	}
	second, err := custody.Acquire(ctx, e.files, place)
	switch {
	case err == nil:
		second.Release() // the first owner may have spoilt it; it is over with both
		return problem(leaseAdvice, "two processes held the same lease at the same time")
	case !custody.Held(err):
		return problem(leaseAdvice, "a lease that another process holds was not refused as such: %v", err)
	}
	if err := owner.Kill(); err != nil {
		return problem("try again; if it stays so, look at what keeps processes from being killed", "the owner of a lease could not be killed: %v", err)
	}
	return e.succeed(ctx, place, alive.Nonce)
}

// succeed takes the lease of an owner that was killed, whose marker had the nonce.
func (e *examination) succeed(ctx context.Context, place custody.Place, nonce string) Check {
	begin := e.system.Now()
	next, err := custody.Acquire(ctx, e.files, place)
	took := e.system.Now().Sub(begin)
	switch {
	case custody.Held(err):
		return problem(leaseAdvice, "a lease was still held when its owner had been killed")
	case err != nil:
		return problem(leaseAdvice, "the lease of an owner that was killed cannot be taken: %v", err)
	}
	state, err := custody.Inspect(place)
	if failed := next.Release(); err == nil {
		err = failed
	}
	switch {
	case err != nil:
		return problem(leaseAdvice, "a lease cannot be given up: %v", err)
	case !slices.Equal(state.Archived, []string{nonce}):
		return problem(leaseAdvice, "the owner that was killed left no evidence: archived are %q instead of its marker %q", state.Archived, nonce)
	}
	return fine("another process held a lease against this one, and %s after it was killed this one had it", rounded(took))
}
