package crash

import (
	"context"
	_ "embed"
	"path/filepath"
	"regexp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/adapter"
	"github.com/algal-vm/algal/demo/qualification"
	"github.com/algal-vm/algal/demo/stage"
)

//go:embed recovery.algal.json
var program string

// The files of a case, in a directory of the workspace that has its label.
const (
	programFile      = "recovery.algal.json"
	toolsFile        = "tools.json"
	changedToolsFile = "changed-tools.json"
	storeDir         = "store"
)

// worker is the name of the process.
const worker = "worker"

// actor is a runtime with the name of its role.
type actor struct {
	*stage.Program
	name string
}

// incident is one case: an owner that is killed, and another runtime that comes
// after it.
type incident struct {
	*qualification.Session
	label  string
	effect string // of the pending call
	owner  actor
	other  actor

	process *stage.Owned // the owner's dispatch, nil once it was joined
	marker  string       // of the owner, as it was when it lived
	intent  algal.Digest
	calls   []adapter.Call // that were made up to the crash
	found   findings
}

// play goes through the case (demo.md §3.2).
func (c *incident) play(ctx context.Context) error {
	defer func() {
		if c.process != nil {
			c.process.Kill() // what ended it is told already
		}
	}()
	steps := []func(context.Context) error{c.lay, c.dispatch, c.observe, c.exclude, c.kill, c.pass, c.mistake}
	if c.effect == adapter.Read {
		steps = append(steps, c.reconfigure, c.recover, c.verify, c.inspectJournal, c.inspectOwners)
	} else {
		steps = append(steps, c.refuse)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// lay writes the program and the tools of the case.
func (c *incident) lay(context.Context) error {
	if err := c.Mkdir(c.label); err != nil {
		return err
	}
	for name, text := range map[string]string{
		programFile:      program,
		toolsFile:        c.tools(1).String() + "\n",
		changedToolsFile: c.tools(2).String() + "\n",
	} {
		if _, err := c.Write(filepath.Join(c.label, name), text); err != nil {
			return err
		}
	}
	return c.place().Block()
}

// tools returns the content of a tools file. What the first call costs is part of
// the configuration that a journal binds.
func (c *incident) tools(cost int) canon.Value {
	return canon.Object(
		canon.M("prefix.v1", c.place().Declaration(c.Self, adapter.Prefix, adapter.Write, cost)),
		canon.M("pending.v1", c.place().Declaration(c.Self, adapter.Pending, c.effect, 1)),
	)
}

func (c *incident) place() adapter.Place { return adapter.Place(c.Path(c.label)) }

func (c *incident) file(name string) string { return filepath.Join(c.Path(c.label), name) }

// holds asserts a fact of this case.
func (c *incident) holds(truth bool, line, format string, found ...any) error {
	return c.That(truth, c.label+": "+line, format, found...)
}

// inStore returns a command in the store of the case, with the tools of the dispatch.
func (c *incident) inStore(words ...string) []string {
	return c.inStoreWith(toolsFile, words...)
}

func (c *incident) inStoreWith(tools string, words ...string) []string {
	return append(words, "--tools", c.file(tools), "--dir", c.file(storeDir))
}

// inspection returns the command that shows the process.
func (c *incident) inspection() []string {
	return []string{"process", "inspect", worker, "--dir", c.file(storeDir)}
}

// recovery returns the command that recovers an intent with a tools file.
func (c *incident) recovery(intent algal.Digest, tools string) []string {
	return c.inStoreWith(tools, "process", "recover", worker, "--expected-intent", string(intent))
}

// asks runs a command that must succeed and returns what it prints.
func (c *incident) asks(ctx context.Context, a actor, line string, args []string) (canon.Value, error) {
	return c.Ask(ctx, a.Program, c.label+": "+line, args...)
}

// refuses asserts that a command fails and that what it says matches.
func (c *incident) refuses(ctx context.Context, a actor, line string, want *regexp.Regexp, args []string) error {
	ended, err := c.Run(ctx, a.Program, c.label+": "+line, args...)
	if err != nil {
		return err
	}
	refused := ended.Exit > 0 && want.MatchString(ended.Stderr)
	return c.holds(refused, line, "%s", qualification.Described(ended))
}

// What a refusal must say. To be blocked is not to be locked.
var (
	anything    = regexp.MustCompile(``)
	heldElse    = regexp.MustCompile(`(?i)(^|[^b])locked|busy|held`)
	unknownDone = regexp.MustCompile(`(?i)unknown.*(write|completion)|reconciliation`)
)
