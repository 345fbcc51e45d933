package adapter

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/stage"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/shell"
)

// Command is the command of this program that serves one call: its arguments are
// the place and the stage.
const Command = "adapter-stage"

// Stage tells what a call is for, and how it is answered.
type Stage string

// The stages. Only a pending call ever hangs.
const (
	Prefix  Stage = "prefix"
	Pending Stage = "pending"
)

// The answers of the stages, as the output port "value".
var answers = map[Stage]string{Prefix: "saved", Pending: "recovered"}

// ParseStage admits the name of a stage.
func ParseStage(name string) (Stage, error) {
	if _, known := answers[Stage(name)]; !known {
		return "", algal.Errorf(algal.ParseFailed, "stage must be %s or %s, got %s", Prefix, Pending, name)
	}
	return Stage(name), nil
}

// The effects that a tool may be declared with.
const (
	Read  = "read"
	Write = "write"
)

// Place is the directory in which an adapter records its calls, as an absolute
// path.
type Place string

// The files of a place.
const (
	callsFile = "calls.jsonl" // one line a call, in the order of admission
	blockFile = "block"       // while it is there a pending call hangs
	readyFile = "ready"       // a call hangs; the process id in it is for an operator only
)

func (p Place) file(name string) string { return filepath.Join(string(p), name) }

// Declaration returns the entry of a tools file for a stage (run.md §9.2), served
// by the executable of this program at an absolute path.
func (p Place) Declaration(executable string, s Stage, effect string, cost int) canon.Value {
	return canon.Object(
		canon.M("signature", canon.Object(
			canon.M("inputs", canon.Object()),
			canon.M("outputs", canon.Object(canon.M("value", canon.String("text")))),
			canon.M("cost", canon.Int(cost)),
			canon.M("maxOutputBytes", canon.Int(1000)),
			canon.M("effect", canon.String(effect)),
		)),
		canon.M("exec", canon.String("cmd:exec "+shell.Line(executable, "demo", Command, string(p), string(s)))),
	)
}

// Block makes pending calls hang from now on.
func (p Place) Block() error {
	if err := os.WriteFile(p.file(blockFile), nil, 0o600); err != nil {
		return algal.Errorf(algal.IOFailed, "cannot block the adapter: %v", durable.Cause(err))
	}
	return nil
}

// Unblock lets pending calls be answered from now on. One that hangs stays so.
func (p Place) Unblock() error {
	if err := os.Remove(p.file(blockFile)); err != nil {
		return algal.Errorf(algal.IOFailed, "cannot unblock the adapter: %v", durable.Cause(err))
	}
	return nil
}

// How long a demonstration waits for a call to hang (demo.md §3.2 step 1).
const (
	looks    = 250
	interval = 40 * time.Millisecond
)

// Reached waits until a call of the owner hangs. That the owner ends first, or that
// nothing hangs after 10 s, is a RECEIPT_MISMATCH error.
func (p Place) Reached(ctx context.Context, owner *stage.Owned) error {
	for range looks {
		if _, err := os.Lstat(p.file(readyFile)); err == nil {
			return nil
		}
		select {
		case <-owner.Done():
			return algal.Errorf(algal.ReceiptMismatch, "an owner that ended before its call hung")
		case <-ctx.Done():
			return algal.Errorf(algal.BudgetExhausted, "interrupted")
		case <-time.After(interval):
		}
	}
	return algal.Errorf(algal.ReceiptMismatch, "no call that hangs within %v", looks*interval)
}
