package report_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/algal-vm/algal/report"
	"github.com/algal-vm/algal/verify"
)

// A document is verified, and what is in it shown on one page.
func ExampleProcess() {
	text, err := os.ReadFile("../examples/evidence/release-note.evidence.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	evidence, err := verify.Parse(string(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	verdict, err := evidence.Verify(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	page, err := report.Process(context.Background(), report.Subject{Evidence: evidence, Report: verdict})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, heading, _ := strings.Cut(page, "<h1>")
	heading, _, _ = strings.Cut(heading, "</h1>")
	fmt.Println(heading)
	fmt.Println(strings.Count(page, "<summary>Effect "), "effects")
	fmt.Println("scripts:", strings.Count(page, "<script"))
	// Output:
	// Process release-note
	// 3 effects
	// scripts: 0
}
