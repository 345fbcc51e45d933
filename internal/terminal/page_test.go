package terminal_test

import (
	"io"
	"testing"

	"github.com/algal-vm/algal/internal/terminal"
	"github.com/google/go-cmp/cmp"
)

// TestPage: every piece is one line, and what is foreign in it moves no cursor.
func TestPage(t *testing.T) {
	const hostile = "a\nb\x1b[2Jc\u202e"
	p := terminal.NewPage(io.Discard)
	p.Line("%s", hostile)
	p.Row("name", "%d", 7)
	p.Row(hostile, "%s", hostile)
	p.Mark(true, "ok", "%s", "fine")
	p.Mark(false, "differs", "%s", hostile)
	p.Verdict(false, "1 of %d: %s", 2, hostile)
	want := `a\nb\x1b[2Jc\u202e
  name        7
  a\nb\x1b[2Jc\u202e a\nb\x1b[2Jc\u202e
  ok      fine
  differs a\nb\x1b[2Jc\u202e
1 of 2: a\nb\x1b[2Jc\u202e
`
	if diff := cmp.Diff(want, p.String()); diff != "" {
		t.Error(diff)
	}
}
