//go:build unix

package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/check"
	"github.com/google/go-cmp/cmp"
)

// forger rewrites the last records of a process with honest digests.
type forger struct {
	t    *testing.T
	dir  string
	name string
}

func (f forger) read(name string) canon.Value {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.dir, name))
	must(f.t, err)
	return parse(f.t, string(text))
}

func (f forger) put(place string, v canon.Value) algal.Digest {
	f.t.Helper()
	lay(f.t, f.dir, place+"/"+v.Digest().Hex()+".json", v.String())
	return v.Digest()
}

func (f forger) head() algal.Digest {
	f.t.Helper()
	return algal.Digest(f.read("processes/" + f.name + "/head.json").Get("record").Text())
}

func (f forger) record() canon.Value { return f.read("values/" + f.head().Hex() + ".json") }

func (f forger) receipt() canon.Value {
	return f.read("runs/" + algal.Digest(f.record().Get("receipt").Text()).Hex() + ".json")
}

func (f forger) moveHead(record canon.Value) {
	f.t.Helper()
	d := f.put("values", record)
	old := f.head()
	change(f.t, filepath.Join(f.dir, "processes", f.name, "head.json"), func(text string) string {
		return strings.Replace(text, string(old), string(d), 1)
	})
}

// settle makes a receipt that of the head.
func (f forger) settle(receipt canon.Value) algal.Digest {
	f.t.Helper()
	d := f.put("runs", receipt)
	f.moveHead(f.record().With(canon.M("receipt", canon.String(string(d)))))
	return d
}

func sealed(receipt canon.Value) canon.Value {
	return receipt.With(canon.M("digest", canon.String(string(receipt.DigestWithout("digest")))))
}

// TestForgeries: what is wrong with a history whose objects are all sound is said
// with its generation and digest.
func TestForgeries(t *testing.T) {
	units := func(receipt canon.Value) canon.Value {
		return receipt.With(canon.M("work", receipt.Get("work").With(canon.M("units", canon.Int(7)))))
	}
	for _, c := range []struct {
		name  string
		forge func(f forger) (about algal.Digest)
		kind  check.Kind
		says  string
	}{
		{"receipt that does not replay", func(f forger) algal.Digest { return f.settle(sealed(units(f.receipt()))) },
			check.ReceiptInvalid, "process generation 1 does not replay: work.units: 7 vs "},
		{"receipt with a wrong digest", func(f forger) algal.Digest { return f.settle(units(f.receipt())) },
			check.ReceiptInvalid, "generation 1: evidence receipt digest mismatch"},
		{"receipt that is none", func(f forger) algal.Digest { return f.settle(sealed(f.receipt().Without("cells"))) },
			check.ReceiptInvalid, "generation 1: receipt"},
		{"receipt of another outcome", func(f forger) algal.Digest {
			f.moveHead(f.record().With(canon.M("status", canon.String("failed"))))
			return f.head()
		}, check.HistoryInvalid, "generation 1: process receipt does not match record"},
		{"changed definition", func(f forger) algal.Digest {
			f.moveHead(f.record().With(canon.M("maxGenerations", canon.Int(64))))
			return f.head()
		}, check.HistoryInvalid, "generation 1: process definition changed"},
		{"no record", func(f forger) algal.Digest {
			f.moveHead(canon.Object(canon.M("contract", canon.String("algal.process.v1"))))
			return f.head()
		}, check.HistoryInvalid, "invalid process status"},
	} {
		dir := goldenStore(t, "processes/complete-pure/store")
		about := c.forge(forger{t, dir, "pure"})
		found, summary := examine(t, dir, check.Options{})
		found = without(found, check.ObjectUnreferenced)
		if len(found) != 1 || summary.Damage != 1 {
			t.Errorf("%s: found %q", c.name, lines(found))
			continue
		}
		f := found[0]
		if f.Kind != c.kind || f.Path != "processes/pure" || f.Digest != about || !strings.Contains(f.Advice, c.says) {
			t.Errorf("%s: found %s", c.name, f.Value())
		}
	}
}

// TestMissing: what a replay needs and does not find is missing, and what it records
// as missing is not.
func TestMissing(t *testing.T) {
	const (
		loaded = "values/9f17054f852803ac8d42ac67f2f5a8b80bc91c85e602e5e1a280d9ee9415dbf6.json"
		round  = "manifests/a4d8aab6e98fc7664111848934d119a192dc367de940c4dfff12e01fc3030467.json"
		item   = "manifests/fe4b8d226f6e421e15f2a0c8ff4e9c0473e55852f64cd7447dd862ac31a40f17.json"
		root   = "manifests/9c3ffab60a9cdf610b792bbfa136c8fe0e89471ce2fbca2fcdab658c0095f615.json"
	)
	for _, c := range []struct {
		scenario string
		remove   []string
		want     []string
	}{
		{"missing-value", nil, nil},
		{"store-load", []string{loaded}, []string{"receipt-invalid processes/cas", "object-missing " + loaded}},
		{"repeat-each", []string{round, item}, []string{"object-missing " + round, "object-missing " + item}},
		{"repeat-each", []string{root}, []string{"object-missing " + root}},
	} {
		dir := goldenStore(t, "processes/"+c.scenario+"/store")
		for _, name := range c.remove {
			remove(t, dir, name)
		}
		found, _ := examine(t, dir, check.Options{})
		got := lines(without(found, check.ObjectUnreferenced))
		if diff := cmp.Diff(append([]string{}, c.want...), got); diff != "" {
			t.Errorf("%s without %q: %s", c.scenario, c.remove, diff)
		}
	}
}

// TestTools: without the signatures of its tools a program is not replayed, and that
// is said. Its chain and what it embeds are examined all the same.
func TestTools(t *testing.T) {
	dir := goldenStore(t, "processes/tools-scripted/store")
	found, summary := examine(t, dir, check.Options{})
	want := []string{"place-unknown processes/missing-input", "place-unknown processes/too-big", "place-unknown processes/worker"}
	if diff := cmp.Diff(want, lines(without(found, check.ObjectUnreferenced))); diff != "" || summary.Damage+summary.Attention > 0 {
		t.Errorf("%s; %s", summary.Value(), diff)
	}
	f := forger{t, dir, "worker"}
	f.moveHead(f.record().With(canon.M("status", canon.String("failed"))))
	manifest := "manifests/" + algal.Digest(f.record().Get("manifestDigest").Text()).Hex() + ".json"
	remove(t, dir, manifest)
	found, _ = examine(t, dir, check.Options{})
	want = []string{"place-unknown processes/missing-input", "place-unknown processes/too-big", "history-invalid processes/worker", "object-missing " + manifest}
	if diff := cmp.Diff(want, lines(without(found, check.ObjectUnreferenced))); diff != "" {
		t.Error(diff)
	}
}
