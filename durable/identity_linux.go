package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

func identityOf(f *os.File) identity { return statx(int(f.Fd()), "", unix.AT_EMPTY_PATH) }

func identityAt(path string) identity { return statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW) }

func statx(dirfd int, path string, flags int) identity {
	const want = unix.STATX_INO | unix.STATX_BTIME
	var st unix.Statx_t
	if err := unix.Statx(dirfd, path, flags, want, &st); err != nil || st.Mask&want != want {
		return identity{}
	}
	return identity{
		device: uint64(st.Dev_major)<<32 | uint64(st.Dev_minor),
		inode:  st.Ino,
		born:   st.Btime.Sec*1e9 + int64(st.Btime.Nsec),
		told:   true,
	}
}
