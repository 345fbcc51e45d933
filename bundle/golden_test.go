package bundle_test

import (
	"encoding/json"
	"path"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/google/go-cmp/cmp"
)

// vector is the computed bundle of bundle.md §1.3.
const vector = `{"contract":"algal.bundle.v1","manifests":{"sha256:0343d84e23c14b81ddd1355be6cad092abc0d791c396b3bfa6b6671d84cd62ac":{"budgets":{"maxAgentCalls":16,"maxContextBytes":65536,"maxDepth":4,"maxOutputBytes":65536,"maxSteps":256,"maxWork":1000000},"cells":[{"id":"out","kind":"const","outputs":{"value":{"type":"json","value":"ok"}}}],"contract":"algal.organism.v1","edges":[],"interface":{"inputs":{},"outputs":{"value":{"cell":"out","port":"value"}}},"key":"organism:inner","name":"Inner"},"sha256:05bf5dfb2fb246a85c7b77412ae9f874c3f4aa17bdacf1f42231814fd8e27ede":{"budgets":{"maxAgentCalls":16,"maxContextBytes":65536,"maxDepth":4,"maxOutputBytes":65536,"maxSteps":256,"maxWork":1000000},"cells":[{"id":"sub","kind":"organism","manifest":"sha256:0343d84e23c14b81ddd1355be6cad092abc0d791c396b3bfa6b6671d84cd62ac"},{"id":"data","kind":"const","outputs":{"ref":{"type":"ref","value":"sha256:5b63b15a9fd932afdbca78da7f0021a16f09c5633c2c87ead7264a1eba17ce66"}}}],"contract":"algal.organism.v1","edges":[],"key":"organism:outer","name":"Outer"}},"root":"sha256:05bf5dfb2fb246a85c7b77412ae9f874c3f4aa17bdacf1f42231814fd8e27ede","values":{"sha256:5b63b15a9fd932afdbca78da7f0021a16f09c5633c2c87ead7264a1eba17ce66":{"payload":[1,2,3]}}}`

func TestVector(t *testing.T) {
	s := newStore()
	inner := s.put(t, parse(t, `{"contract":"algal.organism.v1","key":"organism:inner","name":"Inner",
		"interface":{"outputs":{"value":{"cell":"out","port":"value"}}},
		"cells":[{"id":"out","kind":"const","outputs":{"value":{"type":"json","value":"ok"}}}]}`))
	payload := s.putValue(t, parse(t, `{"payload":[1,2,3]}`))
	outer := s.put(t, parse(t, `{"contract":"algal.organism.v1","key":"organism:outer","name":"Outer",
		"cells":[`+embed("sub", inner)+`,{"id":"data","kind":"const","outputs":{"ref":{"type":"ref","value":"`+string(payload)+`"}}}]}`))
	text, err := canon.Encode(pack(t, outer, s))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(vector, string(text)); diff != "" {
		t.Error(diff)
	}
}

// goldenBundle installs a recorded bundle into an empty store, packs it there and
// compares the bytes, after which the file holds end. It returns the document.
func goldenBundle(t *testing.T, name, end string) canon.Value {
	t.Helper()
	text := string(golden.Read(t, name))
	b, err := bundle.ParseText(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s := newStore()
	manifests, values, err := b.Install(s)
	if err != nil || manifests != len(b.Manifests) || values != len(b.Values) {
		t.Fatalf("%s: %d manifests, %d values, %v", name, manifests, values, err)
	}
	document := pack(t, b.Root, s)
	if diff := cmp.Diff(text, document.String()+end); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
	return document
}

func TestGoldenStore(t *testing.T) {
	var index struct {
		Stores []struct {
			Name   string
			Expect json.RawMessage
		}
	}
	if err := json.Unmarshal(golden.Read(t, "stores/index.json"), &index); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range index.Stores {
		if s.Name != "bundle" {
			continue
		}
		var want struct {
			Root              algal.Digest
			Manifests, Values []algal.Digest
		}
		if err := json.Unmarshal(s.Expect, &want); err != nil {
			t.Fatal(err)
		}
		got := goldenBundle(t, path.Join("stores", s.Name, bundle.FileName(want.Root)), "")
		if !got.Get("root").IsText(string(want.Root)) {
			t.Errorf("root %s, want %s", got.Get("root"), want.Root)
		}
		if diff := cmp.Diff([][]algal.Digest{want.Manifests, want.Values}, [][]algal.Digest{keys(got.Get("manifests")), keys(got.Get("values"))}); diff != "" {
			t.Error(diff)
		}
		n++
	}
	if n == 0 {
		t.Fatal("no golden store holds a bundle")
	}
	t.Logf("%d golden stores", n)
}

func keys(v canon.Value) []algal.Digest {
	var list []algal.Digest
	for key := range v.Members() {
		list = append(list, algal.Digest(key))
	}
	return list
}

// TestGoldenReceiptBundles: these documents were put into files with a final newline,
// as all files beside them; readers allow white space.
func TestGoldenReceiptBundles(t *testing.T) {
	names := golden.Glob(t, "receipts/*/bundle.json")
	for _, name := range names {
		goldenBundle(t, name, "\n")
	}
	t.Logf("%d bundles of golden runs", len(names))
}

// TestB7FileName: the name is made of the root, the content is canonical and has
// no final newline.
func TestB7FileName(t *testing.T) {
	golden.NeedShared(t)
	names := golden.Glob(t, "examples/bundles/*")
	for _, name := range names {
		root := algal.Digest(goldenBundle(t, name, "").Get("root").Text())
		if path.Base(name) != bundle.FileName(root) {
			t.Errorf("%s is rooted at %s", name, root)
		}
	}
	t.Logf("%d example bundles", len(names))
}
