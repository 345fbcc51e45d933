//go:build unix

package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/buildinfo"
	"github.com/algal-vm/algal/internal/shell"
)

const moveAdvice = "put the store on a local disk, for example with --dir PATH and a file system such as ext4, xfs, btrfs, zfs or apfs"

// program says who examines.
func program(*examination, context.Context) Check {
	info := buildinfo.Read("algal")
	return fine("%s %s, %s, %s/%s, user %d", info.Name, info.Version, info.Go, runtime.GOOS, runtime.GOARCH, os.Geteuid())
}

// directory looks at what has the name of the store (store.md §3.1, §4.1).
func directory(e *examination, _ context.Context) Check {
	switch {
	case e.info == nil:
		return fine("there is none yet; the first publication makes it")
	case e.info.Mode()&os.ModeSymlink != 0:
		advice := "give the directory itself, not a link to it"
		if real, err := filepath.EvalSymlinks(e.store); err == nil {
			advice += ": --dir " + shell.Quote(real)
		}
		return problem(advice, "it is a symbolic link, and a store is never reached through one")
	case !e.info.IsDir():
		return problem("move it away, or name another store with --dir PATH", "it is not a directory")
	}
	return fine("it is a directory")
}

// filesystem judges by the type alone what the other checks cannot try on one
// machine, in one moment.
func filesystem(e *examination, _ context.Context) Check {
	if e.untold != nil {
		return warning("find out whether it is a disk of this machine, and "+moveAdvice+" if it is not",
			"the file system cannot be told: %v", durable.Cause(e.untold))
	}
	switch v := e.volume; v.Medium {
	case Memory:
		return warning(moveAdvice+"; for a store that may be lost this one will do",
			"%s, in memory: a store is gone when the machine restarts", v.Type)
	case Overlay:
		return warning("mount a volume and put the store into it with --dir PATH",
			"%s, the layers of a container: a store is gone when the container is removed", v.Type)
	case Served:
		return warning("let no other machine use the same store, and if it is the folder of another machine "+moveAdvice,
			"%s, served by a program or by the host: leases and syncs are worth what that makes of them", v.Type)
	case Network:
		return problem(moveAdvice,
			"%s, a network file system: a lease may be held twice, or outlive its owner, when machines or their connection fail", v.Type)
	case Unknown:
		return fine("%s, which this version does not know; the other checks decide", v.Type)
	}
	return fine("%s, on a disk of this machine", e.volume.Type)
}

// The room below which a check says so. The largest object has 64 MiB.
const (
	leastBytes = 1 << 20
	fewBytes   = 4 * durable.MaxBytes
	leastFiles = 64
	fewFiles   = 10_000
)

func space(e *examination, _ context.Context) Check {
	v := e.volume
	if e.untold != nil {
		return Check{}
	}
	finding := sized(v.FreeBytes) + " are free"
	if v.Files > 0 {
		finding += fmt.Sprintf(", and %d of %d inodes", v.FreeFiles, v.Files)
	}
	full := func(bytes, files uint64) bool {
		return v.FreeBytes < bytes || v.Files > 0 && v.FreeFiles < files
	}
	const advice = "free some room, or name a store on another file system with --dir PATH"
	switch {
	case full(leastBytes, leastFiles):
		return problem(advice, "%s, too little to publish anything", finding)
	case full(fewBytes, fewFiles):
		return warning(advice+"; an object may have 64 MiB, and each is a file", "%s", finding)
	}
	return fine("%s", finding)
}

// sized returns a number of bytes in words.
func sized(n uint64) string {
	for _, u := range []struct {
		shift uint
		name  string
	}{{40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n >= 1<<u.shift {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(uint64(1)<<u.shift), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// owner compares whose files this user makes with those that are there: what is
// published has mode 0600.
func owner(e *examination, _ context.Context) Check {
	ours := ownerOf(e.probe)
	for _, room := range e.rooms {
		if theirs := ownerOf(room); theirs != ours {
			return mixed(e.store, room, theirs, ours)
		}
	}
	return fine("what is there and what is made belongs to user %d", ours)
}

// mixed is the warning of a store in which a directory belongs to another user.
func mixed(store, room string, theirs, ours uint32) Check {
	return warning(fmt.Sprintf("always use a store as the same user, or give it to this one: chown -R %d %s", ours, shell.Quote(store)),
		"%s belongs to user %d; what is made now belongs to user %d, and the other cannot read it", room, theirs, ours)
}

func ownerOf(path string) uint32 {
	info, err := os.Lstat(path)
	if err != nil {
		return 0
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return st.Uid
}
