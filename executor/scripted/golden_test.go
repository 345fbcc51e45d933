package scripted_test

import (
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/executor/executortest"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
)

// TestRecordedRuns runs every recorded program whose answers all come from
// scripts and compares the whole receipt.
func TestRecordedRuns(t *testing.T) {
	ran := 0
	for _, r := range executortest.Recordings(t) {
		executors, ok := scripts(t, r)
		// The second run of 36-cached, through the memo, is package memo's.
		if !ok || r.Tools.Exists() || r.Name == "36-cached" {
			continue
		}
		ran++
		t.Run(r.Name, func(t *testing.T) {
			got := executortest.Run(t, r.Manifest, r.Args, r.Host(t, executors...))
			if diff := cmp.Diff(r.Receipt.String(), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Logf("%d recorded runs", ran)
	if ran < 40 {
		t.Errorf("only %d recorded runs", ran)
	}
}

func scripts(t *testing.T, r executortest.Recorded) (executors []runtime.Executor, ok bool) {
	for _, s := range r.Executors {
		if s.Command != "" {
			return nil, false
		}
		e, err := scripted.New(s.Responses, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		executors = append(executors, e)
	}
	return executors, len(executors) > 0
}

// TestX2X4X5 is of conformance.md: every example gives its
// recorded outcome and receipt, over a store that holds all manifests of the
// folder.
func TestX2X4X5(t *testing.T) {
	golden.NeedShared(t)
	examples, outcomes := goldenrun.Examples(t), map[string]int{}
	store := cas.NewMemory()
	for i, c := range examples {
		if i == 0 {
			c.Fill(t, store) // the same manifests for all
		}
		outcome, responses := c.Record.Get("outcome").Text(), canon.Object()
		outcomes[outcome]++
		if file := c.Record.Get("responses").Text(); file != "" {
			responses = goldenrun.Parse(t, "examples/"+file)
		}
		t.Run(c.Name, func(t *testing.T) {
			script, err := scripted.New(responses, "")
			if err != nil {
				t.Fatal(err)
			}
			got := executortest.Run(t, c.Manifest, c.Args, runtime.Host{
				Store:      cas.NewOverlay(store), // slots start empty
				Executors:  []runtime.Executor{script},
				Transports: c.Transports,
			})
			if !got.Get("outcome").IsText(outcome) {
				t.Errorf("outcome %s, want %s", got.Get("outcome"), outcome)
			}
			if diff := cmp.Diff(c.Receipt.String(), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Logf("%d examples: %v", len(examples), outcomes)
	if len(examples) == 0 {
		t.Error("no examples")
	}
}
