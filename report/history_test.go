package report_test

import (
	"context"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/internal/passive"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/report"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/verify"
)

// history is that of a process, played through in memory.
type history struct {
	t        testing.TB
	program  *organism.Manifest
	host     runtime.Host
	children []canon.Member // manifests that the program embeds
	head     canon.Value
	records  []canon.Member
	receipts []canon.Member
}

func parsed(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatal(err, text)
	}
	return v
}

// begin creates a process. The host has the tools and executors of its dispatches.
func begin(t testing.TB, manifest string, args canon.Value, host runtime.Host, children ...string) *history {
	t.Helper()
	m := admitted(t, manifest)
	host.Store = cas.NewMemory()
	h := &history{t: t, program: m, host: host}
	for _, child := range children {
		normal := admitted(t, child).Normal()
		d, err := host.Store.PutManifest(normal)
		if err != nil {
			t.Fatal(err)
		}
		h.children = append(h.children, canon.M(string(d), normal))
	}
	h.publish(canon.Object(
		canon.M("args", args),
		canon.M("contract", canon.String(chain.Contract)),
		canon.M("generation", canon.Int(0)),
		canon.M("manifestDigest", canon.String(string(m.Digest()))),
		canon.M("maxGenerations", canon.Int(chain.MaxGenerations)),
		canon.M("name", canon.String("played")),
		canon.M("status", canon.String(string(chain.Ready))),
		canon.M("wake", canon.Array()),
	))
	return h
}

func admitted(t testing.TB, manifest string) *organism.Manifest {
	t.Helper()
	m, err := organism.ParseManifest(parsed(t, manifest))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (h *history) publish(record canon.Value) {
	h.head = record
	h.records = append(h.records, canon.M(string(record.Digest()), record))
}

// intend begins a dispatch.
func (h *history) intend() {
	cause := chain.CauseManual
	if h.head.Get("status").IsText(string(chain.Ready)) {
		cause = chain.CauseStart
	}
	h.publish(h.head.With(
		canon.M("cause", canon.String(cause)),
		canon.M("generation", canon.Int(int(h.head.Get("generation").Float())+1)),
		canon.M("previous", canon.String(string(h.head.Digest()))),
		canon.M("status", canon.String(string(chain.Uncertain))),
	))
}

// tick dispatches the process and settles it.
func (h *history) tick() {
	h.t.Helper()
	h.intend()
	var result *runtime.Result
	var err error
	if n := len(h.receipts); n == 0 {
		result, err = runtime.Run(h.t.Context(), h.program, h.head.Get("args"), h.host, nil)
	} else {
		result, err = replay.Resume(h.t.Context(), h.receipts[n-1].Value, h.program, h.host)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	receipt := result.Receipt()
	digest := string(receipt.Digest())
	h.receipts = append(h.receipts, canon.M(digest, receipt))
	wake := []canon.Value{}
	for _, handle := range chain.Wake(receipt) {
		wake = append(wake, canon.String(handle))
	}
	h.publish(h.head.With(
		canon.M("previous", canon.String(string(h.head.Digest()))),
		canon.M("receipt", canon.String(digest)),
		canon.M("status", receipt.Get("outcome")),
		canon.M("wake", canon.Array(wake...)),
	))
}

// document returns the history as evidence.
func (h *history) document() string {
	root := string(h.program.Digest())
	tools := []canon.Member{}
	for name, tool := range h.host.Tools {
		tools = append(tools, canon.M(name, tool.Signature.Normal()))
	}
	return canon.Object(
		canon.M("contract", canon.String(verify.Contract)),
		canon.M("head", canon.String(string(h.head.Digest()))),
		canon.M("missing", canon.Object(canon.M("manifests", canon.Array()), canon.M("values", canon.Array()))),
		canon.M("program", canon.Object(
			canon.M("contract", canon.String(verify.BundleContract)),
			canon.M("manifests", canon.Object(append(h.children, canon.M(root, h.program.Normal()))...)),
			canon.M("root", canon.String(root)),
			canon.M("values", canon.Object()),
		)),
		canon.M("receipts", canon.Object(h.receipts...)),
		canon.M("records", canon.Object(h.records...)),
		canon.M("tools", canon.Object(tools...)),
	).String()
}

// subject verifies a document.
func subject(t testing.TB, text string) report.Subject {
	t.Helper()
	e, err := verify.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report.Subject{Evidence: e, Report: r}
}

// pageOf returns the page of a subject, which is passive and bounded.
func pageOf(t testing.TB, s report.Subject) string {
	t.Helper()
	text, err := report.Process(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := passive.Check(text); err != nil {
		t.Error(err)
	}
	if len(text) > report.MaxBytes {
		t.Errorf("the page has %d bytes", len(text))
	}
	return text
}

// recorded is a golden document.
func recorded(t testing.TB, name string) report.Subject {
	t.Helper()
	return subject(t, string(golden.Read(t, name)))
}

// answerer is an executor of a program that is played.
type answerer func(request *runtime.Request) (canon.Value, error)

func (answerer) Describe() runtime.Description {
	return runtime.Description{ID: hostile, Wildcard: true, Kinds: []runtime.EffectKind{runtime.EffectAgent}}
}

func (f answerer) Call(_ context.Context, request *runtime.Request) (runtime.Answer, error) {
	output, err := f(request)
	usage := canon.Object(canon.M("model", canon.String(hostile[:60])), canon.M("tokensIn", canon.Int(3)))
	return runtime.Answer{Output: output, Metadata: runtime.Metadata{Usage: usage}}, err
}

// suspended is an answer that is not ready.
func suspended(message string) error { return algal.Errorf(algal.EffectSuspended, "%s", message) }

// echo is a tool.
func echo(_ context.Context, call runtime.ToolCall) (canon.Value, error) {
	return canon.Object(canon.M("id", canon.String("sent "+call.Inputs.Get("text").Text()))), nil
}

// quotes is a tool whose output takes much of a page.
func quotes(_ context.Context, call runtime.ToolCall) (canon.Value, error) {
	return canon.Object(canon.M("id", canon.String(strings.Repeat("\"", 7000)))), nil
}
