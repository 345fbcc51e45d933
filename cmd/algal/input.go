package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// Bounds of the files that a command line names (cli.md §1.4), in bytes.
const (
	maxDocument = 1_048_576 // manifests, args, responses, tools, transports, executors
	maxReceipt  = 67_108_864
	maxStored   = 262_144 // store put, slot set
)

// stdinName is the argument that stands for standard input, where that is
// admitted.
const stdinName = "-"

// input is a file that the user named.
type input struct {
	path  string
	label string // in the texts of store.md §9.1
	bound int
}

// absolute returns the path as messages name it.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// read returns the JSON value in the file. It may be a link to a regular file.
func (f input) read() (canon.Value, error) {
	text, err := durable.ReadNamed(f.path, f.label, f.bound)
	if err != nil {
		return canon.Value{}, unreadable(f.path, f.bound, err)
	}
	return f.parse(text, absolute(f.path))
}

// unreadable words the refusal of a file that the user named.
func unreadable(path string, bound int, err error) error {
	if algal.CodeOf(err) == algal.BudgetExhausted {
		return about(err, "%s is not a regular file of at most %d bytes", absolute(path), bound)
	}
	return algal.Errorf(algal.ParseFailed, "%s: %v", absolute(path), durable.Cause(err))
}

// readOr is read, or takes the text from standard input when the path is "-".
func (f input) readOr(stdin io.Reader) (canon.Value, error) {
	if f.path != stdinName {
		return f.read()
	}
	var text strings.Builder
	if _, err := io.Copy(&text, io.LimitReader(stdin, int64(f.bound)+1)); err != nil {
		return canon.Value{}, algal.Errorf(algal.ParseFailed, "standard input: %v", durable.Cause(err))
	}
	if text.Len() > f.bound {
		return canon.Value{}, algal.Errorf(algal.BudgetExhausted, "%s exceeds %d bytes", f.label, f.bound)
	}
	return f.parse(text.String(), "standard input")
}

func (f input) parse(text, name string) (canon.Value, error) {
	v, err := canon.Parse(text, canon.Limits{Bytes: f.bound})
	fault, ok := errors.AsType[*canon.Fault](err)
	switch {
	case err == nil:
		return v, nil
	case ok && fault.Bounds():
		return canon.Value{}, about(err, "in %s", name)
	}
	return canon.Value{}, algal.Errorf(algal.ParseFailed, "%s: %v", name, err)
}

// readOptional reads a file that a flag may name, absent when it does not.
func readOptional(path, label string) (canon.Value, error) {
	if path == "" {
		return canon.Value{}, nil
	}
	return input{path, label, maxDocument}.read()
}

// readManifest reads and admits a manifest.
func readManifest(path string) (*organism.Manifest, error) {
	v, err := input{path, "manifest", maxDocument}.read()
	if err != nil {
		return nil, err
	}
	m, err := organism.ParseManifest(v)
	return m, about(err, "in %s", absolute(path))
}

// readReceipt reads and admits a run receipt. Its digest is not compared.
func readReceipt(path string) (canon.Value, error) {
	v, err := input{path, "receipt", maxReceipt}.read()
	if fault, ok := errors.AsType[*canon.Fault](err); ok && fault.Kind == canon.FaultDepth {
		err = about(algal.Errorf(algal.ParseFailed, "receipt structural bounds exceeded"), "in %s", absolute(path))
	}
	if err != nil {
		return canon.Value{}, err
	}
	return v, about(runtime.ParseReceipt(v), "in %s", absolute(path))
}

// readArgs reads the arguments of a run, absent when no file is named.
func readArgs(path string, stdin io.Reader) (canon.Value, error) {
	if path == "" {
		return canon.Value{}, nil
	}
	v, err := input{path, "run arguments", runtime.MaxArgsBytes}.readOr(stdin)
	if err != nil {
		return canon.Value{}, err
	}
	v, err = runtime.AdmitArgs(v)
	return v, about(err, "in %s", displayed(path))
}

// displayed names a file or standard input in a note.
func displayed(path string) string {
	if path == stdinName {
		return "standard input"
	}
	return absolute(path)
}

// workingDir returns the directory against which transports are resolved.
func workingDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", algal.Errorf(algal.IOFailed, "working directory: %v", durable.Cause(err))
	}
	return dir, nil
}
