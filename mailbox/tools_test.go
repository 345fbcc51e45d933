package mailbox_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// sendProgram and receiveProgram use one tool each.
const (
	sendProgram = `{"contract":"algal.organism.v1","key":"organism:send","name":"Send","cells":[
		{"id":"in","kind":"input","outputs":{"box":{"type":"cap","capability":"mailbox-send"},"message":{"type":"json"}}},
		{"id":"out","kind":"tool","tool":"mailbox.send.v1"}],
		"edges":[{"from":{"cell":"in","port":"box"},"to":{"cell":"out","port":"mailbox"}},
		{"from":{"cell":"in","port":"message"},"to":{"cell":"out","port":"message"}}]}`
	receiveProgram = `{"contract":"algal.organism.v1","key":"organism:receive","name":"Receive","cells":[
		{"id":"in","kind":"input","outputs":{"box":{"type":"cap","capability":"mailbox-receive"}}},
		{"id":"wait","kind":"tool","tool":"mailbox.receive.v1"}],
		"edges":[{"from":{"cell":"in","port":"box"},"to":{"cell":"wait","port":"mailbox"}}]}`
)

// programs is a host with one mailbox.
type programs struct {
	t   *testing.T
	svc *mailbox.Service
	box mailbox.Config
	runtime.Host
}

func newPrograms(t *testing.T, engine mailbox.Engine, admit mailbox.Admission, maxMessages int) programs {
	t.Helper()
	svc := mailbox.New(engine, admit)
	box, err := svc.Create(context.Background(), "inbox", maxMessages, 64)
	if err != nil {
		t.Fatal(err)
	}
	return programs{t, svc, box, runtime.Host{Store: cas.NewMemory(), Tools: svc.Tools()}}
}

func value(t *testing.T, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (p programs) manifest(text string) *organism.Manifest {
	p.t.Helper()
	m, err := organism.ParseManifest(value(p.t, text))
	if err != nil {
		p.t.Fatal(err)
	}
	return m
}

func (p programs) run(program, args string) canon.Value {
	p.t.Helper()
	result, err := runtime.Run(context.Background(), p.manifest(program), value(p.t, args), p.Host, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return result.Receipt()
}

func (p programs) sendArgs(message string) string {
	return fmt.Sprintf(`{"in":{"box":"%s","message":%s}}`, p.box.Send, message)
}

func (p programs) receiveArgs() string { return fmt.Sprintf(`{"in":{"box":"%s"}}`, p.box.Receive) }

// effect demands that a receipt has one effect and returns it.
func (p programs) effect(receipt canon.Value) canon.Value {
	p.t.Helper()
	if receipt.Get("effects").Len() != 1 {
		p.t.Fatalf("effects %s", receipt.Get("effects"))
	}
	return receipt.Get("effects").At(0)
}

// expect compares a receipt's outcome and only effect, apart from its request
// digest, with what mailbox.md §11.3 shows.
func (p programs) expect(receipt canon.Value, outcome, effect string) {
	p.t.Helper()
	got := p.effect(receipt).Without("requestDigest").String()
	if !receipt.Get("outcome").IsText(outcome) || got != effect {
		p.t.Errorf("outcome %s with\n%s\nwant %s with\n%s", receipt.Get("outcome"), got, outcome, effect)
	}
}

func newMemoryPrograms(t *testing.T, maxMessages int) programs {
	engine := mailbox.NewMemory()
	return newPrograms(t, engine, engine.Admit, maxMessages)
}

// TestToolReceipts: what lands in the receipt (§11.3).
func TestToolReceipts(t *testing.T) {
	p := newMemoryPrograms(t, 1)
	p.expect(p.run(receiveProgram, p.receiveArgs()), "suspended",
		fmt.Sprintf(`{"error":{"code":"EFFECT_SUSPENDED","message":"mailbox \"inbox\" is empty"},"executor":"tool:mailbox.receive.v1","retryable":false,"wake":["%s"]}`, p.box.Receive))
	sent := p.run(sendProgram, p.sendArgs(`{"n":1}`))
	id := p.effect(sent).Get("output").Get("id").Text()
	p.expect(sent, "complete", fmt.Sprintf(`{"executor":"tool:mailbox.send.v1","output":{"id":"%s"}}`, id))
	if again := p.run(sendProgram, p.sendArgs(`{"n":1}`)); !canon.Equal(again, sent) {
		t.Errorf("the second run is %s", again)
	}
	p.expect(p.run(sendProgram, p.sendArgs(`{"n":2}`)), "failed",
		`{"error":{"code":"MAILBOX_FULL","message":"mailbox \"inbox\" is full"},"executor":"tool:mailbox.send.v1"}`)
	p.expect(p.run(sendProgram, p.sendArgs(`"`+strings.Repeat("x", 100)+`"`)), "failed",
		`{"error":{"code":"BUDGET_EXHAUSTED","message":"mailbox message 102B exceeds 64B"},"executor":"tool:mailbox.send.v1"}`)
	p.expect(p.run(receiveProgram, p.receiveArgs()), "complete",
		fmt.Sprintf(`{"executor":"tool:mailbox.receive.v1","output":{"id":"%s","message":{"n":1}}}`, id))
	if again := p.run(sendProgram, p.sendArgs(`{"n":1}`)); !canon.Equal(again, sent) {
		t.Errorf("after the message was received the run is %s", again)
	}
	wrong := p.run(sendProgram, fmt.Sprintf(`{"in":{"box":"%s","message":1}}`, p.box.Receive))
	if failure := wrong.Get("failure"); !failure.Get("code").IsText("TYPE_MISMATCH") || wrong.Get("effects").Len() != 0 {
		t.Errorf("a handle of the wrong class: %s with %s", failure, wrong.Get("effects"))
	}
}

// TestToolUncertain: a send that began to publish and failed is not repeated.
func TestToolUncertain(t *testing.T) {
	engine := mailbox.NewMemory()
	failing := &failingCreate{Engine: engine}
	p := newPrograms(t, failing, engine.Admit, 4)
	failing.fails = true
	p.expect(p.run(sendProgram, p.sendArgs(`1`)), "failed",
		`{"error":{"code":"IO_FAILED","message":"link failed: no space left on device"},"executor":"tool:mailbox.send.v1","retryable":false}`)
}

// failingCreate is an engine whose medium is full at last.
type failingCreate struct {
	mailbox.Engine
	fails bool
}

func (e *failingCreate) Create(name, text string) (bool, error) {
	if e.fails {
		return false, &durable.Fault{Kind: durable.System, Op: durable.OpLink, Path: name, Err: syscall.ENOSPC}
	}
	return e.Engine.Create(name, text)
}

// TestM26TwoProcesses: the idempotency key contains the name of the process.
func TestM26TwoProcesses(t *testing.T) {
	p := newMemoryPrograms(t, 4)
	ids := map[string]bool{}
	var requests []string
	for _, name := range []string{"first", "second", "first"} {
		p.Process = name
		effect := p.effect(p.run(sendProgram, p.sendArgs(`1`)))
		ids[effect.Get("output").Get("id").Text()] = true
		requests = append(requests, effect.Get("requestDigest").Text())
	}
	if len(ids) != 2 || requests[0] != requests[1] || requests[0] != requests[2] {
		t.Errorf("sent %v for requests %v", ids, requests)
	}
	if i, err := p.svc.Inspect("inbox"); i.Pending != 2 || err != nil {
		t.Errorf("inspected %+v, %v", i, err)
	}
}

// TestToolKeys: outside a process the key is the request digest, inside it is the
// digest of §11.1.
func TestToolKeys(t *testing.T) {
	p := newMemoryPrograms(t, 4)
	request := p.effect(p.run(sendProgram, p.sendArgs(`1`))).Get("requestDigest").Text()
	p.Process = "p1"
	p.run(sendProgram, p.sendArgs(`1`))
	scoped := func(request string) algal.Digest {
		return value(t, fmt.Sprintf(`{"contract":"algal.process-effect.v1","process":"p1","requestDigest":"%s"}`, request)).Digest()
	}
	const vector = "sha256:bd8bfe07b84e8145b183b438fc3dc449ca1756718fa0e8620545db7bda43aba8"
	if got := scoped("sha256:2bfd14f43d17fc7cea24e0917a8879b4b2f880b8baeec1b9d90fbaad655e71bd"); got != vector {
		t.Errorf("the vector is %s", got)
	}
	want := map[algal.Digest]bool{algal.Digest(request): true, scoped(request): true}
	for range 2 {
		m, err := p.svc.Receive(context.Background(), p.box.Receive.String())
		if err != nil || !want[m.Key] {
			t.Errorf("received the message of %s, %v", m.Key, err)
		}
		delete(want, m.Key)
	}
}

// TestM29Wait: a program waits on an empty mailbox and goes on when there is a
// message. Its receipts verify.
func TestM29Wait(t *testing.T) {
	p := newMemoryPrograms(t, 4)
	m := p.manifest(receiveProgram)
	verify := func(receipt canon.Value) {
		t.Helper()
		v, err := replay.NewVerifier(m, p.Host)
		if err != nil {
			t.Fatal(err)
		}
		if mismatches, err := v.Mismatches(context.Background(), receipt); err != nil || len(mismatches) > 0 {
			t.Errorf("does not verify: %v, %v", mismatches, err)
		}
	}
	first := p.run(receiveProgram, p.receiveArgs())
	p.expect(first, "suspended",
		fmt.Sprintf(`{"error":{"code":"EFFECT_SUSPENDED","message":"mailbox \"inbox\" is empty"},"executor":"tool:mailbox.receive.v1","retryable":false,"wake":["%s"]}`, p.box.Receive))
	verify(first)
	id, err := p.svc.Send(context.Background(), p.box.Send.String(), value(t, `{"approve":true}`), mailbox.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	result, err := replay.Resume(context.Background(), first, m, p.Host)
	if err != nil {
		t.Fatal(err)
	}
	resumed := result.Receipt()
	p.expect(resumed, "complete", fmt.Sprintf(`{"executor":"tool:mailbox.receive.v1","output":{"id":"%s","message":{"approve":true}}}`, id))
	if before, after := p.effect(first).Get("requestDigest"), p.effect(resumed).Get("requestDigest"); !canon.Equal(before, after) {
		t.Errorf("request %s became %s", before, after)
	}
	verify(resumed)
}
