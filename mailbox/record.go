package mailbox

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// reader reads the members of one closed record, in the order in which they are
// asked for (§3.5). The first fault stays and later members read as zero.
type reader struct {
	v    canon.Value
	what string
	err  error
}

// openRecord admits an object with no other members than contract and members.
func openRecord(v canon.Value, what, contract string, members ...string) *reader {
	r := &reader{v: v, what: what}
	if r.err = canon.AsObject(v, what); r.err != nil {
		return r
	}
	if r.err = canon.NoUnknownKeys(v, what, append(members, "contract")...); r.err != nil {
		return r
	}
	if !v.Get("contract").IsText(contract) {
		r.refuse("contract", "must be "+contract)
	}
	return r
}

func (r *reader) at(key string) string { return r.what + "." + key }

// refuse keeps a fault of a member unless there is one already.
func (r *reader) refuse(key, why string) {
	r.keep(algal.Errorf(algal.ParseFailed, "%s %s", r.at(key), why))
}

func (r *reader) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) member(key string) canon.Value {
	v, err := canon.Require(r.v, r.what, key)
	if err != nil {
		r.keep(err)
	}
	return v
}

// readAs reads a member with a reader of package canon.
func readAs[T any](r *reader, key string, as func(v canon.Value, what string) (T, error)) T {
	var none T
	v := r.member(key)
	if r.err != nil {
		return none
	}
	got, err := as(v, r.at(key))
	if err != nil {
		r.err = err
		return none
	}
	return got
}

func (r *reader) id(key string) string { return readAs(r, key, canon.AsSafeID) }

func (r *reader) text(key string, maxLen int) string {
	return readAs(r, key, func(v canon.Value, what string) (string, error) { return canon.AsString(v, what, maxLen) })
}

func (r *reader) integer(key string, lo, hi int) int {
	return readAs(r, key, func(v canon.Value, what string) (int, error) { return canon.AsInt(v, what, lo, hi) })
}

func (r *reader) handle(key, class string) organism.Handle {
	return readAs(r, key, func(v canon.Value, what string) (organism.Handle, error) {
		return organism.ParseHandle(v, class, what)
	})
}

func (r *reader) digest(key string) algal.Digest {
	text := r.text(key, algal.DigestLen)
	if !algal.IsDigest(text) {
		r.refuse(key, "must be a digest")
	}
	return algal.Digest(text)
}

func (r *reader) boolean(key string) bool {
	v := r.member(key)
	if !v.Is(canon.KindBool) {
		r.refuse(key, "must be a boolean")
	}
	return v.Bool()
}
