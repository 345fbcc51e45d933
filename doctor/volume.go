//go:build unix

package doctor

// Volume is a file system.
type Volume struct {
	Type   string // as mount names it
	Medium Medium

	FreeBytes uint64 // for this user
	FreeFiles uint64
	Files     uint64 // at most; 0 where they are not counted
}

// Medium says where a file system keeps its files.
type Medium uint8

// The media.
const (
	Unknown Medium = iota // a type that is not known here
	Disk                  // of this machine
	Memory                // of this machine
	Overlay               // the layers of a container
	Served                // by another program or the host: FUSE, folders shared with a guest
	Network               // other machines have it too
)
