package journal

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/runtime"
)

// The contracts of an entry and of the records behind it.
const (
	HeadContract   = "algal.process-effect-head.v1"
	RecordContract = "algal.process-effect-record.v1"
)

// headValue is the entry that names a record (journal.md §2.2).
func headValue(record algal.Digest) canon.Value {
	return canon.Object(canon.M("contract", canon.String(HeadContract)), canon.M("record", canon.String(string(record))))
}

// ParseHead admits an entry and returns the digest of its current record. Another
// contract is RECEIPT_MISMATCH, any other fault PARSE_FAILED.
func ParseHead(v canon.Value) (algal.Digest, error) {
	const what = "effect head"
	if err := canon.AsObject(v, what); err != nil {
		return "", err
	}
	if err := canon.NoUnknownKeys(v, what, "contract", "record"); err != nil {
		return "", err
	}
	if !v.Get("contract").IsText(HeadContract) {
		return "", mismatch("invalid effect head")
	}
	return canon.AsDigest(v.Get("record"), what+".record")
}

// Record is one state of one effect (§2.3).
type Record struct {
	Intent  algal.Digest
	Ordinal int
	runtime.Binding
	Attempt  int
	Previous algal.Digest // the state before, "" for the first
	Receipt  canon.Value  // of a completed effect, absent while it is only started
}

// Completed reports whether the effect has settled.
func (r *Record) Completed() bool { return r.Receipt.Exists() }

// The states and policies as records write them.
const (
	started   = "started"
	completed = "completed"

	recoverRead  = "read"
	recoverNever = "never"
)

// Value returns the record as it is stored.
func (r *Record) Value() canon.Value {
	state, recovery := started, recoverNever
	if r.Completed() {
		state = completed
	}
	if r.Read {
		recovery = recoverRead
	}
	var previous canon.Value
	if r.Previous != "" {
		previous = canon.String(string(r.Previous))
	}
	return canon.Object(
		canon.M("attempt", canon.Int(r.Attempt)),
		canon.M("configurationDigest", canon.String(string(r.ConfigurationDigest))),
		canon.M("contract", canon.String(RecordContract)),
		canon.M("executor", canon.String(r.Executor)),
		canon.M("idempotencyKey", canon.String(string(r.IdempotencyKey))),
		canon.M("intent", canon.String(string(r.Intent))),
		canon.M("ordinal", canon.Int(r.Ordinal)),
		canon.M("previous", previous),
		canon.M("receipt", r.Receipt),
		canon.M("recovery", canon.String(recovery)),
		canon.M("requestDigest", canon.String(string(r.RequestDigest))),
		canon.M("state", canon.String(state)),
	)
}

// ParseRecord admits an effect record. The checks stand in the order of §2.3; the
// first that fails decides.
func ParseRecord(v canon.Value) (*Record, error) {
	const what = "effect record"
	if err := canon.AsObject(v, what); err != nil {
		return nil, err
	}
	if err := canon.NoUnknownKeys(v, what, "contract", "intent", "ordinal", "requestDigest", "executor", "configurationDigest",
		"idempotencyKey", "recovery", "state", "attempt", "previous", "receipt"); err != nil {
		return nil, err
	}
	state := v.Get("state")
	if !v.Get("contract").IsText(RecordContract) || !state.IsText(started) && !state.IsText(completed) {
		return nil, mismatch("invalid effect record")
	}
	r := &Record{Receipt: v.Get("receipt")}
	switch v.Get("recovery").Text() {
	case recoverRead:
		r.Read = true
	case recoverNever:
	default:
		return nil, mismatch("invalid recovery policy")
	}
	if err := r.parseMembers(v, what); err != nil {
		return nil, err
	}
	if err := r.checkReceipt(state.IsText(completed)); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Record) parseMembers(v canon.Value, what string) (err error) {
	digest := func(to *algal.Digest, key string) {
		if err == nil {
			*to, err = canon.AsDigest(v.Get(key), what+"."+key)
		}
	}
	digest(&r.RequestDigest, "requestDigest")
	digest(&r.ConfigurationDigest, "configurationDigest")
	digest(&r.IdempotencyKey, "idempotencyKey")
	if err == nil {
		r.Executor, err = canon.AsString(v.Get("executor"), what+".executor", maxExecutor)
	}
	digest(&r.Intent, "intent")
	if err == nil {
		r.Ordinal, err = canon.AsInt(v.Get("ordinal"), what+".ordinal", 0, MaxEntries-1)
	}
	if err == nil {
		r.Attempt, err = canon.AsInt(v.Get("attempt"), what+".attempt", 0, MaxRecoveries)
	}
	if v.Get("previous").Exists() {
		digest(&r.Previous, "previous")
	}
	return err
}

// checkReceipt admits the receipt and holds it to the rest of the record.
func (r *Record) checkReceipt(isCompleted bool) error {
	if r.Receipt.Exists() {
		if err := runtime.ParseEffect(r.Receipt); err != nil {
			return err
		}
	}
	configuration := r.Receipt.Get("configurationDigest")
	switch {
	case isCompleted != r.Completed():
		return mismatch("journal result/state mismatch")
	case !r.Completed():
		return nil
	case !r.Receipt.Get("requestDigest").IsText(string(r.RequestDigest)):
		return mismatch("journal receipt request mismatch")
	case configuration.Exists() && !configuration.IsText(string(r.ConfigurationDigest)):
		return mismatch("journal receipt configuration mismatch")
	}
	return nil
}
