package journal

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// HeaderContract names the header of a journal.
const HeaderContract = "algal.process-journal.v1"

// Bounds of a journal (journal.md §9), inclusive.
const (
	MaxEntries        = 4096
	MaxRecoveries     = 8
	DefaultRecoveries = 2

	MaxRecordBytes = 1_048_576  // canonical bytes of an effect record
	MaxBytes       = 16_777_216 // of all records of a journal, each once

	maxSmallBytes = 4096 // of headers, heads and recovery attempts
	maxExecutor   = 256  // UTF-16 units
)

// Dispatch says which dispatch a journal belongs to.
type Dispatch struct {
	Process  string       // a safe id
	Intent   algal.Digest // of the intent record
	Manifest algal.Digest // of the program
}

// Header is the header of a journal (§2.1). It never changes.
type Header struct {
	Dispatch
	MaxEntries    int // 1 to [MaxEntries]
	MaxRecoveries int // 1 to [MaxRecoveries]
}

// Value returns the header as a record.
func (h *Header) Value() canon.Value {
	return canon.Object(
		canon.M("contract", canon.String(HeaderContract)),
		canon.M("intent", canon.String(string(h.Intent))),
		canon.M("manifestDigest", canon.String(string(h.Manifest))),
		canon.M("maxEntries", canon.Int(h.MaxEntries)),
		canon.M("maxRecoveries", canon.Int(h.MaxRecoveries)),
		canon.M("process", canon.String(h.Process)),
	)
}

// ParseHeader admits a header. Another contract is RECEIPT_MISMATCH, any other
// fault PARSE_FAILED.
func ParseHeader(v canon.Value) (Header, error) {
	const what = "journal header"
	if err := canon.AsObject(v, what); err != nil {
		return Header{}, err
	}
	if err := canon.NoUnknownKeys(v, what, "contract", "process", "intent", "manifestDigest", "maxEntries", "maxRecoveries"); err != nil {
		return Header{}, err
	}
	if !v.Get("contract").IsText(HeaderContract) {
		return Header{}, mismatch("invalid journal header")
	}
	var h Header
	var err error
	if h.Process, err = canon.AsSafeID(v.Get("process"), what+".process"); err != nil {
		return Header{}, err
	}
	if h.Intent, err = canon.AsDigest(v.Get("intent"), what+".intent"); err != nil {
		return Header{}, err
	}
	if h.Manifest, err = canon.AsDigest(v.Get("manifestDigest"), what+".manifestDigest"); err != nil {
		return Header{}, err
	}
	if h.MaxEntries, err = canon.AsInt(v.Get("maxEntries"), "maxEntries", 1, MaxEntries); err != nil {
		return Header{}, err
	}
	if h.MaxRecoveries, err = canon.AsInt(v.Get("maxRecoveries"), "maxRecoveries", 1, MaxRecoveries); err != nil {
		return Header{}, err
	}
	return h, nil
}

// CheckRecoveries admits a recovery budget.
func CheckRecoveries(n int) error {
	_, err := canon.AsInt(canon.Int(n), "maxRecoveries", 1, MaxRecoveries)
	return err
}

// AttemptContract names the record of a recovery attempt.
const AttemptContract = "algal.process-recovery-attempt.v1"

// attemptValue is the one document that says attempt n of a dispatch (§2.4).
func attemptValue(intent algal.Digest, n int) canon.Value {
	return canon.Object(
		canon.M("attempt", canon.Int(n)),
		canon.M("contract", canon.String(AttemptContract)),
		canon.M("intent", canon.String(string(intent))),
	)
}
