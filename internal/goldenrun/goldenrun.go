// Package goldenrun lays out the recorded runs of the reference runtime for the
// tests that replay or repeat them: the program, what its store held, and the
// receipt.
package goldenrun

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// Case is one recorded run.
type Case struct {
	Name     string
	Manifest canon.Value // as authored
	Args     canon.Value // absent when none were given
	Receipt  canon.Value // absent when the run was refused

	// What the store held before the run.
	Manifests []canon.Value
	Values    []canon.Value
	Slots     map[string]canon.Value

	Tools      canon.Value // tools file, absent when none
	Transports map[string]organism.Transport

	// Record is the whole entry of the golden file, with what else it says.
	Record canon.Value
}

// Parse reads a golden JSON text; values may be larger than a document may be.
func Parse(t testing.TB, name string) canon.Value {
	t.Helper()
	return ParseText(t, name, string(golden.Read(t, name)))
}

// ParseText reads a JSON text.
func ParseText(t testing.TB, what, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{Depth: 100})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return v
}

// Receipts returns the worked runs of golden/receipts. Case 38, of which only
// counts and a digest are recorded, has no receipt.
func Receipts(t testing.TB) []Case {
	t.Helper()
	var cases []Case
	for _, entry := range Parse(t, "receipts/index.json").Get("cases").Elements() {
		dir := "receipts/" + entry.Get("name").Text()
		files := entry.Get("files")
		read := func(key string) canon.Value {
			name := files.Get(key)
			if !name.Is(canon.KindString) {
				return canon.Value{}
			}
			return Parse(t, path.Join(dir, name.Text()))
		}
		c := Case{
			Name:     entry.Get("name").Text(),
			Manifest: read("manifest"),
			Args:     read("args"),
			Receipt:  read("receipt"),
			Tools:    read("tools"),
			Record:   entry,
		}
		for _, module := range files.Get("modules").Elements() {
			c.Manifests = append(c.Manifests, Parse(t, path.Join(dir, module.Text())))
		}
		for _, v := range read("values").Elements() {
			c.Values = append(c.Values, v)
		}
		c.Slots = members(read("slots"))
		if document := read("bundle"); document.Exists() {
			c.Transports = map[string]organism.Transport{"hub": bundled{document}}
		}
		cases = append(cases, c)
	}
	return cases
}

func members(v canon.Value) map[string]canon.Value {
	m := map[string]canon.Value{}
	for key, value := range v.Members() {
		m[key] = value
	}
	return m
}

// Failures returns the failing runs of golden/receipts/failures.json.
func Failures(t testing.TB) []Case {
	t.Helper()
	var cases []Case
	for _, entry := range Parse(t, "receipts/failures.json").Get("cases").Elements() {
		c := Case{
			Name:     entry.Get("name").Text(),
			Manifest: entry.Get("manifest"),
			Args:     entry.Get("args"),
			Receipt:  entry.Get("receipt"),
			Tools:    entry.Get("tools"),
			Record:   entry,
		}
		for _, module := range entry.Get("modules").Elements() {
			c.Manifests = append(c.Manifests, module)
		}
		cases = append(cases, c)
	}
	return cases
}

// Random returns the runs of golden/random/runs.jsonl.
func Random(t testing.TB) []Case {
	t.Helper()
	var cases []Case
	for _, line := range golden.Lines(t, "random/runs.jsonl") {
		entry := ParseText(t, "random/runs.jsonl", line)
		c := Case{
			Name:     entry.Get("id").Text(),
			Manifest: entry.Get("manifest"),
			Args:     entry.Get("args"),
			Receipt:  entry.Get("receipt"),
			Tools:    entry.Get("tools"),
			Slots:    members(entry.Get("slots")),
			Record:   entry,
		}
		for _, m := range entry.Get("manifests").Members() {
			c.Manifests = append(c.Manifests, m)
		}
		for _, v := range entry.Get("values").Members() {
			c.Values = append(c.Values, v)
		}
		cases = append(cases, c)
	}
	return cases
}

// Examples returns the runs of golden/examples, which is third-party data.
func Examples(t testing.TB) []Case {
	t.Helper()
	index := Parse(t, "examples/index.json")
	var manifests []canon.Value
	for _, name := range golden.Glob(t, "examples/*.algal.json") {
		manifests = append(manifests, Parse(t, name))
	}
	for _, name := range golden.Glob(t, "examples/*/*.algal.json") {
		manifests = append(manifests, Parse(t, name))
	}
	for _, name := range golden.Glob(t, "examples/*/*/*.algal.json") {
		manifests = append(manifests, Parse(t, name))
	}
	var cases []Case
	for _, entry := range index.Get("entries").Elements() {
		read := func(key string) canon.Value {
			name := entry.Get(key)
			if !name.Is(canon.KindString) {
				return canon.Value{}
			}
			return Parse(t, "examples/"+name.Text())
		}
		c := Case{
			Name:      entry.Get("name").Text(),
			Manifest:  read("manifest"),
			Args:      read("args"),
			Receipt:   Parse(t, "examples/"+entry.Get("receipt").Text()),
			Manifests: manifests,
			Record:    entry,
		}
		if config := read("transports"); config.Exists() {
			c.Transports = map[string]organism.Transport{}
			for name := range config.Members() {
				c.Transports[name] = exampleBundles{t}
			}
		}
		cases = append(cases, c)
	}
	return cases
}

// Fill puts what the case's store held into a store. Manifests that the contract
// refuses are left out: they lie there as data.
func (c *Case) Fill(t testing.TB, store cas.Store) {
	t.Helper()
	for _, v := range c.Manifests {
		if m, err := organism.ParseManifest(v); err == nil {
			if _, err := store.PutManifest(m.Normal()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, v := range c.Values {
		if _, err := store.PutValue(v); err != nil {
			t.Fatal(err)
		}
	}
	for name, v := range c.Slots {
		if err := store.SetSlot(name, v); err != nil {
			t.Fatal(err)
		}
	}
}

// Signatures returns the case's tools with signatures only, and the two mailbox
// tools, which are always known.
func (c *Case) Signatures(t testing.TB) map[string]*runtime.HostTool {
	t.Helper()
	tools := map[string]*runtime.HostTool{}
	add := func(name string, signature canon.Value) {
		tool, err := organism.ParseTool(signature, "tool "+name)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		tools[name] = &runtime.HostTool{Signature: tool}
	}
	for name, signature := range ParseText(t, "mailbox signatures", mailboxSignatures).Members() {
		add(name, signature)
	}
	for name, tool := range c.Tools.Members() {
		add(name, tool.Get("signature"))
	}
	return tools
}

// mailboxSignatures are those of evidence.md §1.1.
const mailboxSignatures = `{"mailbox.receive.v1":{"cost":100,"effect":"write","inputs":{"mailbox":{"capability":"mailbox-receive","type":"cap"}},"maxOutputBytes":262144,"outputs":{"id":{"type":"text"},"message":{"type":"json"}}},"mailbox.send.v1":{"cost":100,"effect":"write","inputs":{"mailbox":{"capability":"mailbox-send","type":"cap"},"message":{"type":"json"}},"maxOutputBytes":256,"outputs":{"id":{"type":"text"}}}}`

// bundled is a transport that has one bundle, whatever is asked for.
type bundled struct{ document canon.Value }

func (b bundled) Fetch(root algal.Digest, into cas.Store) (bool, error) {
	parsed, err := bundle.Parse(b.document)
	if err != nil {
		return false, err
	}
	_, _, err = parsed.Install(into)
	return true, err
}

// exampleBundles is a transport over the bundles of the examples.
type exampleBundles struct{ t testing.TB }

func (e exampleBundles) Fetch(root algal.Digest, into cas.Store) (bool, error) {
	for _, name := range golden.Glob(e.t, "examples/bundles/*.bundle.json") {
		if strings.Contains(name, root.Hex()) {
			return bundled{Parse(e.t, name)}.Fetch(root, into)
		}
	}
	return false, fmt.Errorf("no example bundle is rooted at %s", root)
}
