package qualification

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/stage"
	"github.com/algal-vm/algal/durable"
)

// Options says how a demonstration is held.
type Options struct {
	Self   string           // our executable, absolute
	Native string           // the executable that plays B, absolute; "" lets ours play it
	Keep   bool             // keep the workspace also when every fact is true
	Temp   string           // the directory for the workspace; "" is that of the system
	Told   func(stage.Fact) // is called with every fact as it is measured; may be nil
}

// Demonstration is what is held.
type Demonstration struct {
	Name      string // of the workspace, algal-demo-NAME-…
	Contract  string // of the report
	MaxOutput int    // bytes of each stream of a process
	Patience  time.Duration

	// Show does it. It returns the members of the report after contract and ok, and
	// those measured so far when it ends early.
	Show func(context.Context, *Session) ([]canon.Member, error)
}

// Result is what became of it.
type Result struct {
	Report    canon.Value // absent if the demonstration could not be held
	OK        bool        // every fact was true
	Facts     int         // that were found true
	Failed    *stage.Fact // the one that was not, or nil
	Workspace string      // absolute, "" where it was removed
}

// Hold holds a demonstration. A false fact is no error: the result says it. The
// error says why there is no report: IO_FAILED where the workspace or an executable
// cannot be used, BUDGET_EXHAUSTED where ctx has ended; the result then still says
// which workspace was kept.
func Hold(ctx context.Context, o Options, d Demonstration) (Result, error) {
	s, err := newSession(o, d)
	if err != nil {
		return Result{}, err
	}
	members, err := d.Show(ctx, s)
	r := Result{Facts: s.Held(), Failed: s.failed, Workspace: s.Dir}
	switch {
	case ctx.Err() != nil:
		return r, algal.Errorf(algal.BudgetExhausted, "interrupted")
	case s.failed == nil && err != nil:
		return r, err
	}
	r.OK = s.failed == nil
	head := []canon.Member{canon.M("contract", canon.String(d.Contract)), canon.M("ok", canon.Bool(r.OK))}
	r.Report = canon.Object(append(head, members...)...)
	if !r.OK {
		r.Report = r.Report.With(canon.M("failure", canon.Object(
			canon.M("fact", canon.String(s.failed.Line)),
			canon.M("found", canon.String(s.failed.Found)),
			canon.M("workspace", canon.String(s.Dir)),
		)))
	} else if !o.Keep && os.RemoveAll(s.Dir) == nil {
		r.Workspace = ""
	}
	return r, nil
}

// newSession makes the workspace and gives the roles.
func newSession(o Options, d Demonstration) (*Session, error) {
	two := false
	if o.Native != "" {
		same, err := sameExecutable(o.Self, o.Native)
		if err != nil {
			return nil, err
		}
		two = !same
	}
	dir, err := os.MkdirTemp(o.Temp, "algal-demo-"+d.Name+"-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, algal.Errorf(algal.IOFailed, "no directory to work in: %v", err)
	}
	program := func(path string) *stage.Program {
		return &stage.Program{Path: path, Dir: dir, MaxOutput: d.MaxOutput, Patience: d.Patience}
	}
	s := &Session{Self: o.Self, A: program(o.Self), Dir: dir, keep: o.Keep}
	s.B = s.A
	if two {
		s.B = program(o.Native)
	}
	s.Told = func(f stage.Fact) {
		if !f.Holds && s.failed == nil {
			s.failed = &f
		}
		if o.Told != nil {
			o.Told(f)
		}
	}
	return s, nil
}

// sameExecutable reports whether two paths lead to one file, which then is one
// runtime and not two.
func sameExecutable(self, native string) (bool, error) {
	own, err := os.Stat(self)
	if err != nil {
		return false, algal.Errorf(algal.IOFailed, "our own executable: %v", durable.Cause(err))
	}
	other, err := os.Stat(native)
	if err != nil {
		return false, algal.Errorf(algal.IOFailed, "the second executable: %v", durable.Cause(err))
	}
	if !other.Mode().IsRegular() || other.Mode().Perm()&0o111 == 0 {
		return false, algal.Errorf(algal.IOFailed, "the second executable: not an executable file")
	}
	return os.SameFile(own, other), nil
}
