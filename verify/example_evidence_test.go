package verify_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/verify"
)

var update = flag.Bool("update", false, "write examples/evidence anew")

// exampleProgram drafts a release note, has a person decide about it, and only
// then announces it. The decision arrives in a later generation.
const exampleProgram = `{
  "contract": "algal.organism.v1",
  "key": "organism:release-note",
  "name": "Release note with a human decision",
  "cells": [
    {"id": "change", "kind": "input", "outputs": {"title": "text", "commits": "json"}},
    {"id": "count", "kind": "expr", "inputs": {"commits": "json"},
     "expr": {"contract": "algal.expr.v1", "program": ["len", ["get", "commits"]]},
     "output": {"kind": "json", "schema": {"type": "integer"}}},
    {"id": "draft", "kind": "agent", "inputs": {"title": "text", "commits": "json"},
     "prompt": "Write one sentence that tells users what changed.", "output": {"kind": "text"}},
    {"id": "decision", "kind": "gate", "inputs": {"draft": "text", "count": "json"},
     "prompt": "Publish this note?", "output": {"kind": "choice", "labels": ["publish", "hold"]}},
    {"id": "note", "kind": "fn", "fn": "tag.v1"},
    {"id": "tag", "kind": "const", "outputs": {"tag": {"type": "text", "value": "released"}}}
  ],
  "edges": [
    {"from": {"cell": "change", "port": "title"}, "to": {"cell": "draft", "port": "title"}},
    {"from": {"cell": "change", "port": "commits"}, "to": {"cell": "draft", "port": "commits"}},
    {"from": {"cell": "change", "port": "commits"}, "to": {"cell": "count", "port": "commits"}},
    {"from": {"cell": "draft", "port": "out"}, "to": {"cell": "decision", "port": "draft"}},
    {"from": {"cell": "count", "port": "out"}, "to": {"cell": "decision", "port": "count"}},
    {"from": {"cell": "tag", "port": "tag"}, "to": {"cell": "note", "port": "tag"}},
    {"from": {"cell": "decision", "port": "out"}, "to": {"cell": "note", "port": "value"}, "guard": {"equals": "publish"}}
  ]
}`

const exampleArgs = `{"change": {"title": "Evidence verifies offline", "commits": ["read documents strictly", "replay generations on all cores"]}}`

// person answers the example's requests: the gate waits in the first generation.
type person struct{ decided bool }

func (person) Describe() runtime.Description {
	return runtime.Description{ID: "person", Kinds: []runtime.EffectKind{runtime.EffectAgent, runtime.EffectGate}, Retryable: true}
}

func (p person) Call(_ context.Context, q *runtime.Request) (runtime.Answer, error) {
	switch {
	case q.Kind == runtime.EffectAgent:
		return runtime.Answer{Output: canon.String("You can now check a whole process history on a machine that has nothing but one binary.")}, nil
	case !p.decided:
		return runtime.Answer{}, algal.Errorf(algal.EffectSuspended, "nobody has decided yet")
	}
	return runtime.Answer{Output: canon.String("publish")}, nil
}

// TestExampleEvidence makes the bundled example with the in-memory runtime and
// holds the committed file to it.
func TestExampleEvidence(t *testing.T) {
	file := filepath.Join(golden.Root(t), "examples", "evidence", "release-note.evidence.json")
	text := exampleEvidence(t)
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(file)
	if err != nil || string(committed) != text {
		t.Fatalf("%s is not what the runtime makes (%v): run this test with -update and say why it changed", file, err)
	}
	report, err := check(text)
	if err != nil || !report.Get("status").IsText("complete") || report.Get("generations").Float() != 2 {
		t.Fatalf("%s, %v", report, err)
	}
}

// exampleEvidence is a process of two generations as one document.
func exampleEvidence(t *testing.T) string {
	t.Helper()
	parse := func(text string) canon.Value {
		v, err := canon.Parse(text, canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return v.Sorted() // as a store would give it back
	}
	m, err := organism.ParseManifest(parse(exampleProgram))
	if err != nil {
		t.Fatal(err)
	}
	host := runtime.Host{Store: cas.NewMemory(), Executors: []runtime.Executor{person{}}}
	first, err := runtime.Run(t.Context(), m, parse(exampleArgs), host, nil)
	if err != nil || first.Outcome != runtime.Suspended {
		t.Fatalf("first generation: %v, %v", first, err)
	}
	host.Executors = []runtime.Executor{person{decided: true}}
	second, err := replay.Resume(t.Context(), first.Receipt(), m, host)
	if err != nil || second.Outcome != runtime.Complete {
		t.Fatalf("second generation: %v, %v", second, err)
	}
	d := documentOf{manifest: m, records: canon.Object(), receipts: canon.Object()}
	d.add(canon.Object(
		canon.M("args", parse(exampleArgs)),
		canon.M("contract", canon.String(chain.Contract)),
		canon.M("generation", canon.Int(0)),
		canon.M("manifestDigest", canon.String(string(m.Digest()))),
		canon.M("maxGenerations", canon.Int(4)),
		canon.M("name", canon.String("release-note")),
		canon.M("status", canon.String("ready")),
		canon.M("wake", canon.Array()),
	))
	d.dispatch(chain.CauseStart, first)
	d.dispatch(chain.CauseManual, second)
	return d.value().String()
}

// documentOf collects the parts of an evidence document.
type documentOf struct {
	manifest          *organism.Manifest
	records, receipts canon.Value
	head              canon.Value // the last record
}

func (d *documentOf) add(record canon.Value) {
	d.head = record
	d.records = d.records.With(canon.M(string(record.Digest()), record))
}

// dispatch adds an intent and its outcome.
func (d *documentOf) dispatch(cause string, result *runtime.Result) {
	receipt := result.Receipt()
	storage := canon.String(string(receipt.Digest()))
	d.receipts = d.receipts.With(canon.M(storage.Text(), receipt))
	d.add(d.head.With(
		canon.M("cause", canon.String(cause)),
		canon.M("generation", canon.Int(int(d.head.Get("generation").Float())+1)),
		canon.M("previous", canon.String(string(d.head.Digest()))),
		canon.M("status", canon.String(string(chain.Uncertain))),
	))
	d.add(d.head.With(
		canon.M("previous", canon.String(string(d.head.Digest()))),
		canon.M("receipt", storage),
		canon.M("status", canon.String(result.Outcome)),
	))
}

func (d *documentOf) value() canon.Value {
	object := canon.Object
	root := string(d.manifest.Digest())
	return object(
		canon.M("contract", canon.String(verify.Contract)),
		canon.M("head", canon.String(string(d.head.Digest()))),
		canon.M("missing", object(canon.M("manifests", canon.Array()), canon.M("values", canon.Array()))),
		canon.M("program", object(
			canon.M("contract", canon.String(verify.BundleContract)),
			canon.M("manifests", object(canon.M(root, d.manifest.Normal()))),
			canon.M("root", canon.String(root)),
			canon.M("values", object()),
		)),
		canon.M("receipts", d.receipts),
		canon.M("records", d.records),
		canon.M("tools", object()),
	)
}
