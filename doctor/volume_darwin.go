package doctor

import (
	"strings"

	"golang.org/x/sys/unix"
)

func volumeOf(dir string) (Volume, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return Volume{}, err
	}
	return Volume{
		Type:      unix.ByteSliceToString(st.Fstypename[:]),
		Medium:    mediumOf(unix.ByteSliceToString(st.Fstypename[:]), st.Flags&unix.MNT_LOCAL != 0),
		FreeBytes: st.Bavail * uint64(st.Bsize),
		FreeFiles: st.Ffree,
		Files:     st.Files,
	}, nil
}

func mediumOf(name string, local bool) Medium {
	switch {
	case strings.Contains(name, "fuse"), name == "virtiofs", name == "9p":
		return Served
	case !local:
		return Network
	case name == "tmpfs":
		return Memory
	case name == "apfs", name == "hfs", name == "exfat", name == "msdos":
		return Disk
	}
	return Unknown
}
