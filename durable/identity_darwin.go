package durable

import (
	"os"
	"syscall"
)

func identityOf(f *os.File) identity { return birth(f.Stat()) }

func identityAt(path string) identity { return birth(os.Lstat(path)) }

func birth(info os.FileInfo, err error) identity {
	if err != nil {
		return identity{}
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{device: uint64(st.Dev), inode: st.Ino, born: st.Birthtimespec.Nano(), told: true}
}
