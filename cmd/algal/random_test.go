package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/command"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/tool/hostfile"
)

// TestRandomRuns repeats every random run of the reference with the store, the
// executors, the tools and the mailboxes that the command wires: damaged objects,
// locked mailboxes and commands included.
func TestRandomRuns(t *testing.T) {
	root := memoryDir(t)
	receipts, refused, mailboxes := 0, 0, 0
	for _, c := range goldenrun.Random(t) {
		dir := filepath.Join(root, c.Name)
		host := randomHost(t, &c, dir)
		m, err := organism.ParseManifest(c.Manifest)
		var result *runtime.Result
		if err == nil {
			result, err = runtime.Run(context.Background(), m, c.Args, host, nil)
		}
		if want := c.Record.Get("error"); want.Exists() {
			refused++
			if e := algal.AsError(err); e == nil || string(e.Code) != want.Get("code").Text() || e.Message != want.Get("message").Text() {
				t.Errorf("%s: %v, want %s", c.Name, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		receipts++
		if c.Record.Get("profile").IsText("mailbox") {
			mailboxes++
		}
		if got := result.Receipt(); got.String() != c.Receipt.String() {
			t.Errorf("%s:\n got %s\nwant %s", c.Name, got, c.Receipt)
		}
	}
	if receipts == 0 || refused == 0 || mailboxes != 14 {
		t.Fatalf("%d receipts, %d of them of mailboxes, %d refused", receipts, mailboxes, refused)
	}
	t.Logf("%d receipts are byte-identical, %d of them of programs with mailboxes; %d runs were refused as recorded", receipts, mailboxes, refused)
}

// randomHost lays out what a random run found.
func randomHost(t *testing.T, c *goldenrun.Case, dir string) runtime.Host {
	t.Helper()
	st := openStore(filepath.Join(dir, "store"), &streams{out: os.Stderr, err: os.Stderr})
	st.note = func(string, ...any) {}
	c.Fill(t, st)
	for name, file := range c.Record.Get("files").Members() {
		layFile(t, filepath.Join(dir, "store", filepath.FromSlash(name)), file)
	}
	host := runtime.Host{Store: st, Tools: map[string]*runtime.HostTool{}, Deadline: deadline}
	if c.Tools.Exists() {
		for name, v := range c.Record.Get("toolFiles").Members() {
			layFile(t, filepath.Join(dir, name), canon.Object(canon.M("json", v)))
		}
		tools, err := hostfile.Parse(c.Tools, dir)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		maps.Copy(host.Tools, tools)
	}
	maps.Copy(host.Tools, openMailboxes(st).Tools())
	host.Executors = randomExecutors(t, c)
	return host
}

func layFile(t *testing.T, path string, file canon.Value) {
	t.Helper()
	if file.Get("dir").Bool() {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		return
	}
	text := file.Get("json").String()
	if raw := file.Get("text"); raw.Exists() {
		text = raw.Text()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func randomExecutors(t *testing.T, c *goldenrun.Case) (list []runtime.Executor) {
	t.Helper()
	responses := c.Record.Get("responses")
	declared := c.Record.Get("executors")
	if !declared.Exists() && responses.Exists() {
		declared = canon.Array(canon.Object(canon.M("kind", canon.String("scripted"))))
	}
	for _, e := range declared.Elements() {
		id := e.Get("id").Text()
		var executor runtime.Executor
		var err error
		switch {
		case e.Get("kind").IsText("scripted"):
			answers := e.Get("responses")
			if !answers.Exists() {
				answers = responses
			}
			executor, err = scripted.New(answers, id)
		case id == "":
			executor, err = command.New(e.Get("command").Text(), command.Options{})
		default:
			var named []*command.Executor
			if named, err = command.ParseFile(canon.Object(canon.M(id, e.Get("command")))); err == nil {
				executor = named[0]
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		list = append(list, executor)
	}
	return list
}
