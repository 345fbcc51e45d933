//go:build !unix

package durable

import (
	"io/fs"
	"os"
	"syscall"
)

// Without O_NONBLOCK the type is looked at before the file is opened.

func openFile(path string, links Links) (*os.File, error) {
	info, err := stat(path, links)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &Fault{Kind: irregularKind(info), Op: OpOpen, Path: path}
	}
	return os.Open(path)
}

func openDirectory(path string, links Links) (*os.File, error) {
	info, err := stat(path, links)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	return os.Open(path)
}

func stat(path string, links Links) (fs.FileInfo, error) {
	if links == Follow {
		return os.Stat(path)
	}
	return os.Lstat(path)
}

func irregularKind(info fs.FileInfo) Kind {
	if info.Mode()&fs.ModeSymlink != 0 {
		return Symlink
	}
	return Irregular
}

func openFault(path string, _ Links, err error) *Fault {
	if f, ok := err.(*Fault); ok {
		return f
	}
	return systemFault(OpOpen, path, err)
}
