package process

import (
	"errors"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/journal"
)

// Value returns the story as a JSON object. What does not apply is left out.
func (s *Story) Value() canon.Value {
	generations := make([]canon.Value, len(s.Generations))
	for i := range s.Generations {
		generations[i] = s.Generations[i].value()
	}
	return canon.Object(
		canon.M("digest", digestValue(s.Digest)),
		canon.M("generations", canon.Array(generations...)),
		canon.M("manifestDigest", digestValue(s.Record.ManifestDigest)),
		canon.M("maxGenerations", canon.Int(s.Record.MaxGenerations)),
		canon.M("name", canon.String(s.Record.Name)),
		canon.M("status", canon.String(string(s.Record.Status))),
	)
}

func (g *Generation) value() canon.Value {
	effects := make([]canon.Value, len(g.Effects))
	for i := range g.Effects {
		effects[i] = g.Effects[i].value()
	}
	return canon.Object(
		canon.M("cause", canon.String(g.Cause)),
		canon.M("effects", canon.Array(effects...)),
		canon.M("failure", g.Failure),
		canon.M("generation", canon.Int(g.Number)),
		canon.M("intent", digestValue(g.Intent)),
		canon.M("journal", g.Journal.value()),
		canon.M("outcome", digestValue(g.Outcome)),
		canon.M("receipt", digestValue(g.Receipt)),
		canon.M("recover", g.Recover.value()),
		canon.M("status", canon.String(string(g.Status))),
		canon.M("wake", stringsValue(g.Wake)),
	)
}

func (e *Effect) value() canon.Value {
	cell, cached, attempt := canon.Value{}, canon.Value{}, canon.Value{}
	if e.Cell != "" {
		cell = canon.String(e.Cell)
	}
	if e.Cached {
		cached = canon.Bool(true)
	}
	if e.Attempt > 0 {
		attempt = canon.Int(e.Attempt)
	}
	return canon.Object(
		canon.M("attempt", attempt),
		canon.M("cached", cached),
		canon.M("cell", cell),
		canon.M("error", errorValue(e.Error)),
		canon.M("executor", canon.String(e.Executor)),
		canon.M("outcome", canon.String(string(e.Outcome))),
		canon.M("requestDigest", digestValue(e.Request)),
	)
}

func (j *Journaled) value() canon.Value {
	switch {
	case j == nil:
		return canon.Value{}
	case j.Fault != nil:
		return canon.Object(canon.M("fault", faultValue(j.Fault)))
	}
	return canon.Object(
		canon.M("attempts", canon.Int(j.Attempts)),
		canon.M("maxRecoveries", canon.Int(j.MaxRecoveries)),
		canon.M("settled", canon.Int(j.Settled)),
		canon.M("unsettled", canon.Int(j.Unsettled)),
	)
}

func (r *Recovery) value() canon.Value {
	if r == nil {
		return canon.Value{}
	}
	var repeats canon.Value
	if r.Repeats >= 0 {
		repeats = canon.Int(r.Repeats)
	}
	return canon.Object(
		canon.M("admitted", canon.Bool(r.Refused == nil)),
		canon.M("refused", faultValue(r.Refused)),
		canon.M("repeats", repeats),
	)
}

// faultValue is an error with the file that it is about, absent for none.
func faultValue(err error) canon.Value {
	if err == nil {
		return canon.Value{}
	}
	v := errorValue(algal.AsError(err))
	var f *journal.Fault
	if errors.As(err, &f) {
		v = v.With(canon.M("file", canon.String(f.Name)))
	}
	return v
}

func errorValue(e *algal.Error) canon.Value {
	if e == nil {
		return canon.Value{}
	}
	return canon.Object(canon.M("code", canon.String(string(e.Code))), canon.M("message", canon.String(e.Message)))
}

func digestValue(d algal.Digest) canon.Value {
	if d == "" {
		return canon.Value{}
	}
	return canon.String(string(d))
}

func stringsValue(list []string) canon.Value {
	values := make([]canon.Value, len(list))
	for i, s := range list {
		values[i] = canon.String(s)
	}
	return canon.Array(values...)
}
