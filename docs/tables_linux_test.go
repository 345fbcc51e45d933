package docs_test

import (
	"go/constant"
	"os"
	"regexp"
	"strings"
)

// boundsAreLimits holds the table of bounds in a guide to the page of limits, whose
// first columns it has.
func boundsAreLimits(f *follower, text string) {
	f.Helper()
	limits, err := os.ReadFile(limitsFile)
	if err != nil {
		f.Fatal(err)
	}
	_, table, _ := strings.Cut(text, "| what | bound | default | unit |\n| --- | ---: | ---: | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	for _, row := range rows {
		if !strings.Contains(string(limits), "\n"+row) {
			f.Errorf("no such limit: %s", row)
		}
	}
	if len(rows) < 5 {
		f.Errorf("only %d bounds", len(rows))
	}
}

var (
	stageRow = regexp.MustCompile("(?m)^\\| ((?:`[a-z]+`(?:, )?)+) \\|")
	word     = regexp.MustCompile("`([a-z]+)`")
)

// stagesAreAll holds the table of stages in a guide to those of the verifier.
func stagesAreAll(f *follower, text string) {
	f.Helper()
	_, table, _ := strings.Cut(text, "| stage | what is checked |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	told := map[string]bool{}
	for _, row := range stageRow.FindAllStringSubmatch(table, -1) {
		for _, stage := range word.FindAllStringSubmatch(row[1], -1) {
			told[stage[1]] = true
		}
	}
	s := readSource(f.T)
	for name, d := range s.declared {
		if !strings.HasPrefix(name, "verify.Stage") {
			continue
		}
		stage := constant.StringVal(s.evaluate(d.value, d))
		if !told[stage] {
			f.Errorf("stage %s is not told", stage)
		}
		delete(told, stage)
	}
	for stage := range told {
		f.Errorf("there is no stage %s", stage)
	}
}
