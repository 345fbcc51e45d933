package portable

import (
	"context"
	"os"
	"path/filepath"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/qualification"
	"github.com/algal-vm/algal/demo/stage"
)

// document is the evidence that a runtime has exported.
type document struct {
	exporter string
	path     string
	value    canon.Value
}

// export lets each runtime export the process, and saves what they print.
func (t *tour) export(ctx context.Context) error {
	for _, r := range t.runtimes {
		line := r.name + " exports the verified head"
		ended, err := t.Run(ctx, r.Program, line, t.inStore("process", "export", name)...)
		if err != nil {
			return err
		}
		if ended.Exit != 0 {
			return t.That(false, line, "%s", qualification.Described(ended))
		}
		path, err := t.Write(filepath.Join(evidenceDir, r.name+"-evidence.json"), ended.Stdout)
		if err != nil {
			return err
		}
		evidence, err := ended.Value()
		if err != nil {
			return t.That(false, line, "a document that is not JSON: %v", err)
		}
		if err := t.That(canon.Equal(evidence.Get("head"), t.head), line, "the head %s", evidence.Get("head")); err != nil {
			return err
		}
		t.documents = append(t.documents, document{r.name, path, evidence})
	}
	return nil
}

// moveAway renames the source, and prepares the runtimes that verify without it:
// their directory and their environment are empty.
func (t *tour) moveAway(context.Context) (err error) {
	if err := os.Rename(t.Path(sourceDir), t.Path(movedDir)); err != nil {
		return algal.Errorf(algal.IOFailed, "the source cannot be moved away: %v", err)
	}
	_, err = os.Lstat(t.Path(sourceDir))
	t.found.sourcePathsRemoved = canon.Bool(os.IsNotExist(err))
	if err := t.That(os.IsNotExist(err), "nothing has the path of the source any more", "%v", err); err != nil {
		return err
	}
	if t.inventory, err = takeInventory(t.Path(movedDir)); err != nil {
		return err
	}
	for _, r := range t.runtimes {
		t.verifiers = append(t.verifiers, actor{&stage.Program{
			Path: r.Path, Dir: t.Path(emptyDir), Env: []string{}, MaxOutput: maxOutput, Patience: patience,
		}, r.name})
	}
	return nil
}

// verifyAll lets each runtime verify each document.
func (t *tour) verifyAll(ctx context.Context) error {
	return t.pairs(func(d document, v actor) error {
		line := v.name + " verifies the evidence of " + d.exporter + " with nothing else at hand"
		report, err := t.Ask(ctx, v.Program, line, "process", "verify-evidence", d.path)
		if err != nil {
			return err
		}
		t.found.verification = append(t.found.verification, canon.Object(
			canon.M("exporter", canon.String(d.exporter)),
			canon.M("verifier", canon.String(v.name)),
			canon.M("report", report),
		))
		good := report.Get("ok").Bool() && report.Get("status").IsText("complete") &&
			canon.Equal(report.Get("receipts"), canon.Int(receipts)) && canon.Equal(report.Get("generations"), canon.Int(generations)) &&
			canon.Equal(report.Get("digest"), t.head) && report.Get("evidenceDigest").IsText(string(d.value.Digest()))
		return t.That(good, line, "%s", report)
	})
}

// pairs calls f with each document and each verifier, until it fails.
func (t *tour) pairs(f func(document, actor) error) error {
	for _, d := range t.documents {
		for _, v := range t.verifiers {
			if err := f(d, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuses asserts that a verification fails.
func (t *tour) refuses(ctx context.Context, v actor, line string, args ...string) error {
	ended, err := t.Run(ctx, v.Program, line, append([]string{"process", "verify-evidence"}, args...)...)
	if err != nil {
		return err
	}
	return t.That(ended.Exit > 0, line, "%s", qualification.Described(ended))
}

// tamperAll lets each runtime refuse the tampered copies of each document.
func (t *tour) tamperAll(ctx context.Context) error {
	for _, change := range tamperings {
		for i := range t.documents {
			if err := t.documents[i].tamper(t, change); err != nil {
				return err
			}
		}
		err := t.pairs(func(d document, v actor) error {
			err := t.refuses(ctx, v, v.name+" refuses the evidence of "+d.exporter+" "+change.words, d.tampered(change))
			if err == nil {
				t.found.rejectedMutations++
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// configureAll lets each runtime refuse to verify with tools of the host.
func (t *tour) configureAll(ctx context.Context) error {
	tools := t.Path(filepath.Join(movedDir, toolsFile))
	return t.pairs(func(d document, v actor) error {
		err := t.refuses(ctx, v, v.name+" refuses tools of the host beside the evidence of "+d.exporter, d.path, "--tools", tools)
		if err == nil {
			t.found.rejectedHostConfigurations++
		}
		return err
	})
}

// lookBack asserts that verification has left no trace.
func (t *tour) lookBack(context.Context) error {
	entries, err := os.ReadDir(t.Path(emptyDir))
	if err != nil {
		return algal.Errorf(algal.IOFailed, "the empty directory cannot be read: %v", err)
	}
	t.found.offlineDirectoryEmpty = canon.Bool(len(entries) == 0)
	if err := t.That(len(entries) == 0, "the directory of the verifiers is still empty", "%d entries", len(entries)); err != nil {
		return err
	}
	now, err := takeInventory(t.Path(movedDir))
	if err != nil {
		return err
	}
	t.found.sourceStateUnchanged = canon.Bool(now == t.inventory)
	return t.That(now == t.inventory, "what was moved away is the same byte for byte", "the inventory %s in place of %s", now, t.inventory)
}
