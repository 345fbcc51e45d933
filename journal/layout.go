package journal

import (
	"fmt"

	"github.com/algal-vm/algal"
)

// The directories of a store that a journal lies in (journal.md §1).
const (
	processesDir = "processes"
	valuesDir    = "values"
)

// suffix ends the name of every document.
const suffix = ".json"

// place is the directory of one journal, by its name in the store.
type place string

func placeOf(d Dispatch) place { return place(journalsOf(d.Process) + "/" + d.Intent.Hex()) }

func journalsOf(process string) string { return processesDir + "/" + process + "/journals" }

func (p place) header() string { return string(p) + "/header" + suffix }

func (p place) entries() string { return string(p) + "/entries" }

func (p place) recoveries() string { return string(p) + "/recoveries" }

func (p place) entry(ordinal int) string { return p.entries() + "/" + numbered(ordinal) }

func (p place) recovery(attempt int) string { return p.recoveries() + "/" + numbered(attempt) }

// directories returns the directories of a journal from the root down.
func (p place) directories(process string) []string {
	return []string{
		".", processesDir, processesDir + "/" + process, journalsOf(process), string(p), valuesDir, p.entries(), p.recoveries(),
	}
}

// recordName names the document of an effect record.
func recordName(d algal.Digest) string { return valuesDir + "/" + d.Hex() + suffix }

const numberDigits = 6

// numbered is the file name of an ordinal or an attempt.
func numbered(n int) string { return fmt.Sprintf("%0*d%s", numberDigits, n, suffix) }

// isNumbered reports whether name has the form of [numbered].
func isNumbered(name string) bool {
	if len(name) != numberDigits+len(suffix) || name[numberDigits:] != suffix {
		return false
	}
	for i := range numberDigits {
		if name[i] < '0' || name[i] > '9' {
			return false
		}
	}
	return true
}
