package workbench

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

//go:embed programs/approval-wait.json
var approvalWaitText string

//go:embed programs/review.json
var reviewText string

// childMark stands in review.json for the digest of the child.
const childMark = "the digest of approval-wait.json"

// programs are the two of demo.md §4.5.
type programs struct {
	wait   *organism.Manifest // organism:demo-approval-wait, embedded in the other
	review *organism.Manifest // organism:demo-review
}

// builtIn admits the programs, once.
var builtIn = sync.OnceValues(func() (programs, error) {
	wait, err := admit(approvalWaitText)
	if err != nil {
		return programs{}, err
	}
	review, err := admit(strings.Replace(reviewText, childMark, string(wait.Digest()), 1))
	return programs{wait, review}, err
})

func admit(text string) (*organism.Manifest, error) {
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		return nil, err
	}
	return organism.ParseManifest(v)
}
