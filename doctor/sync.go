//go:build unix

package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/shell"
)

const (
	syncRounds = 8

	// instant is less than any disk takes to make a new file durable. Nothing has
	// waited for one.
	instant = 5 * time.Microsecond
)

// fsync syncs files and their directory, and times it.
func fsync(e *examination, ctx context.Context) Check {
	dir, err := e.room("fsync")
	var files, dirs []time.Duration
	for i := 0; err == nil && i < syncRounds && ctx.Err() == nil; i++ {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err = e.create(path, strings.Repeat("x", objectBytes)); err != nil {
			break
		}
		var file, parent time.Duration
		if file, err = e.syncTimed(durable.OpFileSync, path); err == nil {
			parent, err = e.syncTimed(durable.OpDirSync, dir)
		}
		files, dirs = append(files, file), append(dirs, parent)
	}
	if err != nil {
		return problem(moveAdvice, "%v; without a sync nothing survives a crash", err)
	}
	took := fmt.Sprintf("a sync takes %s for a file and %s for a directory, medians of %d", rounded(median(files)), rounded(median(dirs)), len(files))
	switch {
	case e.volume.Medium == Memory:
		return fine("%s; in memory there is nothing to wait for", took)
	case median(files) < instant:
		return warning("look for what leaves syncs out (a volatile overlay, libeatmydata, a mount option, the disk's cache in the settings of a virtual machine) and switch it off",
			"%s: no disk is so fast, so a sync waits for none", took)
	}
	return fine("%s", took)
}

// syncTimed syncs a file or directory and tells how long it took.
func (e *examination) syncTimed(op durable.Op, path string) (time.Duration, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, durable.Cause(err)
	}
	defer f.Close()
	begin := e.system.Now()
	err = e.files.Do(durable.Step{Op: op, Path: path}, f.Sync)
	return e.system.Now().Sub(begin), err
}

// ancestors syncs the directories up to the root, as the first publication of a
// process does (store.md §3.1 step 5).
func ancestors(e *examination, _ context.Context) Check {
	before := e.dirSyncs
	_, err := e.files.Ensure(e.probe)
	f, _ := errors.AsType[*durable.Fault](err)
	switch {
	case f != nil && errors.Is(err, fs.ErrPermission):
		return problem(fmt.Sprintf("let this user read it (chmod o+r %s), or name a store elsewhere with --dir PATH", shell.Quote(f.Path)),
			"%s cannot be synced: %v; a publication opens every directory up to /", f.Path, f.Err)
	case f != nil:
		return problem(moveAdvice, "%s cannot be synced: %v; a publication syncs every directory up to /", f.Path, f.Err)
	case err != nil:
		return problem(moveAdvice, "the directories up to / cannot be synced: %v", err)
	}
	return fine("%d directories up to / can be synced", e.dirSyncs-before)
}

// What is timed as a publication.
const (
	objectBytes      = 1000
	publications     = 20
	publicationTime  = 5 * time.Second // after which no further one begins
	slowPublication  = 50 * time.Millisecond
	fewestToTime     = 3
	publishedPerTick = 7 // a tick without effects: the marker, two records, the receipt, two heads; and the marker's removal
)

// publication times publications as a store makes them.
func publication(e *examination, ctx context.Context) Check {
	dir := filepath.Join(e.probe, "publication")
	if err := e.publish(dir, 0); err != nil {
		return unpublished(err)
	}
	before, begun := e.dirSyncs, e.system.Now()
	var times []time.Duration
	for i := range publications {
		begin := e.system.Now()
		if ctx.Err() != nil || len(times) >= fewestToTime && begin.Sub(begun) > publicationTime {
			break
		}
		if err := e.publish(dir, i+1); err != nil {
			return unpublished(err)
		}
		times = append(times, e.system.Now().Sub(begin))
	}
	if len(times) == 0 {
		return Check{} // cancelled
	}
	e.perObject = (e.dirSyncs - before) / len(times)
	typical := median(times)
	finding := fmt.Sprintf("publishing %d bytes takes %s, median of %d, and at most %s; a tick publishes about %d times, which takes %s",
		objectBytes, rounded(typical), len(times), rounded(slices.Max(times)), publishedPerTick, rounded(publishedPerTick*typical))
	if typical > slowPublication {
		return warning("put the store on a faster disk, such as an SSD, or find out what else keeps this one busy", "%s", finding)
	}
	return fine("%s", finding)
}

// publish publishes a file of its own.
func (e *examination) publish(dir string, n int) error {
	fresh, err := e.files.Create(filepath.Join(dir, fmt.Sprintf("%d.json", n)), strings.Repeat("x", objectBytes))
	if err == nil && !fresh {
		return fmt.Errorf("a new name was said to be taken")
	}
	return err
}

func unpublished(err error) Check {
	return problem(moveAdvice, "nothing can be published: %v", err)
}

// birthTime tells whether directories are recognised, so that their ancestors need
// no sync for every publication (package durable).
func birthTime(e *examination, _ context.Context) Check {
	if e.perObject > 1 {
		return warning("for speed put the store on a file system that tells it, such as ext4, xfs, btrfs or apfs, or keep the path to the store short",
			"a directory does not show the same time of birth whenever it is looked at, so each publication syncs %d directories instead of 1", e.perObject)
	}
	return fine("directories show when they were made, so a publication syncs only its own")
}

func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

// rounded returns a duration with the digits that mean something.
func rounded(d time.Duration) time.Duration {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond)
	case d >= time.Microsecond:
		return d.Round(100 * time.Nanosecond)
	}
	return d
}
