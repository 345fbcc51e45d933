package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/algal-vm/algal/internal/golden"
	"github.com/google/go-cmp/cmp"
)

var (
	pageFlag    = regexp.MustCompile(`(?m)^\\fB(-[a-z-]+)\\fP(?:, \\fB(-[a-z-]+)\\fP)?(?:=[A-Z]+)?$`)
	summaryFlag = regexp.MustCompile(`--[a-z-]+`)
)

// TestManPage holds the manual page, which is written by hand, to the flags that the
// parser knows and to the summary of --help.
func TestManPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(golden.Root(t), "doc", "man", "algal-verify.1"))
	if err != nil {
		t.Fatal(err)
	}
	o, onPage := &options{}, map[string]bool{}
	for _, names := range pageFlag.FindAllStringSubmatch(string(text), -1) {
		for _, name := range names[1:] {
			if name == "" {
				continue
			}
			if o.boolean(name) == nil && o.valued(name) == nil {
				t.Errorf("the page has %s, which is no flag", name)
			}
			onPage[name] = true
		}
	}
	// The summary gives these by their other form only.
	want := map[string]bool{"-q": true, "--quiet": true, "-h": true}
	for _, name := range summaryFlag.FindAllString(usageText, -1) {
		want[name] = true
	}
	if diff := cmp.Diff(want, onPage); diff != "" {
		t.Errorf("the summary and the page have other flags:\n%s", diff)
	}
}
