// Package executortest runs programs against executors and tools under test. Only
// tests import it.
package executortest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// JSON parses a text that the test knows to be JSON, which may be deeper than
// documents of the contract.
func JSON(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{Depth: 2 * canon.MaxDepth})
	if err != nil {
		t.Fatalf("%v in %.80s", err, text)
	}
	return v
}

// Manifest admits a manifest.
func Manifest(t testing.TB, v canon.Value) *organism.Manifest {
	t.Helper()
	m, err := organism.ParseManifest(v)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Agent returns a program of one agent cell "a" without inputs. more are further
// members of the cell, or others in place of the text output and the prompt "p".
func Agent(more ...canon.Member) canon.Value {
	cell := canon.Object(
		canon.M("id", canon.String("a")),
		canon.M("kind", canon.String("agent")),
		canon.M("prompt", canon.String("p")),
		canon.M("output", canon.Object(canon.M("kind", canon.String("text")))),
	).With(more...)
	return canon.Object(
		canon.M("contract", canon.String(organism.Contract)),
		canon.M("key", canon.String("organism:a")),
		canon.M("name", canon.String("a")),
		canon.M("cells", canon.Array(cell)),
		canon.M("edges", canon.Array()),
	)
}

// Deadline is the runtime's deadline over the real clock.
func Deadline(ctx context.Context, ms int) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
}

// Run runs a program to its receipt and fails the test unless the receipt
// verifies by itself, without executors.
func Run(t testing.TB, manifest, args canon.Value, host runtime.Host) canon.Value {
	t.Helper()
	if host.Store == nil {
		host.Store = cas.NewMemory()
	}
	host.Deadline = Deadline
	m := Manifest(t, manifest)
	result, err := runtime.Run(t.Context(), m, args, host, nil)
	if err != nil {
		t.Fatal(err)
	}
	receipt := result.Receipt()
	report, err := replay.Verify(t.Context(), receipt, m, host)
	if err != nil {
		t.Fatalf("receipt %s: %v", receipt, err)
	}
	if !report.OK {
		t.Errorf("receipt does not verify: %v", report.Mismatches)
	}
	return receipt
}

// Effect returns effect receipt i of a run.
func Effect(t testing.TB, receipt canon.Value, i int) canon.Value {
	t.Helper()
	effects := receipt.Get("effects")
	if i >= effects.Len() {
		t.Fatalf("receipt has %d effects: %s", effects.Len(), receipt)
	}
	return effects.At(i)
}

// Recorded is a run of the reference runtime and who answered in it.
type Recorded struct {
	goldenrun.Case
	Executors []Spec
}

// Spec says which executor answered: a scripted one or a command.
type Spec struct {
	ID        string
	Responses canon.Value // of a scripted executor
	Command   string      // of a command executor
	TimeoutMs int         // 0 when not given
	MaxStdout int         // 0 when not given
}

// Recordings returns the recorded runs of golden/receipts that have a whole
// receipt.
func Recordings(t testing.TB) []Recorded {
	t.Helper()
	var all []Recorded
	for _, c := range goldenrun.Receipts(t) {
		r := Recorded{Case: c}
		for _, e := range c.Record.Get("executors").Elements() {
			s := Spec{ID: e.Get("id").Text(), Command: e.Get("command").Text()}
			if file := e.Get("file").Text(); file != "" {
				s.Responses = goldenrun.Parse(t, "receipts/"+c.Name+"/"+file)
			}
			r.Executors = append(r.Executors, s)
		}
		all = append(all, r)
	}
	for _, c := range goldenrun.Failures(t) {
		r, options := Recorded{Case: c}, c.Record.Get("commandOptions")
		if responses, command := c.Record.Get("responses"), c.Record.Get("command").Text(); responses.Exists() || command != "" {
			r.Executors = []Spec{{
				Responses: responses,
				Command:   command,
				TimeoutMs: int(options.Get("timeoutMs").Float()),
				MaxStdout: int(options.Get("maxStdoutBytes").Float()),
			}}
		}
		all = append(all, r)
	}
	return slices.DeleteFunc(all, func(r Recorded) bool { return !r.Receipt.Exists() })
}

// Host returns a host with what the run's store held and the given executors.
func (r *Recorded) Host(t testing.TB, executors ...runtime.Executor) runtime.Host {
	t.Helper()
	store := cas.NewMemory()
	r.Fill(t, store)
	return runtime.Host{Store: store, Executors: executors, Transports: r.Transports}
}
