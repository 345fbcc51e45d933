package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/hostdoc"
	"github.com/algal-vm/algal/journal"
)

const journalsName = "journals"

// journals examines the journals of a process, and then says how its current
// dispatch can be carried on if that has no outcome.
func (p *processExamination) journals() {
	var current *journal.Journal // of the head, when that is an intent
	dir := p.dir + "/" + journalsName
	for _, d := range p.entries(dir, JournalDamaged) {
		path := dir + "/" + d.Name()
		intent := algal.Digest("sha256:" + d.Name())
		if !algal.IsDigest(string(intent)) {
			p.stranger(path, d)
			continue
		}
		if !d.IsDir() {
			p.report(Finding{Kind: JournalDamaged, Path: path, Digest: intent, Advice: "not a directory: move it away"})
			continue
		}
		j := p.journal(path, intent)
		if p.history != nil && intent == p.history.Head {
			current = j
		}
	}
	if p.history != nil && p.history.Last().Status == chain.Uncertain {
		p.uncertain(current)
	}
}

// journal examines one journal. It returns nil unless the journal is sound.
func (p *processExamination) journal(path string, intent algal.Digest) *journal.Journal {
	empty := true
	for _, d := range p.entries(path, JournalDamaged) {
		switch name := d.Name(); name {
		case "header.json":
			empty = false
		case "entries", "recoveries":
			for _, in := range p.entries(path+"/"+name, JournalDamaged) {
				if durable.IsTemp(in.Name()) {
					p.stranger(path+"/"+name+"/"+in.Name(), in)
				} else {
					empty = false
				}
			}
		default:
			p.stranger(path+"/"+name, d)
		}
	}
	if empty {
		p.report(Finding{Kind: Residue, Path: path, Advice: "an empty journal, which nothing reads"})
		return nil
	}
	seen := p.source()
	j, err := p.open(path, intent, seen)
	seen.need(path, true)
	if err == nil {
		err = p.placed(j, intent)
	}
	if err == nil {
		return j
	}
	var fault *journal.Fault
	if errors.As(err, &fault) {
		if strings.HasPrefix(fault.Name, values.dir()+"/") && seen.met(damaged, irregular, absent, unread) {
			return nil // the object itself is reported
		}
		path = fault.Name
	}
	p.report(Finding{Kind: JournalDamaged, Path: path, Digest: intent, Advice: err.Error() + ": the dispatch cannot be recovered, its history does not depend on it"})
	return nil
}

// open opens a journal as its own header names the dispatch.
func (p *processExamination) open(path string, intent algal.Digest, seen *source) (*journal.Journal, error) {
	name := path + "/header.json"
	v, err := hostdoc.Read(p.path(name), maxSmall)
	if err != nil {
		return nil, &journal.Fault{Name: name, Err: err}
	}
	if !v.Exists() {
		return nil, &journal.Fault{Name: name, Err: algal.Errorf(algal.IOFailed, "the header is missing")}
	}
	h, err := journal.ParseHeader(v)
	if err != nil {
		return nil, &journal.Fault{Name: name, Err: err}
	}
	dispatch := journal.Dispatch{Process: p.name, Intent: intent, Manifest: h.Manifest}
	return journal.Open(&journalDocuments{p.examination, seen}, dispatch)
}

// placed checks that the history has the dispatch of a journal. A dispatch that died
// before its head moved has left a journal with nothing in it.
func (p *processExamination) placed(j *journal.Journal, intent algal.Digest) error {
	if p.history == nil {
		return nil
	}
	at := slices.Index(p.history.Digests, intent)
	switch {
	case at >= 0 && p.history.Records[at].Status == chain.Uncertain:
		if p.history.Records[at].ManifestDigest != j.Header().Manifest {
			return algal.Errorf(algal.ReceiptMismatch, "journal is bound to another dispatch")
		}
	case len(j.Effects()) > 0 || j.Attempts() > 0:
		return algal.Errorf(algal.ReceiptMismatch, "the journal has effects of a dispatch that is not in the history")
	default:
		p.report(Finding{Kind: Residue, Path: p.dir + "/" + journalsName + "/" + intent.Hex(), Advice: "the journal of a dispatch that died before it began: the next one takes it up"})
	}
	return nil
}

// uncertain reports a dispatch without an outcome. j is its journal, nil when it has
// none that is sound.
func (p *processExamination) uncertain(j *journal.Journal) {
	f := Finding{Kind: ProcessUncertain, Path: p.dir, Digest: p.history.Head}
	at := fmt.Sprintf("generation %d is under way or was interrupted: ", p.history.Last().Generation)
	switch {
	case j == nil:
		f.Advice = at + "it has no journal, so nothing can carry it on, and what it did must be found out by hand"
	case j.Blocked() != nil:
		f.Advice = at + "algal process recover would refuse, " + j.Blocked().Error()
	default:
		f.Advice = at + "once its owner is gone, algal process recover " + p.name + " --expected-intent " + string(p.history.Head) + " carries it to its outcome"
	}
	p.report(f)
}

// journalDocuments is the engine by which package journal reads the documents of a
// store. Effect records are objects and are judged as such; nothing is written.
type journalDocuments struct {
	*examination
	seen *source
}

// Directory refuses a name that is not a directory's.
func (j *journalDocuments) Directory(name string) error {
	info, err := os.Lstat(j.path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return algal.Errorf(algal.IOFailed, "cannot be examined: %v", errors.Unwrap(err))
	case !info.IsDir():
		return algal.Errorf(algal.IOFailed, "not a directory")
	}
	return nil
}

// Read returns a document.
func (j *journalDocuments) Read(name string, bound int) (canon.Value, error) {
	if file, isValue := strings.CutPrefix(name, values.dir()+"/"); isValue {
		if d, ok := digestOf(file); ok {
			if v, err := j.seen.Value(d); err != nil || !v.Exists() {
				return v, err
			}
		}
	}
	return hostdoc.Read(j.path(name), bound)
}

// Scan lists documents.
func (j *journalDocuments) Scan(dir string, limit int, match func(name string) bool) ([]string, error) {
	return hostdoc.Scan(j.path(dir), limit, match, hostdoc.RefuseOthers)
}

// Ensure refuses.
func (j *journalDocuments) Ensure(string) error { return readOnly() }

// Write refuses.
func (j *journalDocuments) Write(string, canon.Value, int) error { return readOnly() }

// Replace refuses.
func (j *journalDocuments) Replace(string, canon.Value, int) error { return readOnly() }

// Remove refuses.
func (j *journalDocuments) Remove(string) error { return readOnly() }

func readOnly() error {
	return algal.Errorf(algal.CapabilityDenied, "an examination writes nothing")
}
