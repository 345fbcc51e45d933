package terminal_test

import (
	"testing"

	"github.com/algal-vm/algal/internal/pty"
	"github.com/algal-vm/algal/internal/terminal"
	"github.com/google/go-cmp/cmp"
)

// TestColours: at a terminal a good word is green, a bad one red and a name dim,
// unless colours are off.
func TestColours(t *testing.T) {
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer theirs.Close()
	for off, want := range map[string]string{
		"":  "  \x1b[2mname       \x1b[0m x\n  \x1b[32mok     \x1b[0m x\n  \x1b[31mdiffers\x1b[0m x\n\x1b[32myes\x1b[0m\n\x1b[31mno\x1b[0m\n",
		"1": "  name        x\n  ok      x\n  differs x\nyes\nno\n",
	} {
		t.Setenv("NO_COLOR", off)
		p := terminal.NewPage(theirs)
		p.Row("name", "x")
		p.Mark(true, "ok", "x")
		p.Mark(false, "differs", "x")
		p.Verdict(true, "yes")
		p.Verdict(false, "no")
		if diff := cmp.Diff(want, p.String()); diff != "" {
			t.Errorf("NO_COLOR=%s\n%s", off, diff)
		}
	}
}
