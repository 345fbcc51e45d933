package durable

import (
	"io"
	"io/fs"
	"slices"
	"strings"
)

// Entries returns the entries of a directory in byte order of their names. Every
// entry counts, whatever its name and type; the first one beyond bound ends the
// scan (store.md §9). A missing directory satisfies errors.Is(err,
// fs.ErrNotExist). The error is a [*Fault].
func Entries(dir string, bound int, links Links) ([]fs.DirEntry, error) {
	f, err := openDirectory(dir, links)
	if err != nil {
		return nil, openFault(dir, links, err)
	}
	defer f.Close()
	var list []fs.DirEntry
	for {
		some, err := f.ReadDir(bound + 1 - len(list))
		list = append(list, some...)
		if len(list) > bound {
			return nil, &Fault{Kind: TooMany, Op: OpRead, Path: dir, Bound: bound}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, systemFault(OpRead, dir, err)
		}
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

const (
	tempPrefix = ".tmp-"
	tempBytes  = 24 // random ones, written as 48 hexadecimal digits
)

// IsTemp reports whether name is that of a temporary file, which a crash may
// leave behind and nobody interprets (store.md §1.2).
func IsTemp(name string) bool {
	digits, found := strings.CutPrefix(name, tempPrefix)
	return found && len(digits) == 2*tempBytes && strings.Trim(digits, "0123456789abcdef") == ""
}
