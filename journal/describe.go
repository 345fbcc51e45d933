package journal

import (
	"slices"

	"github.com/algal-vm/algal/canon"
)

// Header returns the header.
func (j *Journal) Header() Header { return j.header }

// Effects returns the entries in order. What their records hold is shared.
func (j *Journal) Effects() []Effect { return slices.Clone(j.entries) }

// Attempts returns the number of recovery attempts that were spent.
func (j *Journal) Attempts() int { return j.attempts }

// Value returns the journal as commands print it (journal.md §8): the header, the
// current record of every effect, and the bytes of all records, superseded ones
// included.
func (j *Journal) Value() canon.Value {
	effects := make([]canon.Value, len(j.entries))
	for i, e := range j.entries {
		effects[i] = canon.Object(canon.M("digest", canon.String(string(e.Digest))), canon.M("record", e.Record.Value()))
	}
	return canon.Object(
		canon.M("bytes", canon.Int(j.bytes)),
		canon.M("effects", canon.Array(effects...)),
		canon.M("header", j.header.Value()),
	)
}
