// Package buildinfo says which build of the module a command is.
package buildinfo

import (
	"runtime"
	"runtime/debug"

	"github.com/algal-vm/algal/canon"
)

// version is set by the linker where a build has no module version of its own, as
// from an unpacked archive: -ldflags "-X .../internal/buildinfo.version=v1.2.3".
var version string

// Contracts are the contracts that this build speaks, in byte order.
var Contracts = []string{
	"algal.bundle.v1", "algal.effect.v1", "algal.expr.v1", "algal.organism.v1", "algal.process-evidence.v1",
	"algal.process.v1", "algal.replay-comparison.v1", "algal.run.v1", "algal.tool-effect.v1",
}

// Info is what a build knows of itself.
type Info struct {
	Name     string
	Version  string
	Revision string // "" when it was not recorded
	Go       string
}

// Read returns the information of the running command.
func Read(name string) Info {
	info := Info{Name: name, Version: version, Go: runtime.Version()}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	if info.Version == "" {
		info.Version = build.Main.Version
	}
	dirty := false
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Revision = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty && info.Revision != "" {
		info.Revision += "+dirty"
	}
	return info
}

// Value returns the record that --version --json prints (cli.md §9).
func (i Info) Value() canon.Value {
	contracts := make([]canon.Value, len(Contracts))
	for n, c := range Contracts {
		contracts[n] = canon.String(c)
	}
	revision := canon.Null()
	if i.Revision != "" {
		revision = canon.String(i.Revision)
	}
	return canon.Object(
		canon.M("contracts", canon.Array(contracts...)),
		canon.M("go", canon.String(i.Go)),
		canon.M("name", canon.String(i.Name)),
		canon.M("revision", revision),
		canon.M("version", canon.String(i.Version)),
	)
}
