package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/algal-vm/algal/internal/golden"
)

// manDate stands on the pages. It is that of the command line's form, not of a
// build, so that a page changes only with its content.
var manDate = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// TestManPages compares the manual pages in doc/man with what the commands say of
// themselves. With -update it writes them.
func TestManPages(t *testing.T) {
	dir := filepath.Join(golden.Root(t), "doc", "man")
	want := manPages(t)
	if *update {
		for name, page := range want {
			write(t, filepath.Join(dir, name), page)
		}
	}
	have, err := filepath.Glob(filepath.Join(dir, "algal_*.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range have {
		if name := filepath.Base(file); want[name] == "" {
			t.Errorf("%s: there is no such command", name)
		}
	}
	for name, page := range want {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%v; run go test -update", err)
			continue
		}
		if diff := cmp.Diff(string(text), page); diff != "" {
			t.Errorf("%s is stale; run go test -update\n%s", name, diff)
		}
	}
	for name, page := range want {
		for _, section := range []string{"EXIT STATUS", "EXAMPLES", "SYNOPSIS"} {
			if !strings.Contains(page, "\n.SH "+section+"\n") {
				t.Errorf("%s has no section %s", name, section)
			}
		}
	}
	t.Logf("%d pages", len(want))
}

// manPages returns the page of each command under the name of its file. A page is
// named with underscores, since algal-verify is another command than algal verify.
func manPages(t *testing.T) map[string]string {
	t.Helper()
	root := newRootCommand(&shared{&globals{}, &streams{out: io.Discard, err: io.Discard}, newInterrupts()}, commands)
	root.DisableAutoGenTag = true
	var all []*cobra.Command
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		all = append(all, cmd)
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				visit(c)
			}
		}
	}
	visit(root)
	pages := map[string]string{}
	for _, cmd := range all {
		page := manPage(t, cmd)
		for _, other := range all { // in SEE ALSO
			page = strings.ReplaceAll(page, spelled(other, "-")+"(1)", spelled(other, "_")+"(1)")
		}
		pages[spelled(cmd, "_")+".1"] = page
	}
	return pages
}

// spelled returns the words of a command with a separator.
func spelled(cmd *cobra.Command, separator string) string {
	return strings.ReplaceAll(cmd.CommandPath(), " ", separator)
}

func manPage(t *testing.T, cmd *cobra.Command) string {
	t.Helper()
	cmd.InitDefaultHelpFlag()
	restore := describeFlags(cmd)
	defer restore()
	var b bytes.Buffer
	header := doc.GenManHeader{Title: strings.ToUpper(spelled(cmd, "_")), Section: "1", Date: &manDate, Source: "algal", Manual: "ALGAL"}
	if err := doc.GenMan(cmd, &header, &b); err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(b.String(), "[="+none+"]", "")
	page = strings.Replace(page, "\n"+spelled(cmd, "-")+" - ", "\n"+spelled(cmd, "_")+" - ", 1)
	page = strings.Replace(page, "\n.SH EXAMPLE\n", "\n.SH EXAMPLES\n", 1)
	exit := ".SH EXIT STATUS\n"
	for _, line := range exitStatus(cmd.Annotations[negativeKey]) {
		code, meaning, _ := strings.Cut(line, " ")
		exit += ".TP\n\\fB" + code + "\\fP\n" + strings.TrimSpace(meaning) + "\n"
	}
	// Before the examples, else before what is always there: other pages.
	for _, section := range []string{"\n.SH EXAMPLES\n", "\n.SH SEE ALSO\n"} {
		if before, after, found := strings.Cut(page, section); found {
			return before + "\n" + exit + section + after
		}
	}
	return page + exit
}

// none stands for the value of a flag that takes none.
const none = "NONE"

// describeFlags puts the names of the flags' values where the generator prints
// their defaults. The result puts everything back.
func describeFlags(cmd *cobra.Command) (restore func()) {
	var was []func()
	describe := func(f *pflag.Flag) {
		usage, value := f.Usage, f.DefValue
		was = append(was, func() { f.Usage, f.DefValue = usage, value })
		f.DefValue, f.Usage = pflag.UnquoteUsage(f)
		if f.NoOptDefVal != "" {
			f.DefValue = none
		} else if value != "" {
			f.Usage += " (default " + value + ")"
		}
	}
	cmd.NonInheritedFlags().VisitAll(describe)
	cmd.InheritedFlags().VisitAll(describe)
	return func() {
		for _, back := range slices.Backward(was) {
			back()
		}
	}
}
