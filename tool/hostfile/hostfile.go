// Package hostfile reads the tools file of a host: an object of tool name to
// signature and implementation (run.md §9.2).
//
//	{"weather.read": {"signature": {…}, "exec": "scripted:weather.json"},
//	 "log.write":    {"signature": {…}, "exec": "cmd:./append-to-log"}}
//
// A scripted tool looks its answer up in a file, keyed by the canonical text of
// its inputs. A command tool runs a line of shell; how it runs and fails is
// executor/subprocess. [Parse] makes both callable; [Signatures] reads what a host
// needs that calls nothing, without opening or running anything.
//
// What a journal binds of a tool is its declaration as written, the real path of
// the file's directory, and the data of a scripted tool. The program that a
// command calls is not looked at.
package hostfile

import (
	"path/filepath"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/tool/builtin"
)

const (
	// MaxBytes bounds a tools file and each file of scripted data.
	MaxBytes = 1_048_576
	// MaxSignatures bounds the entries of a file that is read for its signatures
	// (cli.md §2.4).
	MaxSignatures = 64

	maxName = 128
)

// The two forms of an implementation.
const (
	scriptedExec = "scripted:"
	commandExec  = "cmd:"
)

// entry is one admitted declaration.
type entry struct {
	name      string
	signature *organism.Tool
	written   canon.Value // the signature as the file has it
	exec      string      // "" when not declared
}

// Parse admits the content of a tools file in the directory dir and returns its
// tools by name. Scripted data is read here and now; a tool's calls do not see
// later changes of it.
//
// Faults of a declaration are PARSE_FAILED; a file of scripted data that is not a
// regular file of at most [MaxBytes] is BUDGET_EXHAUSTED, any other failure to
// read it PARSE_FAILED. A file may not redefine a built-in tool.
func Parse(v canon.Value, dir string) (map[string]*runtime.HostTool, error) {
	entries, err := parseEntries(v)
	if err != nil {
		return nil, err
	}
	if dir, err = realPath(dir); err != nil {
		return nil, err
	}
	tools := make(map[string]*runtime.HostTool, len(entries))
	for _, e := range entries {
		tool, err := e.open(dir)
		if err != nil {
			return nil, err
		}
		tools[e.name] = tool
	}
	return tools, nil
}

// Signatures admits the content of a tools file of at most [MaxSignatures] entries
// and returns their signatures by name. An implementation need not be declared.
func Signatures(v canon.Value) (map[string]*organism.Tool, error) {
	if v.Len() > MaxSignatures {
		return nil, algal.Errorf(algal.ParseFailed, "tools file exceeds %d entries", MaxSignatures)
	}
	entries, err := parseEntries(v)
	if err != nil {
		return nil, err
	}
	signatures := make(map[string]*organism.Tool, len(entries))
	for _, e := range entries {
		signatures[e.name] = e.signature
	}
	return signatures, nil
}

func parseEntries(v canon.Value) ([]entry, error) {
	if err := canon.AsObject(v, "tools file"); err != nil {
		return nil, err
	}
	entries := make([]entry, 0, v.Len())
	for name, declared := range v.Members() {
		e, err := parseEntry(name, declared)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func parseEntry(name string, v canon.Value) (entry, error) {
	if !isName(name) {
		return entry{}, algal.Errorf(algal.ParseFailed, `tool name "%s" must match ^[a-z0-9][a-z0-9.-]*$ and have at most %d characters`, name, maxName)
	}
	if builtin.Signature(name) != nil {
		return entry{}, algal.Errorf(algal.ParseFailed, `tools file redefines the built-in tool "%s"`, name)
	}
	what := `tool "` + name + `"`
	if err := canon.AsObject(v, what); err != nil {
		return entry{}, err
	}
	if err := canon.NoUnknownKeys(v, what, "signature", "exec"); err != nil {
		return entry{}, err
	}
	written, err := canon.Require(v, what, "signature")
	if err != nil {
		return entry{}, err
	}
	signature, err := organism.ParseTool(written, what+" signature")
	if err != nil {
		return entry{}, err
	}
	e := entry{name: name, signature: signature, written: written}
	if exec := v.Get("exec"); exec.Exists() {
		e.exec = exec.Text()
		if !isExec(e.exec) {
			return entry{}, algal.Errorf(algal.ParseFailed, `%s exec must be "%sFILE" or "%sSHELL COMMAND"`, what, scriptedExec, commandExec)
		}
	}
	return e, nil
}

func isName(s string) bool {
	for i, c := range []byte(s) {
		alphanumeric := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !alphanumeric && (i == 0 || c != '.' && c != '-') {
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

// isExec admits either form with something behind the colon that the system takes
// as it is.
func isExec(s string) bool {
	rest, ok := strings.CutPrefix(s, scriptedExec)
	if !ok {
		rest, ok = strings.CutPrefix(s, commandExec)
	}
	return ok && rest != "" && !strings.ContainsRune(rest, 0)
}

// realPath returns the absolute path of a directory without symbolic links.
func realPath(dir string) (string, error) {
	path, err := filepath.Abs(dir)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", algal.Errorf(algal.ParseFailed, "tools file directory: %v", err)
	}
	return path, nil
}

// open makes a tool callable.
func (e *entry) open(dir string) (*runtime.HostTool, error) {
	tool := &runtime.HostTool{Signature: e.signature}
	var responses canon.Value
	if file, scripted := strings.CutPrefix(e.exec, scriptedExec); scripted {
		var err error
		if responses, err = e.readResponses(file, dir); err != nil {
			return nil, err
		}
		tool.Call = scriptedCall(e.name, responses)
	} else if line, command := strings.CutPrefix(e.exec, commandExec); command {
		tool.Call = commandCall(e.name, line, dir, e.signature.MaxOutputBytes)
	} else {
		return nil, algal.Errorf(algal.ParseFailed, `tool "%s" requires "exec"`, e.name)
	}
	tool.Configuration = e.configuration(dir, responses)
	return tool, nil
}

// configuration digests what a journal binds (§9.2).
func (e *entry) configuration(dir string, responses canon.Value) algal.Digest {
	return canon.Object(
		canon.M("contract", canon.String("algal.cli-tool-binding.v1")),
		canon.M("cwd", canon.String(dir)),
		canon.M("exec", canon.String(e.exec)),
		canon.M("responses", responses),
		canon.M("signature", e.written),
	).Digest()
}

// readResponses reads the data of a scripted tool.
func (e *entry) readResponses(file, dir string) (canon.Value, error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	text, err := durable.ReadNamed(file, `responses of tool "`+e.name+`"`, MaxBytes)
	if algal.CodeOf(err) == algal.BudgetExhausted {
		return canon.Value{}, err
	}
	var v canon.Value
	if err == nil {
		v, err = canon.Parse(text, canon.Limits{})
	}
	if err == nil {
		err = canon.AsObject(v, "scripted data")
	}
	if err != nil {
		return canon.Value{}, algal.Errorf(algal.ParseFailed, "%s: %v", file, err)
	}
	return v, nil
}
