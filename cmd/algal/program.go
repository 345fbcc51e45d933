package main

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/tool/builtin"
	"github.com/algal-vm/algal/tool/hostfile"
	"github.com/algal-vm/algal/transport"
)

// programFlags say what a program may refer to beside the store (cli.md §1.2).
type programFlags struct {
	modules    string
	transports string
	tools      string
}

func (p *programFlags) declare(flags *pflag.FlagSet) {
	p.declareModules(flags)
	textFlag(flags, &p.transports, "transports", "`FILE` that names where missing manifests come from")
	p.declareTools(flags)
}

func (p *programFlags) declareTools(flags *pflag.FlagSet) {
	textFlag(flags, &p.tools, "tools", "`FILE` that declares the host's tools")
}

func (p *programFlags) declareModules(flags *pflag.FlagSet) {
	textFlag(flags, &p.modules, "modules", "put every *.algal.json in `DIR` into the store first")
}

// host returns what a program may use, without executors. Every file is admitted
// before the modules go into the store, so that a refusal leaves nothing behind.
func (p *programFlags) host(ctx context.Context, s *streams, dir string) (runtime.Host, error) {
	host := runtime.Host{Deadline: deadline}
	var err error
	if host.Tools, err = p.readTools(); err != nil {
		return runtime.Host{}, err
	}
	if host.Transports, err = p.readTransports(ctx); err != nil {
		return runtime.Host{}, err
	}
	st := openStore(dir, s)
	host.Store = st
	maps.Copy(host.Tools, openMailboxes(st).Tools())
	if p.modules != "" {
		err = loadModules(p.modules, st, s)
	}
	return host, err
}

func deadline(ctx context.Context, ms int) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
}

// readTools returns the tools of the host: the built-in ones, which a file may not
// redefine, and those of the file.
func (p *programFlags) readTools() (map[string]*runtime.HostTool, error) {
	tools := builtin.Tools()
	v, err := readOptional(p.tools, "tools file")
	if err != nil || !v.Exists() {
		return tools, err
	}
	declared, err := hostfile.Parse(v, filepath.Dir(p.tools))
	if err != nil {
		return nil, about(err, "in %s", absolute(p.tools))
	}
	maps.Copy(tools, declared)
	return tools, nil
}

func (p *programFlags) readTransports(ctx context.Context) (map[string]organism.Transport, error) {
	v, err := readOptional(p.transports, "transports file")
	if err != nil || !v.Exists() {
		return nil, err
	}
	dir, err := workingDir()
	if err != nil {
		return nil, err
	}
	transports, err := transport.ParseConfig(ctx, v, dir)
	return transports, about(err, "in %s", absolute(p.transports))
}

// Bounds of a modules directory (store.md §9).
const (
	maxModuleEntries = 4_096
	maxModules       = 512
	moduleSuffix     = ".algal.json"
)

// loadModules puts the manifests of a directory into the store, sorted by the names
// of their files. It is no atomic import: what was put before a fault stays.
func loadModules(dir string, st *store, s *streams) error {
	entries, err := durable.Entries(dir, maxModuleEntries, durable.Follow)
	fault, _ := errors.AsType[*durable.Fault](err)
	switch {
	case fault != nil && fault.Kind == durable.TooMany:
		return algal.Errorf(algal.BudgetExhausted, "modules directory has more than %d entries", maxModuleEntries)
	case errors.Is(err, fs.ErrNotExist):
		return algal.Errorf(algal.ParseFailed, "%s: %v", absolute(dir), durable.Cause(err))
	case err != nil:
		return algal.Errorf(algal.IOFailed, "%s: %v", absolute(dir), durable.Cause(err))
	}
	loaded := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), moduleSuffix) {
			continue
		}
		if loaded == maxModules {
			err := algal.Errorf(algal.BudgetExhausted, "modules directory has more than %d manifests", maxModules)
			return about(err, "%s: the first %d are in the store", absolute(dir), loaded)
		}
		m, err := readManifest(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if _, err := st.PutManifest(m.Normal()); err != nil {
			return err
		}
		loaded++
	}
	s.note("modules: %s of %s in the store", counted(loaded, "manifest"), dir)
	return nil
}
