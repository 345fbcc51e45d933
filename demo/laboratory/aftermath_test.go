package laboratory

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/stage"
	"github.com/algal-vm/algal/durable"
)

// standing returns a case whose child stood at its barrier and was stopped there.
func standing(t *testing.T, mode Mode) *crashCase {
	t.Helper()
	dir, _ := stand(t, mode)
	l := &laboratory{files: durable.NewPublisher(durable.Options{}), facts: &stage.Facts{}}
	c := &crashCase{laboratory: l, mode: mode, dir: dir, token: token, barrier: read(t, dir+"/"+barrierFile)}
	must(t, c.atBarrier())
	return c
}

// TestAtBarrier sees that a barrier of somebody else and a dispatch that is not under
// way are told from the child's.
func TestAtBarrier(t *testing.T) {
	const ours, begun = "the barrier names the token, mode and definition of the child inside the read", "the journal inside the read: prefix completed, barrier started"
	another := canon.String(string(canon.DigestText("another")))
	for name, c := range map[string]struct {
		alter func(c *crashCase)
		line  string
	}{
		"another token":      {member("token", canon.String("another")), ours},
		"another mode":       {member("mode", canon.String("write")), ours},
		"another definition": {member("definitionDigest", another), ours},
		"another contract":   {member("contract", canon.String("algal.demo-crash.v1")), ours},
		"one member more":    {member("more", canon.Null()), ours},
		"another key":        {member("idempotencyKey", another), begun},
		"another child":      {func(c *crashCase) { c.token = "another" }, ours},
		"a process that went on": {func(c *crashCase) {
			_, err := RecoverFixture(t.Context(), c.dir, c.token, c.intent.Digest)
			must(t, err)
		}, "the process inside the read is uncertain"},
	} {
		t.Run(name, func(t *testing.T) {
			c1 := standing(t, Read)
			c.alter(c1)
			falsified(t, c1.atBarrier(), c.line)
		})
	}
}

// TestBegun sees that no other journal passes for that of a dispatch which stands at
// its barrier.
func TestBegun(t *testing.T) {
	c := standing(t, Write)
	effects := c.journal.Get("effects")
	first, second := effects.At(0), effects.At(1)
	key := algal.Digest(second.Get("record").Get("idempotencyKey").Text())
	if !begun(effects, key) {
		t.Errorf("%v", effects)
	}
	for name, v := range map[string]canon.Value{
		"nothing":        {},
		"no effect":      canon.Array(),
		"one effect":     canon.Array(first),
		"three effects":  canon.Array(first, second, second),
		"both completed": canon.Array(first, first),
		"both started":   canon.Array(second, second),
	} {
		if begun(v, key) {
			t.Errorf("%s: %v", name, v)
		}
	}
}

func member(name string, v canon.Value) func(c *crashCase) {
	return func(c *crashCase) { c.barrier = c.barrier.With(canon.M(name, v)) }
}

func falsified(t *testing.T, err error, line string) {
	t.Helper()
	if algal.CodeOf(err) != algal.ReceiptMismatch || len(err.Error()) < len(line) || err.Error()[:len(line)] != line {
		t.Errorf("%v\nwanted %s", err, line)
	}
}

// recoveredCase returns a case after its recovery, with what that left.
func recoveredCase(t *testing.T, mode Mode) (*crashCase, *aftermath) {
	t.Helper()
	c := standing(t, mode)
	a := &aftermath{}
	var err error
	a.report, err = RecoverFixture(t.Context(), c.dir, c.token, c.intent.Digest)
	must(t, err)
	a.head, a.journal, err = c.state()
	must(t, err)
	a.prefixes, a.publications, err = c.fixture.delivered()
	must(t, err)
	return c, a
}

// TestReadRecovered falsifies, one by one, what must be the case after a recovered
// read.
func TestReadRecovered(t *testing.T) {
	c, sound := recoveredCase(t, Read)
	must(t, c.readRecovered(sound))
	const complete, once = "the recovered process is complete", "the read is repeated once under the same key"
	const published = "the receipt is on disk before the head names it"
	another := canon.String(string(canon.DigestText("another")))
	for name, falsify := range map[string]struct {
		alter func(a *aftermath)
		line  string
	}{
		"the head of the kill":    {func(a *aftermath) { a.head = c.intent }, complete},
		"a refusal":               {reported("refusal", canon.Object()), complete},
		"the journal of the kill": {func(a *aftermath) { a.journal = c.journal }, once},
		"a second repetition":     {settled("attempt", canon.Int(2)), once},
		"another key":             {settled("idempotencyKey", another), once},
		"not settled":             {settled("state", canon.String("started")), once},
		"a prefix that changed": {func(a *aftermath) {
			effects := a.journal.Get("effects")
			a.journal = a.journal.With(canon.M("effects", canon.Array(effects.At(1), effects.At(1))))
		}, once},
		"a third effect": {func(a *aftermath) {
			effects := a.journal.Get("effects")
			a.journal = a.journal.With(canon.M("effects", canon.Array(effects.At(0), effects.At(1), effects.At(1))))
		}, once},
		"no prefix":         {func(a *aftermath) { a.prefixes = 0 }, "one prefix and no publication after the recovery"},
		"a publication":     {func(a *aftermath) { a.publications = 1 }, "one prefix and no publication after the recovery"},
		"no move":           {reported("headMoves", canon.Array()), published},
		"a move too much":   {reported("headMoves", canon.Array(move(sound, true, true), move(sound, true, true))), published},
		"no record before":  {reported("headMoves", canon.Array(move(sound, false, true))), published},
		"no receipt before": {reported("headMoves", canon.Array(move(sound, true, false))), published},
		"another head":      {reported("headMoves", canon.Array(move(sound, true, true).With(canon.M("head", another)))), published},
	} {
		t.Run(name, func(t *testing.T) {
			a := *sound
			falsify.alter(&a)
			falsified(t, c.readRecovered(&a), falsify.line)
		})
	}
}

func reported(name string, v canon.Value) func(a *aftermath) {
	return func(a *aftermath) { a.report = a.report.With(canon.M(name, v)) }
}

// settled changes a member of the second effect.
func settled(name string, v canon.Value) func(a *aftermath) {
	return func(a *aftermath) {
		effects := a.journal.Get("effects")
		second := effects.At(1)
		second = second.With(canon.M("record", second.Get("record").With(canon.M(name, v))))
		a.journal = a.journal.With(canon.M("effects", canon.Array(effects.At(0), second)))
	}
}

func move(a *aftermath, record, receipt bool) canon.Value {
	return canon.Object(canon.M("head", canon.String(string(a.head.Digest))), canon.M("record", canon.Bool(record)), canon.M("receipt", canon.Bool(receipt)))
}

// TestWriteRefused does the same after a write that was left alone.
func TestWriteRefused(t *testing.T) {
	c, sound := recoveredCase(t, Write)
	must(t, c.writeRefused(sound))
	_, other := recoveredCase(t, Write)
	const refused, before, one = "the unknown write is refused", "head and journal as before", "exactly one publication after the kill"
	for name, falsify := range map[string]struct {
		alter func(a *aftermath)
		line  string
	}{
		"no refusal":        {reported("refusal", canon.Null()), refused},
		"another refusal":   {reported("refusal", canon.Object(canon.M("code", canon.String("BUDGET_EXHAUSTED")))), refused},
		"another head":      {func(a *aftermath) { a.head = other.head }, before},
		"another journal":   {func(a *aftermath) { a.journal = other.journal }, before},
		"a head that moved": {reported("headMoves", canon.Array(move(sound, true, true))), before},
		"two publications":  {func(a *aftermath) { a.publications = 2 }, one},
		"no publication":    {func(a *aftermath) { a.publications = 0 }, one},
		"two prefixes":      {func(a *aftermath) { a.prefixes = 2 }, one},
	} {
		t.Run(name, func(t *testing.T) {
			a := *sound
			falsify.alter(&a)
			falsified(t, c.writeRefused(&a), falsify.line)
		})
	}
}
