package command

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/subprocess"
)

// Isolation declares where an isolated command runs (run.md §8.5.3).
type Isolation struct {
	Dir         string // absolute path of an existing directory, at most 4096 bytes
	Environment Environment
	Limits      Limits
}

const maxDir = 4096 // bytes

// NewIsolated returns the executor of a line of shell that runs in a declared
// directory, environment and set of limits. Everything that the line inherits is
// in the configuration digest but for the values of inherited variables.
//
// A declaration out of its bounds is PARSE_FAILED. A limit that the shell cannot
// set ends the command with exit status 111 before the line runs.
func NewIsolated(line string, isolation Isolation, options Options) (*Executor, error) {
	if err := check(line, &options); err != nil {
		return nil, err
	}
	if err := checkDir(isolation.Dir); err != nil {
		return nil, err
	}
	if err := isolation.Environment.check(); err != nil {
		return nil, err
	}
	if err := isolation.Limits.check(); err != nil {
		return nil, err
	}
	descriptor := canon.Object(
		canon.M("env", isolation.Environment.value()),
		canon.M("limits", isolation.Limits.value()),
		canon.M("platform", canon.String(runtime.GOOS)),
	)
	identity := canon.Object(
		canon.M("command", canon.String(line)),
		canon.M("isolation", descriptor),
		canon.M("options", options.value()),
	)
	command := subprocess.Command{
		Argv: []string{"/bin/sh", "-c", isolation.Limits.script(), "algal-isolated-command", line},
		Dir:  isolation.Dir,
	}
	e := assemble(command, canon.String(isolation.Dir), descriptor, identity, &options)
	e.environment = isolation.Environment.clone()
	return e, nil
}

func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() || !filepath.IsAbs(dir) || len(dir) > maxDir || !isText(dir) {
		return algal.Errorf(algal.ParseFailed, "isolation cwd must be the absolute path of an existing directory, at most %d bytes long", maxDir)
	}
	return nil
}

// script sets the limits and becomes the shell of the line, its first argument.
func (l *Limits) script() string {
	var b strings.Builder
	b.WriteString("umask 077 || exit 111\n")
	for _, set := range l.ulimits() {
		b.WriteString("ulimit " + set + " || exit 111\n")
	}
	b.WriteString(`exec /bin/sh -c "$1"`)
	return b.String()
}
