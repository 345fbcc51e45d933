package fuzz

import (
	"context"
	"errors"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/verify"
)

// FuzzEvidence: a document is verified or refused with a known code and a stage,
// the same every time, and by its value alone: its canonical text fares as it does.
func FuzzEvidence(f *testing.F) {
	n := 0
	for _, name := range golden.Glob(f, "evidence/*.evidence.json") {
		if golden.ThirdParty(f, name) {
			continue
		}
		f.Add(string(golden.Read(f, name)))
		n++
	}
	for i, line := range golden.Lines(f, "evidence/mutants.jsonl") {
		if v, err := canon.Parse(line, canon.Limits{Depth: 100}); err == nil && i%4 == 0 {
			f.Add(v.Get("document").String())
			n++
		}
	}
	if n == 0 {
		f.Fatal("no seeds")
	}
	f.Fuzz(func(t *testing.T, text string) {
		report, err := judge(text)
		again, errAgain := judge(text)
		if report != again || same(err) != same(errAgain) {
			t.Fatalf("not deterministic: %s, %v and %s, %v", report, err, again, errAgain)
		}
		if err != nil {
			var r *verify.Refusal
			if !errors.As(err, &r) || !r.Err.Code.Known() || r.Err.Code == algal.Internal || r.Stage == "" || r.Err.Message == "" {
				t.Fatalf("refused with %#v", err)
			}
		}
		v, parseErr := canon.Parse(text, canon.Limits{})
		if parseErr != nil {
			return
		}
		canonical, errCanonical := judge(v.String())
		if report != canonical || algal.CodeOf(err) != algal.CodeOf(errCanonical) {
			t.Fatalf("the canonical text fares otherwise: %s, %v and %s, %v", report, err, canonical, errCanonical)
		}
	})
}

func judge(text string) (report string, err error) {
	e, err := verify.Parse(text)
	if err != nil {
		return "", err
	}
	r, err := e.Verify(context.Background())
	if err != nil {
		return "", err
	}
	return r.Value().String(), nil
}

func same(err error) string {
	if err == nil {
		return ""
	}
	return string(algal.CodeOf(err)) + err.Error()
}
