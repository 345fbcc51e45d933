package main

import (
	"github.com/spf13/pflag"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/executor/chat"
	"github.com/algal-vm/algal/executor/command"
	"github.com/algal-vm/algal/executor/memo"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/executor/subprocess"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// executorFlags say who answers the effects of a program (cli.md §2.3).
type executorFlags struct {
	responses    string
	command      string
	timeout      string
	file         string
	profile      string
	cwd          string
	env          string
	limits       string
	cacheEffects bool
	chat         chatFlags
}

const isolatedProfile = "isolated"

func (x *executorFlags) declare(flags *pflag.FlagSet) {
	textFlag(flags, &x.responses, "responses", "answer effects from the scripted `FILE`")
	textFlag(flags, &x.command, "executor-cmd", "answer effects by running the shell command `CMD`")
	textFlag(flags, &x.timeout, "executor-timeout-ms", "let --executor-cmd and --base-url take `N` milliseconds (default 120000)")
	textFlag(flags, &x.file, "executors", "`FILE` of named shell commands, one executor each")
	textFlag(flags, &x.profile, "executor-profile", "`PROFILE` of --executor-cmd; isolated declares all that it inherits")
	textFlag(flags, &x.cwd, "executor-cwd", "absolute working `DIR` of the isolated profile")
	textFlag(flags, &x.env, "executor-env", "`FILE` with the environment of the isolated profile")
	textFlag(flags, &x.limits, "executor-limits", "`FILE` with the resource limits of the isolated profile")
	switchFlag(flags, &x.cacheEffects, "cache-effects", "answer from the effect memo of the store and add to it")
	x.chat.declare(flags)
}

// executors are the executors of a command in the order in which they are asked.
type executors struct {
	list []runtime.Executor
	chat *chat.Executor // or nil
}

// open admits the flags and the files that they name. Nothing is started.
func (x *executorFlags) open(s *streams) (*executors, error) {
	if err := x.check(); err != nil {
		return nil, err
	}
	files, err := x.readFile()
	if err != nil {
		return nil, err
	}
	timeout, err := integer(x.timeout, "executor-timeout-ms", 1, subprocess.MaxTimeoutMs)
	if err != nil {
		return nil, err
	}
	opened := &executors{}
	if opened.chat, err = x.chat.open(timeout, s.note); err != nil {
		return nil, err
	}
	if opened.chat != nil {
		opened.list = append(opened.list, opened.chat)
	}
	if x.responses != "" {
		e, err := x.openScripted()
		if err != nil {
			return nil, err
		}
		opened.list = append(opened.list, e)
	}
	if x.command != "" {
		e, err := x.openCommand(timeout)
		if err != nil {
			return nil, err
		}
		opened.list = append(opened.list, e)
	}
	for _, e := range files {
		opened.list = append(opened.list, e)
	}
	return opened, nil
}

// check holds the flags to each other; the first fault of provider-chat.md §1
// counts.
func (x *executorFlags) check() error {
	if err := x.chat.check(x.responses != "" || x.command != ""); err != nil {
		return err
	}
	if err := oneOf(x.profile, "executor-profile", isolatedProfile); err != nil {
		return err
	}
	isolation := x.cwd != "" || x.env != "" || x.limits != ""
	switch {
	case x.profile == "" && isolation:
		return usage("--executor-cwd, --executor-env, and --executor-limits require --executor-profile %s", isolatedProfile)
	case x.profile != "" && (x.command == "" || x.cwd == ""):
		return usage("--executor-profile %s requires --executor-cmd and --executor-cwd", isolatedProfile)
	}
	return nil
}

// readFile returns the executors of --executors.
func (x *executorFlags) readFile() ([]*command.Executor, error) {
	v, err := readOptional(x.file, "executors file")
	if err != nil || !v.Exists() {
		return nil, err
	}
	if x.chat.baseURL != "" && v.Get(chat.DefaultID).Exists() {
		return nil, usage(`--executors entry "%s" is taken by --base-url`, chat.DefaultID)
	}
	list, err := command.ParseFile(v)
	return list, about(err, "in %s", absolute(x.file))
}

func (x *executorFlags) openScripted() (*scripted.Executor, error) {
	v, err := readOptional(x.responses, "responses")
	if err != nil {
		return nil, err
	}
	e, err := scripted.New(v, "")
	return e, about(err, "in %s", absolute(x.responses))
}

func (x *executorFlags) openCommand(timeout int) (*command.Executor, error) {
	options := command.Options{TimeoutMs: timeout}
	if x.profile == "" {
		return command.New(x.command, options)
	}
	isolation := command.Isolation{Dir: x.cwd}
	err := readDeclaration(x.env, "isolation env", func(v canon.Value) (err error) {
		isolation.Environment, err = command.ParseEnvironment(v)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = readDeclaration(x.limits, "isolation limits", func(v canon.Value) (err error) {
		isolation.Limits, err = command.ParseLimits(v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return command.NewIsolated(x.command, isolation, options)
}

// readDeclaration admits a file that a flag may name.
func readDeclaration(path, label string, admit func(canon.Value) error) error {
	v, err := readOptional(path, label)
	if err != nil || !v.Exists() {
		return err
	}
	return about(admit(v), "in %s", absolute(path))
}

// attach gives a host the executors, behind the store's effect memo if that was
// asked for, and shows at a terminal what the run waits for.
func (x *executorFlags) attach(host *runtime.Host, opened *executors, s *streams) {
	for _, e := range opened.list {
		if x.cacheEffects {
			e = memo.Wrap(host.Store, e)
		}
		host.Executors = append(host.Executors, &watched{e, s})
	}
	host.Tools = watchTools(host.Tools, s)
}

// announce tells before a program starts whom it will ask. The program is compiled
// for its warnings only: why it is refused is told when it is run, and what a
// transport delivers here must not be in the store then, since a receipt says
// through which transport a manifest came. m may be nil.
func (x *executors) announce(m *organism.Manifest, host runtime.Host, s *streams) {
	if x.chat == nil {
		return
	}
	var graph *organism.Graph
	if p, err := runtime.Prepare(host); err == nil && m != nil {
		graph, _ = p.Over(cas.NewOverlay(host.Store)).Compile(m)
	}
	for _, line := range x.chat.Opening(graph) {
		s.note("%s", line)
	}
}
