package verify_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/verify"
)

// check verifies a document and returns its report record.
func check(text string) (canon.Value, error) {
	e, err := verify.Parse(text)
	if err != nil {
		return canon.Value{}, err
	}
	report, err := e.Verify(context.Background())
	if err != nil {
		return canon.Value{}, err
	}
	return report.Value(), nil
}

func TestGoldenEvidence(t *testing.T) {
	names := golden.Glob(t, "evidence/*.evidence.json")
	names = append(names, golden.Glob(t, "processes/*/*.evidence.json")...)
	for _, name := range names {
		got, err := check(string(golden.Read(t, name)))
		want := string(golden.Read(t, strings.TrimSuffix(name, ".evidence.json")+".evidence-report.json"))
		if err != nil || got.String()+"\n" != want {
			t.Errorf("%s:\n got %s, %v\nwant %s", name, got, err, want)
		}
	}
	t.Logf("%d documents give the recorded report byte for byte", len(names))
	leftOut(t)
}

// leftOut says what a clone without the shared folder cannot prove.
func leftOut(t *testing.T) {
	if !golden.HasShared(t) {
		t.Log("without the shared folder: third-party documents were left out")
	}
}

func TestEvidenceCases(t *testing.T) {
	cases := goldenrun.Parse(t, "processes/evidence-cases/cases.json")
	if cases.Is(canon.KindObject) {
		cases = cases.Get("cases")
	}
	n, left := 0, 0
	for _, c := range cases.Elements() {
		name := "processes/evidence-cases/" + c.Get("file").Text()
		if golden.ThirdParty(t, name) && !golden.HasShared(t) {
			left++
			continue
		}
		got, err := check(string(golden.Read(t, name)))
		if want := c.Get("report"); want.Exists() {
			if err != nil || !canon.Equal(got, want) {
				t.Errorf("%s: %s, %v; want %s", name, got, err, want)
			}
		} else if want := c.Get("error"); string(algal.CodeOf(err)) != codeIn(want) {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
		n++
	}
	if n == 0 {
		t.Fatal("no evidence cases")
	}
	t.Logf("%d evidence cases, %d left out as third-party data", n, left)
}

func codeIn(v canon.Value) string {
	if v.Is(canon.KindString) {
		return v.Text()
	}
	return v.Get("code").Text()
}

func TestMutants(t *testing.T) {
	stages := map[string]int{}
	for _, line := range golden.Lines(t, "evidence/mutants.jsonl") {
		m := goldenrun.ParseText(t, "mutants.jsonl", line)
		id, expect := m.Get("id").Text(), m.Get("expect")
		stage := expect.Get("stage").Text()
		stages[stage]++
		got, err := check(m.Get("document").String())
		if stage == "survivor" {
			if err != nil || !got.Get("ok").Bool() {
				t.Errorf("%s: %v, want it verified", id, err)
			}
			continue
		}
		var refusal *verify.Refusal
		if !errors.As(err, &refusal) || string(refusal.Err.Code) != expect.Get("code").Text() {
			t.Errorf("%s (%s): %v, want %s", id, m.Get("title"), err, expect)
			continue
		}
		if !strings.Contains(err.Error(), expect.Get("messagePart").Text()) {
			t.Errorf("%s (%s): %v, want %s", id, m.Get("title"), err, expect)
		}
		if isAdmission := refusal.Stage.Admission(); isAdmission != (stage == "admission") {
			t.Errorf("%s: refused at stage %s, want %s", id, refusal.Stage, stage)
		}
	}
	if stages["survivor"] != 26 || stages["admission"]+stages["semantic"] != 198 {
		t.Fatalf("%v: the file has 26 survivors and 198 refusals", stages)
	}
	t.Logf("224 probes: %v", stages)
}

func TestRandomEvidence(t *testing.T) {
	lines := golden.Lines(t, "random/evidence.jsonl")
	for _, line := range lines {
		c := goldenrun.ParseText(t, "random/evidence.jsonl", line)
		got, err := check(c.Get("document").String())
		if err != nil || !canon.Equal(got, c.Get("report")) {
			t.Errorf("%s:\n got %s, %v\nwant %s", c.Get("id"), got, err, c.Get("report"))
		}
	}
	t.Logf("%d random documents", len(lines))
}

func TestRandomMutants(t *testing.T) {
	var accepted, refused, ruled int
	for _, line := range golden.Lines(t, "random/mutants.jsonl") {
		m := goldenrun.ParseText(t, "random/mutants.jsonl", line)
		id := m.Get("id").Text()
		got, err := check(mutantText(t, m))
		if rule := m.Get("rule"); rule.Exists() {
			t.Logf("%s is decided by the rule: %s", id, rule)
			if string(algal.CodeOf(err)) != codeIn(rule) {
				t.Errorf("%s: %v, want %s", id, err, rule)
			}
			ruled++
			continue
		}
		if m.Get("accepted").Bool() {
			if err != nil || !canon.Equal(got, m.Get("report")) {
				t.Errorf("%s (%s): %s, %v; want it accepted", id, m.Get("mutation"), got, err)
			}
			accepted++
			continue
		}
		want := m.Get("error")
		if string(algal.CodeOf(err)) != codeIn(want) {
			t.Errorf("%s (%s): %v, want %s", id, m.Get("mutation"), err, want)
		} else if text := want.Get("message").Text(); strings.Contains(text, "does not replay: ") && err.Error() != text {
			t.Errorf("%s (%s):\n got %v\nwant %s", id, m.Get("mutation"), err, text)
		}
		refused++
	}
	if accepted == 0 || refused == 0 || ruled == 0 {
		t.Fatal("no mutants")
	}
	t.Logf("%d accepted, %d refused with the recorded code, %d decided by a rule", accepted, refused, ruled)
}

func mutantText(t *testing.T, m canon.Value) string {
	t.Helper()
	switch {
	case m.Get("text").Exists():
		return m.Get("text").Text()
	case m.Get("base64").Exists():
		b, err := base64.StdEncoding.DecodeString(m.Get("base64").Text())
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	case m.Get("template").Exists():
		text := goldenrun.Expand(m.Get("template")).String()
		if pad := int(m.Get("padToBytes").Float()) - len(text); pad > 0 {
			text += strings.Repeat(" ", pad)
		}
		return text
	}
	return m.Get("document").String()
}
