package verify

import (
	"errors"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/organism"
)

// Contracts of an evidence document.
const (
	Contract       = "algal.process-evidence.v1"
	BundleContract = "algal.bundle.v1"
)

// Bounds of a document (evidence.md §2), inclusive.
const (
	MaxBytes     = 67_108_864 // of the text and of the canonical form
	MaxNodes     = 1_000_000
	MaxReceipts  = 64
	MaxManifests = 512
	MaxValues    = 512
	MaxTools     = 64
	MaxMissing   = 512
	maxToolName  = 128 // UTF-16 units
)

// Stage names where a document was refused.
type Stage string

// The stages, in the order of evidence.md §3 and §4. All but the last five are
// admission.
const (
	StageText         Stage = "text"
	StageBounds       Stage = "bounds"
	StageDocument     Stage = "document"
	StageRecords      Stage = "records"
	StageReceipts     Stage = "receipts"
	StageProgram      Stage = "program"
	StageMissing      Stage = "missing"
	StageTools        Stage = "tools"
	StageCompile      Stage = "compile"
	StageHistory      Stage = "history"
	StageCoverage     Stage = "coverage"
	StageReplay       Stage = "replay"
	StageDependencies Stage = "dependencies"
)

// Refusal says why a document was refused and where. The contract's error is Err,
// unchanged; the rest is for an account to a reader.
type Refusal struct {
	Err        *algal.Error
	Stage      Stage
	Generation int          // -1 when the fault belongs to none
	Digest     algal.Digest // of the object at fault, or ""
}

func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns the contract's error.
func (r *Refusal) Unwrap() error { return r.Err }

func refusal(stage Stage, err error) *Refusal {
	r := &Refusal{Err: algal.AsError(err), Stage: stage, Generation: -1}
	var fault *chain.Fault
	if errors.As(err, &fault) {
		r.Generation, r.Digest = fault.Generation, fault.Digest
	}
	return r
}

func (r *Refusal) at(d algal.Digest) *Refusal {
	r.Digest = d
	return r
}

// Evidence is an admitted document.
type Evidence struct {
	Digest     algal.Digest // evidenceDigest: of the canonical form of the whole
	Size       int          // canonical bytes
	Canonical  bool         // the text was in canonical form
	Duplicates bool         // some object had a key twice
	Head       algal.Digest
	Root       algal.Digest

	records   canon.Value // digest to record
	receipts  canon.Value // storage digest to receipt
	manifests canon.Value
	values    canon.Value
	missing   struct{ manifests, values canon.Value }
	tools     map[string]*organism.Tool
}

// Parse admits a document (evidence.md §3). The error is a [*Refusal]: the first
// failing check of the specified order.
func Parse(text string) (*Evidence, error) {
	if len(text) > MaxBytes {
		return nil, refusal(StageBounds, algal.Errorf(algal.BudgetExhausted, "process evidence exceeds %d bytes", MaxBytes))
	}
	document, err := canon.ParseDocument(text, canon.Limits{Nodes: MaxNodes})
	if err != nil {
		stage := StageText
		var fault *canon.Fault
		if errors.As(err, &fault) && fault.Bounds() {
			stage = StageBounds
			err = algal.Errorf(algal.BudgetExhausted, "process evidence structure bound exceeded: %v", fault)
		}
		return nil, refusal(stage, err)
	}
	v := document.Value.Sorted() // only the value counts, not the order of the text
	if v.Size() > MaxBytes {
		return nil, refusal(StageBounds, algal.Errorf(algal.BudgetExhausted, "canonical process evidence exceeds %d bytes", MaxBytes))
	}
	e := &Evidence{Size: v.Size(), Canonical: document.Canonical, Duplicates: document.Duplicates}
	sums := hashAll(v)
	if r := e.admit(v, sums); r != nil {
		return nil, r
	}
	e.Digest = sums.document()
	return e, nil
}

// Admission reports whether the stage comes before anything is compiled or
// replayed.
func (s Stage) Admission() bool {
	switch s {
	case StageCompile, StageHistory, StageCoverage, StageReplay, StageDependencies:
		return false
	}
	return true
}
