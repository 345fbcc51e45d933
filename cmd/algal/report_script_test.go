package main

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/algal-vm/algal/internal/passive"
)

// passiveFile checks that a page or a picture is passive: passive page.html.
func passiveFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: passive FILE")
	}
	text := ts.ReadFile(args[0])
	check := passive.Check
	if strings.HasPrefix(text, "<svg") {
		check = passive.CheckPicture
	}
	ts.Check(check(text))
}
