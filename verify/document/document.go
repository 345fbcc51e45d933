// Package document reads evidence documents from where people keep them: a file,
// standard input, a directory, plain or compressed (toolchain.md §1.1). It gives
// text; what the text is worth is for package verify.
//
// A file is admitted as evidence.md §3 step 1 says: regular, within the byte
// bound, and opened without ever waiting for a FIFO or a device.
package document

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/verify"
)

// label begins the wire texts of a refused file.
const label = "process evidence"

// ErrUnreadable marks an error that says nothing about a document: the file is
// absent, may not be read, or the system failed.
var ErrUnreadable = errors.New("unreadable")

// ReadFile returns the text of the document in a file, unpacked. The file may be a
// link to a regular file of at most 64 MiB.
func ReadFile(path string) (string, error) {
	text, err := durable.ReadNamed(path, label, verify.MaxBytes)
	if err != nil {
		return "", unreadable(err)
	}
	return unpacked(text)
}

// ReadFrom returns the text of the document that r holds, unpacked.
func ReadFrom(r io.Reader) (string, error) {
	var text strings.Builder
	_, err := io.Copy(&text, io.LimitReader(r, verify.MaxBytes+1))
	if err != nil {
		return "", unreadable(err)
	}
	if text.Len() > verify.MaxBytes {
		return "", tooLarge()
	}
	return unpacked(text.String())
}

func tooLarge() error {
	return algal.Errorf(algal.BudgetExhausted, "%s exceeds %d bytes", label, verify.MaxBytes)
}

// unreadable words an error of the system; a refusal by type or size stands.
func unreadable(err error) error {
	var fault *durable.Fault
	if code := algal.CodeOf(err); code != algal.IOFailed && code != algal.Internal {
		return err
	}
	reason := err
	if errors.As(err, &fault) && fault.Err != nil {
		reason = fault.Err
	}
	return errors.Join(&algal.Error{Code: algal.IOFailed, Message: "cannot be read: " + reason.Error()}, ErrUnreadable)
}

// Names of documents in a directory.
const (
	plainSuffix      = ".json"
	compressedSuffix = ".json.zst"
	reportSuffix     = ".evidence-report.json"
)

// List returns the documents directly in a directory, joined with its name by /,
// in byte order. It reports false when path is no directory.
func List(path string) (names []string, isDir bool, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return nil, false, nil // reading the file says what is wrong
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, true, unreadable(err)
	}
	for _, e := range entries {
		if name := e.Name(); isDocument(e) {
			names = append(names, strings.TrimSuffix(filepath.ToSlash(path), "/")+"/"+name)
		}
	}
	slices.Sort(names)
	return names, true, nil
}

func isDocument(e fs.DirEntry) bool {
	name := e.Name()
	return !e.IsDir() && !strings.HasSuffix(name, reportSuffix) &&
		(strings.HasSuffix(name, plainSuffix) || strings.HasSuffix(name, compressedSuffix))
}
