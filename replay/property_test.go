package replay_test

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// drawn is a drawn program with its arguments and what answers it.
type drawn struct {
	manifest *organism.Manifest
	args     canon.Value
	oracle   *oracle
}

func draw(t *rapid.T) drawn {
	parse := func(text string) canon.Value {
		v, err := canon.Parse(text, canon.Limits{})
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return v
	}
	child, err := organism.ParseManifest(parse(childText))
	if err != nil {
		t.Fatal(err)
	}
	m, err := organism.ParseManifest(parse(drawProgram(t, child.Digest())))
	if err != nil {
		t.Fatal(err)
	}
	given := parse(rapid.SampledFrom([]string{`{"v":1,"t":"no"}`, `{"v":"yes"}`, `{"t":7}`}).Draw(t, "given"))
	var args []canon.Member // for every cell: those that take none ignore them
	for _, cell := range m.Cells {
		args = append(args, canon.M(cell.ID, given))
	}
	return drawn{m, canon.Object(args...), drawOracle(t)}
}

func (d *drawn) run(t *rapid.T, replay *runtime.Replay) canon.Value {
	result, err := runtime.Run(t.Context(), d.manifest, d.args, d.oracle.host(t), replay)
	if err != nil {
		t.Fatalf("%v in %s", err, d.manifest.Normal())
	}
	return result.Receipt()
}

// TestLiveRunVerifies: whatever a program does and whatever it is answered, its
// receipt is admitted, is read back as it was written, and verifies.
func TestLiveRunVerifies(t *testing.T) {
	outcomes, effects := map[string]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		receipt := d.run(t, nil)
		outcomes[receipt.Get("outcome").Text()]++
		effects += receipt.Get("effects").Len()
		if err := runtime.ParseReceipt(receipt); err != nil {
			t.Fatalf("%v: %s", err, receipt)
		}
		if !runtime.CheckDigest(receipt) {
			t.Fatalf("digest of %s", receipt)
		}
		read, err := canon.Parse(receipt.String(), canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []canon.Value{receipt, read} {
			report, err := replay.Verify(t.Context(), r, d.manifest, d.oracle.host(t))
			if err != nil || !report.OK || string(report.Digest) != receipt.Get("digest").Text() {
				t.Fatalf("%s, %v: %s", report.Value(), err, receipt)
			}
		}
		checkLedger(t, receipt)
	})
	t.Logf("outcomes %v, %d effects", outcomes, effects)
	if len(outcomes) < 2 || effects == 0 {
		t.Error("the drawn programs do not go every way")
	}
}

// checkLedger holds the counters of a receipt to its records.
func checkLedger(t *rapid.T, receipt canon.Value) {
	steps, asked, ended := 0, 0, map[string]int{}
	for path, cell := range receipt.Get("cells").Members() {
		if !cell.Get("status").IsText("skipped") {
			steps++
		}
		ended[path] = 0
	}
	for _, e := range receipt.Get("effects").Elements() {
		if !runtime.IsToolEffect(e) {
			asked++
		}
	}
	for i, e := range receipt.Get("events").Elements() {
		if int(e.Get("seq").Float()) != i {
			t.Fatalf("event %d has seq %s", i, e.Get("seq"))
		}
		if strings.HasPrefix(e.Get("kind").Text(), "cell.") {
			ended[e.Get("path").Text()]++
		}
	}
	for path, n := range ended {
		if n != 1 {
			t.Fatalf("cell %s ended %d times: %s", path, n, receipt)
		}
	}
	work := receipt.Get("work")
	if work.Get("steps").Float() != float64(steps) || work.Get("agentCalls").Float() != float64(asked) {
		t.Fatalf("work %s, but %d activations and %d attempts", work, steps, asked)
	}
	if failed := receipt.Get("outcome").IsText(runtime.Failed); failed != receipt.Get("failure").Exists() {
		t.Fatalf("failure of %s", receipt)
	}
}

// TestRunIsDeterministic: equal worlds give equal receipts.
func TestRunIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		first := d.run(t, nil)
		d.oracle.at = 0
		if second := d.run(t, nil); !canon.Equal(first, second) {
			t.Fatalf("\n%s\n%s", first, second)
		}
	})
}

// TestResumeProperties: a settled run resumes to its own receipt without a live
// effect, and a suspended one keeps everything that was settled.
func TestResumeProperties(t *testing.T) {
	settled, suspended := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		d.oracle.suspendAt(rapid.IntRange(0, 4).Draw(t, "suspended"))
		receipt := d.run(t, nil)
		before := d.oracle.at
		result, err := replay.Resume(t.Context(), receipt, d.manifest, d.oracle.host(t))
		if err != nil {
			t.Fatalf("%v: %s", err, receipt)
		}
		resumed := result.Receipt()
		if !receipt.Get("outcome").IsText(runtime.Suspended) {
			settled++
			if !canon.Equal(receipt, resumed) || d.oracle.at != before {
				t.Fatalf("%d live effects\n%s\n%s", d.oracle.at-before, receipt, resumed)
			}
			return
		}
		suspended++
		checkPrefix(t, receipt, resumed)
		if report, err := replay.Verify(t.Context(), resumed, d.manifest, d.oracle.host(t)); err != nil || !report.OK {
			t.Fatalf("%s, %v: %s", report.Value(), err, resumed)
		}
	})
	t.Logf("%d settled, %d suspended", settled, suspended)
	if settled == 0 || suspended == 0 {
		t.Error("the drawn programs do not go both ways")
	}
}

// checkPrefix demands what a process demands of a continuation (process.md §5.2).
func checkPrefix(t *rapid.T, before, after canon.Value) {
	at := 0
	for _, e := range before.Get("effects").Elements() {
		if runtime.IsSuspended(e) {
			continue
		}
		if !canon.Equal(e, after.Get("effects").At(at)) {
			t.Fatalf("effect %d changed\n%s\n%s", at, before, after)
		}
		at++
	}
	for path, cell := range before.Get("cells").Members() {
		if status := cell.Get("status").Text(); (status == "committed" || status == "skipped") && !canon.Equal(cell, after.Get("cells").Get(path)) {
			t.Fatalf("cell %s changed\n%s\n%s", path, before, after)
		}
	}
}

// TestForgeryIsNoticed: changing one leaf of a receipt, and its digest with it, is
// noticed, unless the leaf is one that a replay takes from the record (run.md
// §13.3).
func TestForgeryIsNoticed(t *testing.T) {
	noticed := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		receipt := d.run(t, nil)
		key := rapid.SampledFrom([]string{"cells", "cells", "events", "work", "failure", "outcome", "manifestKey", "effects"}).Draw(t, "part")
		if !receipt.Get(key).Exists() || receipt.Get(key).Len() == 0 && key == "effects" {
			return
		}
		forged, path := forge(t, receipt.Get(key))
		if takenFromRecord(receipt, key, path) {
			return
		}
		noticed[key]++
		forged = redigest(receipt.With(canon.M(key, forged)))
		report, err := replay.Verify(t.Context(), forged, d.manifest, d.oracle.host(t))
		if err == nil && report.OK || algal.CodeOf(err) == algal.Internal {
			t.Fatalf("%s %v was changed: %s, %v\n%s\n%s", key, path, report.Value(), err, receipt, forged)
		}
	})
	t.Logf("noticed %v", noticed)
	if len(noticed) < 3 {
		t.Error("hardly any part was changed")
	}
}

// takenFromRecord reports whether a replay takes a leaf as it stands: of an effect
// all but what it answers, and the value that a slot gave.
func takenFromRecord(receipt canon.Value, key string, path []string) bool {
	switch key {
	case "effects":
		return path[1] != "requestDigest"
	case "cells":
		return receipt.Get(key).Get(path[0]).Get("slot").Get("mode").IsText("read") && len(path) > 1 && path[1] == "outputs"
	}
	return false
}

// forge changes one drawn leaf of v, in kind and shape as it was, and tells which.
func forge(t *rapid.T, v canon.Value) (forged canon.Value, path []string) {
	switch {
	case v.Is(canon.KindObject) && v.Len() > 0:
		i := rapid.IntRange(0, v.Len()-1).Draw(t, "member")
		m, rest := forge(t, v.At(i))
		return v.With(canon.M(v.Key(i), m)), append([]string{v.Key(i)}, rest...)
	case v.Is(canon.KindArray) && v.Len() > 0:
		i := rapid.IntRange(0, v.Len()-1).Draw(t, "element")
		var elements []canon.Value
		for j, e := range v.Elements() {
			if j == i {
				e, path = forge(t, e)
			}
			elements = append(elements, e)
		}
		return canon.Array(elements...), append([]string{strconv.Itoa(i)}, path...)
	case v.Is(canon.KindString):
		text, last := v.Text(), "0"
		if strings.HasSuffix(text, last) {
			last = "1"
		}
		return canon.String(text[:max(len(text)-1, 0)] + last), nil
	case v.Is(canon.KindNumber):
		return canon.Int(int(v.Float()) + 1), nil
	}
	return canon.String("forged"), nil
}
