package main

import (
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// checks are the checks of explain (cli.md §9.3) in their order.
type checks struct {
	list   []canon.Value
	failed bool
}

func (c *checks) add(kind string, name canon.Value, err error) {
	var code, message canon.Value
	if err != nil {
		e := algal.AsError(err)
		code, message = canon.String(string(e.Code)), canon.String(e.Message)
		c.failed = true
	}
	c.list = append(c.list, canon.Object(
		canon.M("check", canon.String(kind)),
		canon.M("code", code),
		canon.M("message", message),
		canon.M("name", name),
		canon.M("ok", canon.Bool(err == nil)),
	))
}

// localContextTool is the tool that every host has (run.md §9.6).
const localContextTool = "agent.context.local.v1"

// examine looks for everything that a program names, each name once.
func examine(m *organism.Manifest, host runtime.Host) *checks {
	functions := organism.Builtins()
	var named struct{ functions, tools, manifests []string }
	for _, c := range m.Cells {
		if c.Fn != "" {
			named.functions = append(named.functions, c.Fn)
		}
		for _, tool := range toolsOf(c) {
			if functions[tool] != nil {
				named.functions = append(named.functions, tool)
			} else {
				named.tools = append(named.tools, tool)
			}
		}
		if c.Manifest != "" {
			named.manifests = append(named.manifests, c.Manifest)
		}
	}
	c := &checks{}
	c.each("function", named.functions, func(name string) error {
		if functions[name] == nil {
			return algal.Errorf(algal.FnUnknown, `function "%s" is not registered`, name)
		}
		return nil
	})
	c.each("tool", named.tools, func(name string) error {
		if host.Tools[name] == nil && name != localContextTool {
			return algal.Errorf(algal.ToolUnknown, `tool "%s" is not configured`, name)
		}
		return nil
	})
	c.each("manifest", named.manifests, func(name string) error {
		d, err := algal.ParseDigest(name, "manifest")
		if err == nil {
			_, err = storedManifest(d, host.Store)
		}
		return err
	})
	return c
}

// each adds one check per name, in the order in which they first occur.
func (c *checks) each(kind string, names []string, check func(name string) error) {
	for i, name := range names {
		if !slices.Contains(names[:i], name) {
			c.add(kind, canon.String(name), check(name))
		}
	}
}
