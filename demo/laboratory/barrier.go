package laboratory

import (
	"context"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/hostdoc"
	"github.com/algal-vm/algal/runtime"
)

const barrierContract = "algal.demo-crash-barrier.v1"

// standstill is how long the barrier waits for the kill.
const standstill = 15 * time.Second

// barrier is the tool in which a fixture is killed. In mode write it first does what
// a recovery must not do again.
type barrier struct {
	fixture    *fixture
	definition *definition
	stands     bool // until it is killed; otherwise it answers
}

func (b *barrier) call(ctx context.Context, call runtime.ToolCall) (canon.Value, error) {
	if b.definition.mode == Write {
		if _, err := b.fixture.mailboxes.Send(ctx, b.definition.publications.Send.String(), published(), call.IdempotencyKey); err != nil {
			return canon.Value{}, err
		}
	}
	if !b.stands {
		return canon.Object(canon.M("out", canon.Object(canon.M("passed", canon.Bool(true))))), nil
	}
	if err := hostdoc.Write(b.fixture.files, b.fixture.root.Join(barrierFile), b.record(call.IdempotencyKey), maxBarrier); err != nil {
		return canon.Value{}, err
	}
	wake := time.NewTimer(standstill)
	defer wake.Stop()
	select {
	case <-wake.C:
	case <-ctx.Done():
	}
	err := algal.Errorf(algal.EffectFailed, "the barrier woke up: it was not killed")
	err.Uncertain = true
	return canon.Value{}, err
}

// record says who stands at the barrier, and in which effect.
func (b *barrier) record(key algal.Digest) canon.Value {
	return canon.Object(
		canon.M("contract", canon.String(barrierContract)),
		canon.M("token", canon.String(b.definition.token)),
		canon.M("mode", canon.String(string(b.definition.mode))),
		canon.M("definitionDigest", canon.String(string(b.definition.value().Digest()))),
		canon.M("idempotencyKey", canon.String(string(key))),
	)
}
