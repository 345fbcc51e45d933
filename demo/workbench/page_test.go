//go:build unix

package workbench_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/workbench"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/passive"
	"github.com/algal-vm/algal/report/page"
)

// hostile are texts that would be something else than text if they could. The
// others cannot be the target of a link, so one text holds them all.
var hostile = []string{
	"javascript:alert(1)",
	"https://example.org/",
	"</script><script>alert(1)</script>\"><img src=x onerror=alert(1)>' onclick='alert(1)</pre></style><style>*{}" +
		"a\u2028b\u2029c\u202egnp.exe<!--]]>&lt;b&gt;\x00\x1b[2J\x7furl(https://example.org)",
}

// everyPlace returns copies of a value, each with one of its texts or keys replaced,
// and one with a value of another kind at every place.
func everyPlace(v canon.Value, with canon.Value) (list []canon.Value) {
	list = append(list, with)
	switch v.Kind() {
	case canon.KindObject:
		for key, member := range v.Members() {
			for _, changed := range everyPlace(member, with) {
				list = append(list, v.With(canon.M(key, changed)))
			}
		}
		list = append(list, v.With(canon.M(with.Text(), with)))
	case canon.KindArray:
		elements := make([]canon.Value, v.Len())
		for i, e := range v.Elements() {
			elements[i] = e
		}
		for i := range elements {
			for _, changed := range everyPlace(elements[i], with) {
				copied := append([]canon.Value(nil), elements...)
				copied[i] = changed
				list = append(list, canon.Array(copied...))
			}
		}
	}
	return list
}

// reports are one of each status.
func reports(t *testing.T) (list []canon.Value) {
	for _, verdict := range []workbench.Verdict{"", workbench.Approve, workbench.Deny} {
		s := started(t, canon.Value{})
		if verdict != "" {
			s.decide(verdict)
		}
		_, report, err := workbench.Export(t.Context(), s.root, options())
		must(t, err)
		list = append(list, report.Value())
	}
	for _, status := range []workbench.Status{workbench.Uncertain, workbench.Failed, workbench.Ready, "another"} {
		list = append(list, list[0].With(canon.M("status", canon.String(string(status)))))
	}
	return list
}

// D-13
func TestD13HostilePage(t *testing.T) {
	list, pages := reports(t), 0
	for i, text := range hostile {
		for _, report := range everyPlace(list[i%2], canon.String(text)) {
			shown, err := workbench.Page(report)
			if !report.Get("contract").IsText("algal.demo-report.v1") {
				refused(t, "another contract", err, algal.ParseFailed, "contract")
				continue
			}
			must(t, err)
			pages++
			checkHostile(t, report, shown)
		}
	}
	for _, report := range list[1:2] {
		for _, with := range []canon.Value{canon.Null(), canon.Int(-1), canon.Array(canon.Int(1)), canon.Object()} {
			for _, changed := range everyPlace(report, with) {
				if shown, err := workbench.Page(changed.With(canon.M("contract", report.Get("contract")))); err != nil {
					t.Fatal(err)
				} else if err := passive.Check(shown); err != nil {
					t.Fatalf("%v of %s", err, changed)
				}
				pages++
			}
		}
	}
	if pages < 400 {
		t.Errorf("only %d pages", pages)
	}
	t.Logf("%d pages", pages)
}

// checkHostile holds a page to the properties of demo.md §4.6.
func checkHostile(t *testing.T, report canon.Value, shown string) {
	t.Helper()
	if err := passive.Check(shown); err != nil {
		t.Fatalf("%v: %s", err, report)
	}
	lower := strings.ToLower(shown)
	for _, never := range []string{"<script", "<img", "<!--", `href="javascript:`, "\u2028", "\u2029", "\u202e", "\x00", "\x1b"} {
		if strings.Contains(lower, never) {
			t.Fatalf("the page holds %q: %s", never, report)
		}
	}
	if strings.Count(shown, `content="`+page.Policy+`"`) != 1 {
		t.Fatal("the page has another policy")
	}
}

// TestPageFacts: what demo.md §4.6 wants to be on the page of each status.
func TestPageFacts(t *testing.T) {
	list := reports(t)
	for i, c := range []struct {
		headline, approval, publication string
		commands                        bool
	}{
		{"waits for your decision", "<div>waiting</div>", "<div>held</div>", true},
		{"published once", "<div>approved</div>", "<div>delivered</div>", false},
		{"nothing was published", "<div>denied</div>", "<div>not authorized</div>", false},
		{"is not known", "<div>stopped</div>", "<div>held</div>", false},
		{"The program failed", "<div>stopped</div>", "<div>held</div>", false},
		{"never finished", "<div>stopped</div>", "<div>held</div>", false},
		{"status of this workbench is not known", "<div>stopped</div>", "<div>held</div>", false},
	} {
		shown, err := workbench.Page(list[i])
		must(t, err)
		must(t, passive.Check(shown))
		for _, fact := range []string{
			c.headline, c.approval, c.publication, `href="#proposal"`, `href="#history"`, `href="#evidence"`,
			list[i].Get("proposal").Get("digest").Text(), list[i].Get("evidence").Get("digest").Text(), list[i].Get("root").Text(),
			list[i].Get("history").At(1).Get("digest").Text(), ">verified<", "publish-local-report", "publication.json",
			"/opt/algal demo export " + list[i].Get("root").Text(), "/opt/algal demo verify " + list[i].Get("root").Text(), `href="evidence.algal.json"`,
			"does not show who made it", "gives nobody custody", `<pre class="whole">`,
		} {
			if !strings.Contains(shown, fact) {
				t.Errorf("page %d does not show %q", i, fact)
			}
		}
		if strings.Contains(shown, "/opt/algal demo approve") != c.commands || strings.Contains(shown, "/opt/algal demo deny") != c.commands {
			t.Errorf("page %d: the commands of a decision", i)
		}
		if linked := strings.Contains(shown, `href="publication.json"`); linked != (i == 1) {
			t.Errorf("page %d links to the publication: %v", i, linked)
		}
	}
	unverified, err := workbench.Page(list[0].Without("verification"))
	must(t, err)
	if !strings.Contains(unverified, ">not verified<") {
		t.Error("a report without a verification counts as verified")
	}
}

// TestPageOfARetainedDecision: a decision that was not delivered is offered again,
// and no other.
func TestPageOfARetainedDecision(t *testing.T) {
	s := started(t, canon.Value{})
	shown, err := workbench.Page(s.get().With(canon.M("approval", parse(t, `{"decision":"deny"}`))))
	must(t, err)
	if strings.Contains(shown, "/opt/algal demo approve") || !strings.Contains(shown, "/opt/algal demo deny") {
		t.Error("the other decision is offered")
	}
}

func TestPageBounds(t *testing.T) {
	report := parse(t, `{"contract":"algal.demo-report.v1"}`)
	largest := report.With(canon.M("x", canon.String(strings.Repeat("x", workbench.MaxReport-report.With(canon.M("x", canon.String(""))).Size()))))
	if largest.Size() != workbench.MaxReport {
		t.Fatal(largest.Size())
	}
	if _, err := workbench.Page(largest); err != nil {
		t.Errorf("a report of just the bound: %v", err)
	}
	_, err := workbench.Page(largest.With(canon.M("x", canon.String(largest.Get("x").Text()+"x"))))
	refused(t, "a report beyond the bound", err, algal.BudgetExhausted, "more than 1048576")
	rows := make([]canon.Value, 130)
	for i := range rows {
		rows[i] = canon.Object(canon.M("generation", canon.Int(i)))
	}
	shown, err := workbench.Page(report.With(canon.M("history", canon.Array(rows...))))
	if n := strings.Count(shown, "<tr>"); err != nil || n != 1+129 || !strings.Contains(shown, "and 1 record more") {
		t.Errorf("%d rows, %v", n, err)
	}
	// What grows most on a page and is shown twice stays within the page's bound.
	quotes := parse(t, `{"value":{"summary":"`+strings.Repeat("'", workbench.MaxReport-100)+`"}}`)
	shown, err = workbench.Page(report.With(canon.M("proposal", quotes)))
	if err != nil || len(shown) < 5*workbench.MaxReport || len(shown) > workbench.MaxPage {
		t.Errorf("a page of %d bytes, %v", len(shown), err)
	}
	dir := memoryDir(t)
	files := durable.NewPublisher(durable.Options{Hook: unsynced})
	must(t, workbench.WritePage(files, dir, report))
	before, err := os.ReadFile(filepath.Join(dir, workbench.PageName))
	must(t, err)
	for _, bad := range []canon.Value{{}, canon.Null(), parse(t, `{"contract":"algal.demo-report.v2"}`), largest.With(canon.M("y", canon.Null()))} {
		if err := workbench.WritePage(files, dir, bad); err == nil {
			t.Errorf("written: %.80s", bad)
		}
	}
	if after, err := os.ReadFile(filepath.Join(dir, workbench.PageName)); err != nil || string(after) != string(before) {
		t.Errorf("the page did not stay: %v", err)
	}
}

// D-14
func TestD14PageWriter(t *testing.T) {
	dir := memoryDir(t)
	files := durable.NewPublisher(durable.Options{})
	report := parse(t, `{"contract":"algal.demo-report.v1","status":"waiting"}`)
	path := filepath.Join(dir, workbench.PageName)
	must(t, workbench.WritePage(files, dir, report))
	first, err := os.Lstat(path)
	must(t, err)
	if first.Mode() != 0o600 {
		t.Errorf("mode %v", first.Mode())
	}
	must(t, os.Chtimes(path, first.ModTime().Add(-1e9), first.ModTime().Add(-1e9)))
	first, err = os.Lstat(path)
	must(t, err)
	var steps []string
	traced := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		steps = append(steps, string(s.Op))
		return do()
	}})
	must(t, workbench.WritePage(traced, dir, report))
	if len(steps) < 2 || steps[0] != "file-sync" || steps[1] != "dir-sync" || slices.Contains(steps, "write-temp") {
		t.Errorf("steps of an equal page: %q", steps)
	}
	second, err := os.Lstat(path)
	must(t, err)
	if !second.ModTime().Equal(first.ModTime()) || !os.SameFile(first, second) {
		t.Error("an equal page was written again")
	}
	one := func() {
		t.Helper()
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("files %v, %v", entries, err)
		}
	}
	one()
	must(t, workbench.WritePage(files, dir, report.With(canon.M("status", canon.String("denied")))))
	if third, err := os.Lstat(path); err != nil || os.SameFile(first, third) || third.Mode() != 0o600 {
		t.Errorf("another page: %v, %v", third, err)
	}
	one()

	target := filepath.Join(memoryDir(t), "target")
	must(t, os.WriteFile(target, []byte("untouched"), 0o600))
	for what, plant := range map[string]func() error{
		"a link":          func() error { return os.Symlink(target, path) },
		"a dangling link": func() error { return os.Symlink(target+"-none", path) },
		"a directory":     func() error { return os.Mkdir(path, 0o700) },
	} {
		must(t, os.RemoveAll(path))
		must(t, plant())
		refused(t, what, workbench.WritePage(files, dir, report), algal.IOFailed, "report.html must be a regular file")
		one()
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "untouched" {
		t.Errorf("the target holds %q, %v", text, err)
	}
	must(t, os.RemoveAll(path))
	link := filepath.Join(memoryDir(t), "link")
	must(t, os.Symlink(dir, link))
	refused(t, "a linked root", workbench.WritePage(files, link, report), algal.IOFailed, "real directory")

	failing := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		if s.Op == durable.OpReplace {
			return os.ErrPermission
		}
		return do()
	}})
	refused(t, "a failing rename", workbench.WritePage(failing, dir, report), algal.IOFailed, "permission")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left %v, %v", entries, err)
	}
}

func TestShellLine(t *testing.T) {
	vector := func(words ...string) canon.Value {
		var list []canon.Value
		for _, w := range words {
			list = append(list, canon.String(w))
		}
		return canon.Array(list...)
	}
	long := strings.Repeat("a", 4096)
	for _, c := range []struct {
		v    canon.Value
		want string
	}{
		{vector("/opt/algal", "demo", "inspect", "/tmp/b-1_2.x"), "/opt/algal demo inspect /tmp/b-1_2.x"},
		{vector("a b", "it's", "$x", "`x`", "", "é", "*", "~"), `'a b' 'it'\''s' '$x' '` + "`x`" + `' '' 'é' '*' '~'`},
		{vector(long, long, long), long + " " + long + " " + long},
		{vector(long + "a"), ""},
		{vector(long, long, long, long), ""}, // with the spaces beyond 16,384
		{vector(strings.Split(strings.Repeat("a ", 63)+"a", " ")...), strings.Repeat("a ", 63) + "a"},
		{vector(strings.Split(strings.Repeat("a ", 64)+"a", " ")...), ""},
		{vector("a\x00"), ""}, {vector("a\nb"), ""}, {vector("a\u202eb"), ""}, {vector("a\u2028"), ""}, {vector("\ufe0f"), ""}, {vector("\u3164"), ""},
		{canon.Array(), ""}, {canon.Array(canon.Int(1)), ""}, {canon.String("a"), ""}, {canon.Null(), ""}, {canon.Value{}, ""},
		{canon.Object(canon.M("a", canon.String("b"))), ""},
	} {
		got, shown := workbench.ShellLine(c.v)
		if got != c.want || shown != (c.want != "") {
			t.Errorf("%.80s gives %.80q, %v, want %.80q", c.v, got, shown, c.want)
		}
	}
}
