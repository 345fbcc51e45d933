package laboratory

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/root"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/hostdoc"
	"github.com/algal-vm/algal/verify"
)

const (
	portableFile = "portable.algal.json"
	movedDir     = "approved-source-away"
)

// carryAway exports the approved review as one document, moves its directory away and
// has the document verified. It returns the verdict.
func (l *laboratory) carryAway(ctx context.Context, r *review) (canon.Value, error) {
	a, err := l.ask(ctx, "export", r.dir)
	if err != nil {
		return canon.Value{}, err
	}
	found := a.wrong
	if found == "" {
		found = "a text that is not canonical evidence"
	}
	evident := a.wrong == "" && a.value.Get("contract").IsText(verify.Contract) && a.text == a.value.String()
	if err := l.facts.That(evident, "the history is exported as one document", "%s", found); err != nil {
		return canon.Value{}, err
	}
	if err := hostdoc.Write(l.files, l.root.Join(portableFile), a.value, maxOutput); err != nil {
		return canon.Value{}, err
	}
	if err := l.moveAway(r); err != nil {
		return canon.Value{}, err
	}
	return l.verified(ctx, "the moved-away history verifies from the document alone", l.root.Join(portableFile), r.head)
}

// moveAway gives the directory of a review its other name, durably.
func (l *laboratory) moveAway(r *review) error {
	before, err := root.Open(r.dir)
	if err != nil {
		return err
	}
	away := l.root.Join(movedDir)
	if err := l.rename(r.dir, away); err != nil {
		return err
	}
	_, left := os.Lstat(r.dir)
	after, err := root.Open(away)
	moved := errors.Is(left, fs.ErrNotExist) && canon.Equal(before.Identity(), after.Identity())
	if err := l.measured(err, moved, "the source was moved away", "a directory at its old place"); err != nil {
		return err
	}
	r.dir = away
	return nil
}

// rename renames a directory in the root and syncs the root.
func (l *laboratory) rename(from, to string) error {
	err := l.files.Do(durable.Step{Op: durable.OpReplace, Path: from, Target: to}, func() error { return os.Rename(from, to) })
	if err != nil {
		return err
	}
	return l.files.Do(durable.Step{Op: durable.OpDirSync, Path: l.root.Path}, func() error {
		dir, err := os.Open(l.root.Path)
		if err != nil {
			return err
		}
		defer dir.Close()
		return dir.Sync()
	})
}

// verified has an evidence document verified by a child, which must find the given
// head, and returns the verdict.
func (l *laboratory) verified(ctx context.Context, line, file string, head algal.Digest) (canon.Value, error) {
	return l.succeeds(ctx, line, "digest", string(head), "verify", file)
}
