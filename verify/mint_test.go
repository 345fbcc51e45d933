package verify_test

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/verify"
)

// minted is the history of a process, played through in memory, as a document.
type minted struct {
	t       testing.TB
	program *organism.Manifest
	head    canon.Value
	value   canon.Value // the document, without its head
}

// mint begins a history with its ready record.
func mint(t testing.TB, manifest, args string) *minted {
	t.Helper()
	m, err := organism.ParseManifest(goldenrun.ParseText(t, "manifest", manifest))
	if err != nil {
		t.Fatal(err)
	}
	p := &minted{t: t, program: m}
	p.value = goldenrun.ParseText(t, "document", `{"contract":"`+verify.Contract+`","missing":{"manifests":[],"values":[]},
		"program":{"contract":"`+verify.BundleContract+`","root":"`+string(m.Digest())+`","manifests":{"`+string(m.Digest())+`":`+m.Normal().String()+`},"values":{}},
		"receipts":{},"records":{},"tools":{}}`)
	p.publish(canon.Object(
		canon.M("args", goldenrun.ParseText(t, "args", args)),
		canon.M("contract", canon.String(chain.Contract)),
		canon.M("generation", canon.Int(0)),
		canon.M("manifestDigest", canon.String(string(m.Digest()))),
		canon.M("maxGenerations", canon.Int(chain.MaxGenerations)),
		canon.M("name", canon.String("minted")),
		canon.M("status", canon.String(string(chain.Ready))),
		canon.M("wake", canon.Array()),
	))
	return p
}

// publish makes a record the head.
func (p *minted) publish(record canon.Value) {
	p.head = record
	p.add(record, "records")
}

// add puts a value under its digest.
func (p *minted) add(v canon.Value, path ...string) canon.Value {
	digest := canon.String(string(v.Digest()))
	d := document{t: p.t, value: p.value}
	d.put(v, append(path, digest.Text())...)
	p.value = d.value
	return digest
}

// intend appends a dispatch.
func (p *minted) intend(cause string) {
	p.publish(p.head.With(
		canon.M("cause", canon.String(cause)),
		canon.M("generation", canon.Int(int(p.head.Get("generation").Float())+1)),
		canon.M("previous", canon.String(string(p.head.Digest()))),
		canon.M("status", canon.String(string(chain.Uncertain))),
	))
}

// settle appends the outcome of a dispatch.
func (p *minted) settle(receipt canon.Value) {
	handles := []canon.Value{}
	for _, handle := range chain.Wake(receipt) {
		handles = append(handles, canon.String(handle))
	}
	p.publish(p.head.With(
		canon.M("previous", canon.String(string(p.head.Digest()))),
		canon.M("receipt", p.add(receipt, "receipts")),
		canon.M("status", receipt.Get("outcome")),
		canon.M("wake", canon.Array(handles...)),
	))
}

// run runs the program with the arguments of the process.
func (p *minted) run(store cas.Store) canon.Value {
	p.t.Helper()
	result, err := runtime.Run(p.t.Context(), p.program, p.head.Get("args"), runtime.Host{Store: store}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return result.Receipt()
}

// document returns the history as it stands.
func (p *minted) document() *document {
	return &document{t: p.t, value: p.value.With(canon.M("head", canon.String(string(p.head.Digest()))))}
}

// undeclared is a store that misses values as a document does that neither holds
// nor declares them.
type undeclared struct{ cas.Store }

func (undeclared) Value(algal.Digest) (canon.Value, error) {
	return canon.Value{}, algal.Errorf(algal.StoreMiss, "process evidence lacks a declared dependency")
}
