package lifecycle

import (
	"context"
	"time"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/qualification"
	"github.com/algal-vm/algal/demo/stage"
)

// Contract is the contract of the report.
const Contract = "algal.vm-demo.v1"

// Bounds of one process (demo.md, general rules).
const (
	maxOutput = 2_097_152 // bytes
	patience  = 30 * time.Second
)

// Demonstration returns the demonstration, to be held once.
func Demonstration() qualification.Demonstration {
	return qualification.Demonstration{
		Name: "vm", Contract: Contract, MaxOutput: maxOutput, Patience: patience,
		Show: func(ctx context.Context, s *qualification.Session) ([]canon.Member, error) {
			l := &lifecycle{Session: s}
			err := l.show(ctx)
			return l.report(), err
		},
	}
}

// lifecycle is the demonstration as it goes on.
type lifecycle struct {
	*qualification.Session
	measured

	fixture *fixture
	cast    []*actor
}

func (l *lifecycle) show(ctx context.Context) (err error) {
	if l.fixture, err = layFixture(l.Session); err != nil {
		return err
	}
	for _, scene := range []func(context.Context) error{l.actors, l.twins, l.baseline} {
		if err := scene(ctx); err != nil {
			return err
		}
	}
	if !l.Two() {
		return nil
	}
	return stage.Same(&l.Facts, "3 processes that waited were carried on by the other runtime", count(l.handoffs), 3)
}
