package check

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/process"
)

const processesDir = "processes"

// processes examines every process in order of the names.
func (e *examination) processes(ctx context.Context) {
	if e.closed[processesDir] {
		return
	}
	var names []string
	for _, d := range e.entries(processesDir, HeadDamaged) {
		name, path := d.Name(), processesDir+"/"+d.Name()
		switch {
		case name == ".lock": // process creation looks at it
		case d.IsDir() && canon.CheckSafeID(name, "") == nil:
			names = append(names, name)
		case d.Type().IsRegular() && isResidue(name):
			e.report(Finding{Kind: CreationInterrupted, Path: path, Advice: "left by an interrupted creation, and no process can be listed or created until it is gone: remove it when nothing creates a process"})
		default:
			e.report(Finding{Kind: HeadDamaged, Path: path, Advice: "not the directory of a process, and no process can be listed or created until it is gone: move it away"})
		}
	}
	e.summary.Processes = len(names)
	if len(names) > process.MaxProcesses {
		e.report(Finding{Kind: HeadDamaged, Path: processesDir, Advice: fmt.Sprintf("%d processes where at most %d may be: none can be listed or created", len(names), process.MaxProcesses)})
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return
		}
		p := &processExamination{examination: e, name: name, dir: processesDir + "/" + name}
		p.examine(ctx)
	}
}

// processExamination is the examination of one process.
type processExamination struct {
	*examination
	name, dir string

	hasMarker   bool           // the marker of a creation
	hasJournals bool           // the directory of journals
	history     *chain.History // once it is validated
}

func (p *processExamination) examine(ctx context.Context) {
	hasHead := false
	for _, d := range p.entries(p.dir, HeadDamaged) {
		switch name := d.Name(); {
		case name == headFile:
			hasHead = true
		case name == markerFile:
			p.hasMarker = true
		case name == journalsName:
			p.hasJournals = true
		case custody.Keeps(d):
		default:
			p.stranger(p.dir+"/"+name, d)
		}
	}
	p.lease(custody.Process(p.root, p.name), p.dir)
	if hasHead {
		p.headed(ctx)
	} else {
		p.headless()
	}
	p.journals()
}

const (
	headFile   = "head.json"
	markerFile = ".creating.json"
)

// headless tells a creation that did not come to its end from a head that is gone.
func (p *processExamination) headless() {
	f := Finding{Kind: CreationInterrupted, Path: p.dir}
	switch {
	case p.hasJournals:
		f.Kind, f.Advice = HeadDamaged, "the process was dispatched and has no head: bring head.json back from a copy of the store"
		f.Path = p.dir + "/" + headFile
	case !p.hasMarker:
		f.Advice = "no head and no creation marker: no process of this name can be created, and none be listed or scheduled, until the directory is removed by hand"
	default:
		f.Advice = "the creation did not come to its end, and no process can be listed or scheduled meanwhile: repeat algal process create with the same definition"
		if record, ok := p.marker(); ok {
			f.Digest = record
		} else {
			f.Advice = "the creation did not come to its end and its marker is damaged: no process of this name can be created, and none be listed or scheduled, until the directory is removed by hand"
		}
	}
	p.report(f)
}

// marker returns the record that an interrupted creation meant to publish.
func (p *processExamination) marker() (algal.Digest, bool) {
	v, found, err := p.document(p.dir+"/"+markerFile, maxSmall)
	if err != nil || !found {
		return "", false
	}
	record, err := canon.AsDigest(v.Get("record"), "record")
	return record, err == nil && v.Get("contract").IsText(process.CreationContract) && v.Get("name").IsText(p.name)
}

// maxSmall bounds the small documents of processes and custody.
const maxSmall = 4096

// headed examines a process by its head.
func (p *processExamination) headed(ctx context.Context) {
	path := p.dir + "/" + headFile
	if p.hasMarker {
		p.report(Finding{Kind: Residue, Path: p.dir + "/" + markerFile, Advice: "left by a creation that was interrupted at its very end: nothing reads it"})
	}
	v, found, err := p.document(path, process.MaxHeadBytes)
	if err == nil && !found {
		return // it has just gone
	}
	var head algal.Digest
	if err == nil {
		head, err = process.ParseHead(v, p.name)
	}
	if err != nil {
		p.report(Finding{Kind: HeadDamaged, Path: path, Advice: err.Error() + ": bring head.json back from a copy of the store"})
		return
	}
	p.chain(ctx, head)
}
