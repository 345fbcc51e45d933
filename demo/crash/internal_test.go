package crash

import (
	"regexp"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/adapter"
	"github.com/algal-vm/algal/demo/qualification"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/tool/hostfile"
)

// TestRefusals: which reasons count as which refusal (demo.md §3.2). The texts are
// those of the runtimes.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		text          string
		held, unknown bool
	}{
		{`{"error":"IO_FAILED","message":"host lease is held by another live operation"}`, true, false},
		{`{"error":{"code":"IO_FAILED","message":"process is Locked"},"ok":false}`, true, false},
		{`database is busy`, true, false},
		{`{"error":"IO_FAILED","message":"effect 1 has unknown completion; adapter reconciliation is required"}`, false, true},
		{`{"error":"RECOVERY_BLOCKED","message":"Unknown outcome of a write"}`, false, true},
		{`needs reconciliation`, false, true},
		{`{"error":"BUDGET_EXHAUSTED","message":"process recovery budget exhausted"}`, false, false},
		{`{"error":"RECEIPT_MISMATCH","message":"journal request/configuration/order changed"}`, false, false},
		{`unknown flag --tools`, false, false},
		{``, false, false},
	} {
		for what, r := range map[string]struct {
			want *regexp.Regexp
			is   bool
		}{"held": {heldElse, c.held}, "unknown": {unknownDone, c.unknown}} {
			if got := r.want.MatchString(c.text); got != r.is {
				t.Errorf("%q as %s: %t", c.text, what, got)
			}
		}
	}
}

// TestFixture: the program compiles with the tools of a case, which differ between
// the two tools files only in the cost of the first.
func TestFixture(t *testing.T) {
	c := &incident{Session: &qualification.Session{Self: "/bin/algal", Dir: "/space"}, label: "label", effect: adapter.Read}
	v, err := canon.Parse(program, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := organism.ParseManifest(v)
	if err != nil {
		t.Fatal(err)
	}
	signatures, err := hostfile.Signatures(c.tools(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := organism.Compile(m, organism.Env{Functions: organism.Builtins(), Tools: signatures}, 0); err != nil {
		t.Error(err)
	}
	if m.Digest() == "sha256:2f017ea7432407b16638b97ae76bc5dae5914368aa65a3a4a8673fac4c578f49" {
		t.Error("the program is that of the reference")
	}
	if changed := strings.Replace(c.tools(2).String(), `"cost":2`, `"cost":1`, 1); changed != c.tools(1).String() || changed == c.tools(2).String() {
		t.Errorf("%s\nand\n%s", c.tools(1), c.tools(2))
	}
	if signatures["pending.v1"].Write || !signatures["prefix.v1"].Write {
		t.Error("the prefix must write and the pending call read")
	}
}
