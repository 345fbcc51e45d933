package adapter

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// Call is a call that an adapter has recorded.
type Call struct {
	Stage          Stage
	RequestDigest  algal.Digest
	IdempotencyKey algal.Digest
}

func (c *Call) value() canon.Value {
	return canon.Object(
		canon.M("stage", canon.String(string(c.Stage))),
		canon.M("requestDigest", canon.String(string(c.RequestDigest))),
		canon.M("idempotencyKey", canon.String(string(c.IdempotencyKey))),
	)
}

// maxCalls bounds the record of calls, in bytes: some four thousand of them.
const maxCalls = 1_048_576

// Calls returns the recorded calls in their order, none where there is no record. A
// record that is not what an adapter writes is PARSE_FAILED.
func (p Place) Calls() ([]Call, error) {
	text, err := durable.Read(p.file(callsFile), maxCalls, durable.NoFollow)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var calls []Call
	for line := range strings.Lines(text) {
		call, err := parseCall(line)
		if err != nil {
			return nil, err
		}
		calls = append(calls, call)
	}
	return calls, nil
}

func parseCall(line string) (c Call, err error) {
	v, err := canon.Parse(line, canon.Limits{})
	if err == nil {
		err = canon.AsObject(v, "call")
	}
	if err == nil {
		err = canon.NoUnknownKeys(v, "call", "stage", "requestDigest", "idempotencyKey")
	}
	if err == nil {
		c.Stage, err = ParseStage(v.Get("stage").Text())
	}
	if err == nil {
		c.RequestDigest, err = canon.AsDigest(v.Get("requestDigest"), "call requestDigest")
	}
	if err == nil {
		c.IdempotencyKey, err = canon.AsDigest(v.Get("idempotencyKey"), "call idempotencyKey")
	}
	if err != nil {
		return Call{}, err
	}
	return c, nil
}
