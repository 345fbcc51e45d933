package portable

import (
	"context"
	_ "embed"
	"path/filepath"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/adapter"
)

//go:embed portable.algal.json
var program string

// The workspace: what evidence comes from, where that is moved, the documents, and
// the directory in which they are verified.
const (
	sourceDir   = "source"
	movedDir    = "moved"
	evidenceDir = "evidence"
	emptyDir    = "empty"
)

// The files of the source.
const (
	programFile = "portable.algal.json"
	toolsFile   = "tools.json"
	argsFile    = "args.json"
	messageFile = "message.json"
	storeDir    = "store"
)

// name is that of the process.
const name = "lost-acknowledgement"

func (t *tour) source(file string) string { return t.Path(filepath.Join(sourceDir, file)) }

func (t *tour) write(file string, v canon.Value) error {
	_, err := t.Write(filepath.Join(sourceDir, file), v.String()+"\n")
	return err
}

// place is the adapter's: its calls are part of the source.
func (t *tour) place() adapter.Place { return adapter.Place(t.Path(sourceDir)) }

// lay makes the workspace.
func (t *tour) lay(context.Context) error {
	for _, dir := range []string{sourceDir, evidenceDir, emptyDir} {
		if err := t.Mkdir(dir); err != nil {
			return err
		}
	}
	if _, err := t.Write(filepath.Join(sourceDir, programFile), program); err != nil {
		return err
	}
	if err := t.write(messageFile, canon.Object(canon.M("decision", canon.String("approve")))); err != nil {
		return err
	}
	if err := t.write(toolsFile, canon.Object(
		canon.M("prefix.v1", t.place().Declaration(t.Self, adapter.Prefix, adapter.Write, 1)),
		canon.M("pending.v1", t.place().Declaration(t.Self, adapter.Pending, adapter.Read, 1)),
	)); err != nil {
		return err
	}
	return t.place().Block()
}

// inStore returns a command with the store and the tools.
func (t *tour) inStore(words ...string) []string {
	return append(words, "--tools", t.source(toolsFile), "--dir", t.source(storeDir))
}

// openMailbox makes the mailbox and the arguments that hand it over.
func (t *tour) openMailbox(ctx context.Context) error {
	line := "A makes the mailbox"
	box, err := t.Ask(ctx, t.A, line, "mailbox", "create", "approvals", "--dir", t.source(storeDir))
	if err != nil {
		return err
	}
	t.receive, t.send = box.Get("receive").Text(), box.Get("send").Text()
	if err := t.That(t.receive != "" && t.send != "", line, "%s", box); err != nil {
		return err
	}
	return t.write(argsFile, canon.Object(canon.M("input", canon.Object(canon.M("approvals", canon.String(t.receive))))))
}

// loseAcknowledgement dispatches the process and kills the owner inside the read.
func (t *tour) loseAcknowledgement(ctx context.Context) error {
	created := t.inStore("process", "create", name, t.source(programFile), "--args", t.source(argsFile), "--max-generations", "4")
	if _, err := t.Ask(ctx, t.A, "A creates the process", created...); err != nil {
		return err
	}
	owner, err := t.A.Start(ctx, t.inStore("process", "tick", name, "--journal")...)
	if err != nil {
		return err
	}
	reached := t.place().Reached(ctx, owner)
	_, killed := owner.Kill()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := t.That(reached == nil, "A hangs in the read of its dispatch", "%v", reached); err != nil {
		return err
	}
	if err := t.That(killed == nil, "A dies by SIGKILL: the acknowledgement is lost", "%v", killed); err != nil {
		return err
	}
	return t.place().Unblock()
}

// recover lets the second runtime carry the dispatch to its outcome.
func (t *tour) recover(ctx context.Context) error {
	second := t.second()
	line := second.name + " recovers the dispatch, which then waits for an approval"
	snapshot, err := t.Ask(ctx, second.Program, line, "process", "inspect", name, "--dir", t.source(storeDir))
	if err != nil {
		return err
	}
	intent := snapshot.Get("digest").Text()
	snapshot, err = t.Ask(ctx, second.Program, line, t.inStore("process", "recover", name, "--expected-intent", intent)...)
	if err != nil {
		return err
	}
	record := snapshot.Get("process")
	waits := record.Get("status").IsText("suspended") && record.Get("previous").IsText(intent) &&
		canon.Equal(record.Get("wake"), canon.Array(canon.String(t.receive)))
	return t.That(waits, line, "%s", record)
}

// complete sends the approval and lets the first runtime go on.
func (t *tour) complete(ctx context.Context) error {
	line := "A is woken by the approval and completes"
	_, err := t.Ask(ctx, t.A, line, "mailbox", "send", t.send, t.source(messageFile), "--dir", t.source(storeDir))
	if err != nil {
		return err
	}
	passed, err := t.Ask(ctx, t.A, line, t.inStore("process", "schedule")...)
	if err != nil {
		return err
	}
	snapshot := passed.Get("processes").At(0)
	t.head = snapshot.Get("digest")
	complete := canon.Equal(passed.Get("ticks"), canon.Int(1)) && snapshot.Get("process").Get("status").IsText("complete")
	return t.That(complete, line, "%s", passed)
}

// countCalls asserts which calls of the adapter the history took.
func (t *tour) countCalls(context.Context) error {
	calls, err := t.place().Calls()
	if err != nil {
		return err
	}
	made := map[adapter.Stage]int{}
	for _, call := range calls {
		made[call.Stage]++
	}
	t.found.adapterAdmissions = canon.Int(made[adapter.Prefix])
	t.found.validationInvocations = canon.Int(made[adapter.Pending])
	return t.That(made[adapter.Prefix] == 1 && made[adapter.Pending] == 2, "the write was called once and the read twice",
		"%d and %d calls", made[adapter.Prefix], made[adapter.Pending])
}

// verifyAtHome lets each runtime verify the history where it was made.
func (t *tour) verifyAtHome(ctx context.Context) error {
	for _, r := range t.runtimes {
		line := r.name + " verifies two generations and their receipts in the store"
		report, err := t.Ask(ctx, r.Program, line, t.inStore("process", "verify", name)...)
		if err != nil {
			return err
		}
		good := report.Get("ok").Bool() && canon.Equal(report.Get("digest"), t.head) &&
			canon.Equal(report.Get("generations"), canon.Int(generations)) && canon.Equal(report.Get("receipts"), canon.Int(receipts))
		if err := t.That(good, line, "%s", report); err != nil {
			return err
		}
	}
	return nil
}

// The size of the history.
const generations, receipts = 2, 2
