package docs_test

import (
	"flag"
	"fmt"
	"go/constant"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// After a change of a guide, of what a command shows or of a limit: go test ./docs
// -update, then look at the difference. Outputs in a guide that still match are
// left as they are.
var update = flag.Bool("update", false, "rewrite the outputs in the guides and the page of limits")

const limitsFile = "limits.md"

// TestLimits makes the page of limits from the source and holds the committed one
// to it.
func TestLimits(t *testing.T) {
	want := limitsPage(t, readSource(t))
	if *update {
		if err := os.WriteFile(limitsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(limitsFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is not current, run go test ./docs -update (-want +got):\n%s", limitsFile, diff)
	}
	rows := 0
	for _, s := range sections {
		rows += len(s.rows)
	}
	t.Logf("%d limits", rows)
}

// limitName is how constants that bound something are called.
var limitName = regexp.MustCompile(`\.([mM]ax|[dD]efault)[A-Z]\w*$`)

// TestLimitsAreAll: every constant of the product that is named like a limit is on
// the page, or is listed as none.
func TestLimitsAreAll(t *testing.T) {
	s := readSource(t)
	onPage := map[string]bool{}
	for _, section := range sections {
		for _, r := range section.rows {
			onPage[r.most], onPage[r.absent] = true, true
		}
	}
	listed := map[string]int{} // how many constants an entry of noLimits stands for
	found := 0
	for name := range s.declared {
		if _, number := s.value(name); !number || !limitName.MatchString(name) {
			continue
		}
		found++
		at := slices.IndexFunc(noLimits, func(entry string) bool {
			prefix, open := strings.CutSuffix(entry, "*")
			return entry == name || open && strings.HasPrefix(name, prefix)
		})
		if at >= 0 {
			listed[noLimits[at]]++
		}
		if onPage[name] == (at >= 0) {
			t.Errorf("%s: give it either a row in limit_rows_test.go or an entry in noLimits", name)
		}
	}
	for _, entry := range noLimits {
		if pkg := entry[:strings.LastIndex(entry, ".")]; listed[entry] == 0 && s.packages[pkg] {
			t.Errorf("%s is listed as no limit, but there is no such number", entry)
		}
	}
	if found < 100 {
		t.Errorf("only %d constants found", found)
	}
	t.Logf("%d constants", found)
}

// section is a table of the page.
type section struct {
	title, text string
	rows        []row
}

// row is one limit. Its numbers come from the constants or from the refusal of a
// program that breaks it.
type row struct {
	what   string
	most   string // constant, or the member of a program that [ranges] knows
	absent string // constant of the value where none is given, "" when there is no such
	unit   string
	spec   string
}

func limitsPage(t *testing.T, s *source) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Limits\n\n")
	b.WriteString("Everything is bounded, and bounds are inclusive. Where a row does not say otherwise, what goes beyond one is refused with code\n")
	b.WriteString("`BUDGET_EXHAUSTED` or, where a document is read, `PARSE_FAILED`. *Bytes* are bytes of the canonical text where a value is meant,\n")
	b.WriteString("*characters* are UTF-16 code units. The last column names the section of the contract. This page is made from the source:\n")
	b.WriteString("`go test ./docs -update`.\n")
	for _, section := range sections {
		section.rows = slices.DeleteFunc(slices.Clone(section.rows), func(r row) bool { return !s.packages[r.pkg()] })
		if len(section.rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n", section.title)
		if section.text != "" {
			b.WriteString(section.text + "\n\n")
		}
		b.WriteString("| what | bound | default | unit | package | contract |\n| --- | ---: | ---: | --- | --- | --- |\n")
		for _, r := range section.rows {
			most, absent := r.numbers(t, s)
			fmt.Fprintf(&b, "| %s | %s | %s | %s | `%s` | %s |\n", r.what, most, absent, r.unit, r.pkg(), r.spec)
		}
	}
	return b.String()
}

// pkg returns the package that enforces a limit.
func (r *row) pkg() string {
	if _, ok := ranges[r.most]; ok {
		return "organism"
	}
	return r.most[:strings.LastIndex(r.most, ".")]
}

// numbers returns the limit and the default, "" where there is none.
func (r *row) numbers(t *testing.T, s *source) (most, absent string) {
	t.Helper()
	number := func(name string) string {
		if name == "" {
			return ""
		}
		v, ok := s.value(name)
		if !ok {
			t.Fatalf("%s: %s is no constant that can be evaluated", r.what, name)
		}
		return grouped(v)
	}
	if program, ok := ranges[r.most]; ok {
		most, absent = rangeOf(t, r.most, program)
		return most, absent + number(r.absent)
	}
	return number(r.most), number(r.absent)
}

// grouped writes a number with its thousands apart.
func grouped(v constant.Value) string {
	text := constant.ToInt(v).ExactString()
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// ranges are bounds that no constant holds: a program with the value 0.5 at the
// member in question. Its refusal tells the range.
var ranges = map[string]string{
	"budgets.maxSteps":        `{"budgets":{"maxSteps":0.5}}`,
	"budgets.maxAgentCalls":   `{"budgets":{"maxAgentCalls":0.5}}`,
	"budgets.maxWork":         `{"budgets":{"maxWork":0.5}}`,
	"budgets.maxContextBytes": `{"budgets":{"maxContextBytes":0.5}}`,
	"budgets.maxOutputBytes":  `{"budgets":{"maxOutputBytes":0.5}}`,
	"budgets.maxDepth":        `{"budgets":{"maxDepth":0.5}}`,

	"budget.maxContextBytes": agentWith(`"budget":{"maxContextBytes":0.5}`),
	"budget.maxOutputBytes":  agentWith(`"budget":{"maxOutputBytes":0.5}`),
	"budget.maxTurns":        agentWith(`"budget":{"maxTurns":0.5}`),
	"budget.maxEffectMs":     agentWith(`"budget":{"maxEffectMs":0.5}`),
	"retry.attempts":         agentWith(`"retry":{"attempts":0.5}`),
	"compact.maxLogBytes":    agentWith(`"tools":["t"],"compact":{"maxLogBytes":0.5}`),
	"compact.keepRecent":     agentWith(`"tools":["t"],"compact":{"maxLogBytes":1,"keepRecent":0.5}`),
	"repeat.maxRounds":       `{"cells":[{"id":"c","kind":"repeat","manifest":"m","maxRounds":0.5}]}`,
	"each.maxItems":          `{"cells":[{"id":"c","kind":"each","manifest":"m","over":"o","maxItems":0.5}]}`,
}

func agentWith(members string) string {
	return `{"cells":[{"id":"c","kind":"agent","prompt":"","output":{"kind":"text"},` + members + `}]}`
}

var told = regexp.MustCompile(`must be an integer in \[(\d+), (\d+)\]$`)

// rangeOf returns the range that a program's refusal tells, and what stands in the
// normal form of one that gives nothing.
func rangeOf(t *testing.T, member, program string) (span, absent string) {
	t.Helper()
	v, err := canon.Parse(program, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if !v.Get("cells").Exists() {
		v = v.With(canon.M("cells", canon.Array()))
	}
	v = v.With(canon.M("contract", canon.String(organism.Contract)), canon.M("key", canon.String("organism:t")), canon.M("name", canon.String("")))
	_, err = organism.ParseManifest(v)
	m := told.FindStringSubmatch(fmt.Sprint(err))
	if m == nil {
		t.Fatalf("%s: %v", member, err)
	}
	literal := func(text string) string { return grouped(constant.MakeFromLiteral(text, token.INT, 0)) }
	if name, ok := strings.CutPrefix(member, "budgets."); ok {
		plain, err := organism.ParseManifest(v.Without("budgets"))
		if err != nil {
			t.Fatal(err)
		}
		absent = literal(plain.Normal().Get("budgets").Get(name).String())
	}
	return literal(m[1]) + " to " + literal(m[2]), absent
}

// TestRangesAreUsed: every range is on the page.
func TestRangesAreUsed(t *testing.T) {
	for member := range ranges {
		if !slices.ContainsFunc(sections, func(s section) bool {
			return slices.ContainsFunc(s.rows, func(r row) bool { return r.most == member })
		}) {
			t.Errorf("%s is on no row", member)
		}
	}
}
