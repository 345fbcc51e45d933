package stage

import (
	"fmt"

	"github.com/algal-vm/algal"
)

// Fact is something that was measured.
type Fact struct {
	Line  string // what should be, in words
	Holds bool
	Found string // what was found instead, "" for one that holds
}

// Facts asserts what a demonstration shows. The first fact that is false ends it:
// every method then returns a RECEIPT_MISMATCH error that names the fact.
type Facts struct {
	// Told is called with every fact as it is measured; nil tells nobody.
	Told func(Fact)

	held int
}

// That asserts a fact. What was found says what is the case where it is false.
func (f *Facts) That(holds bool, line, format string, found ...any) error {
	fact := Fact{Line: line, Holds: holds}
	if !holds {
		fact.Found = fmt.Sprintf(format, found...)
	}
	if f.Told != nil {
		f.Told(fact)
	}
	if !holds {
		return algal.Errorf(algal.ReceiptMismatch, "%s: found %s", line, fact.Found)
	}
	f.held++
	return nil
}

// Held returns how many facts were found true.
func (f *Facts) Held() int { return f.held }

// Same asserts that a measured value is the one that should be.
func Same[T comparable](f *Facts, line string, got, want T) error {
	return f.That(got == want, line, "%v where %v should be", got, want)
}
