package durable

import (
	"io"
	"os"
	"strings"
	"sync"

	"github.com/algal-vm/algal"
)

// Links says whether the last component of a path may be a symbolic link.
type Links bool

// Files of a store are never links; files that the user names may be (store.md
// §4.1, §9).
const (
	NoFollow Links = false
	Follow   Links = true
)

// MaxBytes is the largest byte bound of the contract, 64 MiB.
const MaxBytes = 67_108_864

// File is a regular file that was read whole and is still open, so that it can be
// retained once its content has been judged. Close it.
type File struct {
	Text string
	Size int // by fstat when it was opened; another length of Text means that it changed

	path string
	file *os.File
}

// Open admits a regular file of at most bound bytes and reads it (store.md §4.3
// steps 2 to 4, §9.1, custody.md §3.1). It never waits for a FIFO or a device.
// The error is a [*Fault].
func Open(path string, bound int, links Links) (*File, error) {
	file, err := openFile(path, links)
	if err != nil {
		return nil, openFault(path, links, err)
	}
	f := &File{path: path, file: file}
	if err := f.read(bound); err != nil {
		file.Close()
		return nil, err
	}
	return f, nil
}

// Close releases the descriptor.
func (f *File) Close() error { return f.file.Close() }

const chunkSize = 64 << 10

var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// read takes in the content through a small buffer: the text is allocated once,
// at the size that fstat tells, and never copied.
func (f *File) read(bound int) error {
	info, err := f.file.Stat()
	if err != nil {
		return systemFault(OpStat, f.path, err)
	}
	if !info.Mode().IsRegular() {
		return &Fault{Kind: Irregular, Op: OpOpen, Path: f.path}
	}
	if info.Size() > int64(bound) {
		return &Fault{Kind: TooLarge, Op: OpOpen, Path: f.path, Bound: bound}
	}
	f.Size = int(info.Size())
	chunk := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(chunk)
	var text strings.Builder
	text.Grow(f.Size)
	for {
		n, err := f.file.Read(chunk[:min(chunkSize, bound+1-text.Len())])
		text.Write(chunk[:n])
		if text.Len() > bound {
			return &Fault{Kind: Grown, Op: OpRead, Path: f.path, Bound: bound}
		}
		if err == io.EOF {
			f.Text = text.String()
			return nil
		}
		if err != nil {
			return systemFault(OpRead, f.path, err)
		}
	}
}

// Read returns the content of a regular file of at most bound bytes. The error is
// a [*Fault].
func Read(path string, bound int, links Links) (string, error) {
	f, err := Open(path, bound, links)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return f.Text, nil
}

// ReadNamed reads a file that the user named: it may be a link to a regular file
// of at most bound bytes, 1 to [MaxBytes]. Refusals by type and size have the wire
// texts of store.md §9.1 with label in front. Any other failure, a missing file
// among them, is a [*Fault] that the caller words (cli.md §1.4, bundle.md §4.2).
func ReadNamed(path, label string, bound int) (string, error) {
	if bound < 1 || bound > MaxBytes {
		return "", algal.Errorf(algal.ParseFailed, "%s: invalid byte limit", label)
	}
	text, err := Read(path, bound, Follow)
	return text, Labelled(err, label)
}

// Labelled gives a refusal by type or size its text of store.md §9.1 and returns
// any other error as it is.
func Labelled(err error, label string) error {
	f, ok := err.(*Fault)
	if !ok {
		return err
	}
	switch f.Kind {
	case Irregular, TooLarge:
		return algal.Errorf(f.Code(), "%s: regular file byte bound", label)
	case Grown:
		return algal.Errorf(f.Code(), "%s exceeds %d bytes", label, f.Bound)
	}
	return err
}
