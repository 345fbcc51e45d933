package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/workbench"
)

// hostile would be something else than text if it could.
const hostile = `</script><script>alert(1)</script>"><img src=x onerror=alert(2)>' onclick='alert(3)` +
	`</pre></style><style>*{display:none}</style><a href="javascript:alert(4)">` + "\u2028\u2029\u202egnp.exe" + `<!--]]>&lt;b&gt;`

// written is how a page must show the beginning of it.
const written = `</script><script>alert(1)</script>`

// stage is where pages are made, by the command as users have it.
type stage struct {
	*testing.T
	dir, algal string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	dir := t.TempDir()
	s := &stage{t, dir, filepath.Join(dir, "algal")}
	build := exec.Command("go", "build", "-trimpath", "-o", s.algal, "./cmd/algal")
	build.Dir = ".."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return s
}

// run runs a command that must succeed and returns its output.
func (s *stage) run(args ...string) string {
	s.Helper()
	cmd := exec.Command(s.algal, args...)
	cmd.Dir = s.dir
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := err.(*exec.ExitError); ok {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		s.Fatalf("%q: %v", args, err)
	}
	return string(out)
}

// write keeps a page and returns where.
func (s *stage) write(name, text string) string {
	s.Helper()
	file := filepath.Join(s.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
	return file
}

func (s *stage) read(name string) string {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

// golden returns the path of recorded data.
func (s *stage) golden(name string) string {
	s.Helper()
	file, err := filepath.Abs(filepath.Join("..", "testdata", "golden", name))
	if err == nil {
		_, err = os.Stat(file)
	}
	if err != nil {
		s.Fatal(err)
	}
	return file
}

func parse(t *testing.T, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestWorkbenchPages opens the page of a workbench in every state that it can have.
func TestWorkbenchPages(t *testing.T) {
	s, browser := newStage(t), chromium(t)
	reports := map[string]canon.Value{}
	for _, verdict := range []string{"waiting", "approve", "deny"} {
		report := parse(t, s.run("demo", "start", verdict))
		if verdict != "waiting" {
			proposal := report.Get("proposal").Get("digest").Text()
			s.run("demo", verdict, verdict, "--proposal", proposal, "--action", workbench.Action)
			s.run("demo", "export", verdict)
		}
		reports[verdict] = parse(t, s.read(verdict+"/"+workbench.ReportName))
	}
	for _, status := range []workbench.Status{workbench.Uncertain, workbench.Failed} {
		reports[string(status)] = reports["waiting"].With(canon.M("status", canon.String(string(status))))
	}
	for name, report := range reports {
		t.Run(name, func(t *testing.T) {
			text, err := workbench.Page(report)
			if err != nil {
				t.Fatal(err)
			}
			// Beside the artifacts to which it leads.
			dir := name
			if _, err := os.Stat(filepath.Join(s.dir, dir)); err != nil {
				dir = "waiting"
			}
			b := open(t, browser, s.write(dir+"/page-"+name+".html", text))
			for _, file := range b.check("files") {
				if _, err := os.Stat(filepath.Join(s.dir, dir, file)); err != nil {
					t.Errorf("the page leads to a file: %v", err)
				}
			}
			examine(b, "workbench-"+name)
		})
	}
	t.Run("hostile", func(t *testing.T) {
		text, err := workbench.Page(infected(reports["approve"]).With(canon.M("contract", reports["approve"].Get("contract"))))
		if err != nil {
			t.Fatal(err)
		}
		examineHostile(open(t, browser, s.write("hostile.html", text)), "workbench-hostile")
	})
}

// infected replaces every text in a value.
func infected(v canon.Value) canon.Value {
	switch v.Kind() {
	case canon.KindString:
		return canon.String(hostile)
	case canon.KindArray:
		var list []canon.Value
		for _, e := range v.Elements() {
			list = append(list, infected(e))
		}
		return canon.Array(list...)
	case canon.KindObject:
		var members []canon.Member
		for key, member := range v.Members() {
			members = append(members, canon.M(key, infected(member)))
		}
		return canon.Object(members...)
	}
	return v
}

// examineHostile is examine for a page of hostile texts: they are on it, as texts.
func examineHostile(b *tab, name string) {
	b.Helper()
	examine(b, name)
	if text := strings.Join(b.check("text"), "\n"); !strings.Contains(text, written) {
		b.Errorf("the page does not show %q", written)
	}
}

// TestProcessPages opens the pages of processes in every status, of a long one, and
// of one whose every text is hostile.
func TestProcessPages(t *testing.T) {
	s, browser := newStage(t), chromium(t)
	example, err := filepath.Abs("../examples/evidence/release-note.evidence.json")
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string][]string{
		"example":   {example},
		"complete":  {s.golden("evidence/complete.evidence.json")},
		"suspended": {s.golden("evidence/suspended.evidence.json")},
		"uncertain": {s.golden("evidence/uncertain.evidence.json")},
		"failed":    {s.golden("evidence/failed-miss.evidence.json")},
		"long":      {s.golden("bench/long-30.evidence.json.zst")},
	}
	s.run("demo", "prove", "lab")
	for _, mode := range []string{"read", "write"} {
		pages["journaled-"+mode] = []string{"--process", "crash", "--tools", s.write("barrier-"+mode+".json", barrier(mode)), "--dir", "lab/" + mode + "-crash/store"}
	}
	pages["hostile"] = []string{s.hostileEvidence()}
	s.run("process", "create", "fresh", "hostile.algal.json", "--dir", "fresh-store")
	pages["ready"] = []string{"--process", "fresh", "--dir", "fresh-store"}
	for name, args := range pages {
		t.Run(name, func(t *testing.T) {
			s := &stage{t, s.dir, s.algal}
			b := open(t, browser, s.write(name+".html", s.run(append([]string{"report"}, args...)...)))
			if name == "hostile" {
				examineHostile(b, "process-"+name)
			} else {
				examine(b, "process-"+name)
			}
		})
	}
}

// barrier declares the tool of the crash laboratory, of which nothing is run here.
func barrier(mode string) string {
	return fmt.Sprintf(`{"demo.barrier.v1":{"signature":{"inputs":{"after":"text"},"outputs":{"out":"json"},"effect":"%s","cost":100,"maxOutputBytes":1024},"exec":"cmd:false"}}`, mode)
}

// hostileEvidence runs a program whose texts are hostile wherever a program, its
// arguments and its answers may have any.
func (s *stage) hostileEvidence() string {
	s.Helper()
	text, short := canon.String(hostile).String(), canon.String(written).String()
	program := s.write("hostile.algal.json", `{"contract":"algal.organism.v1","key":"organism:hostile","name":`+short+`,
		"cells":[{"id":"in","kind":"input","outputs":{"text":"text"}},
			{"id":"ask","kind":"agent","inputs":{"text":"text"},"prompt":`+text+`,"output":{"kind":"choice","labels":["a",`+short+`]}},
			{"id":"fails","kind":"agent","inputs":{"text":"text"},"prompt":`+text+`,"output":{"kind":"text"}}],
		"edges":[{"from":{"cell":"in","port":"text"},"to":{"cell":"ask","port":"text"}},
			{"from":{"cell":"ask","port":"out"},"to":{"cell":"fails","port":"text"},"guard":{"equals":`+short+`}}],
		"interface":{"inputs":{"text":{"cell":"in","port":"text"}},"outputs":{"label":{"cell":"ask","port":"out"}}}}`)
	args := s.write("args.json", `{"in":{"text":`+text+`}}`)
	responses := s.write("responses.json", `{"ask":`+short+`}`)
	s.run("process", "create", "hostile", program, "--args", args, "--dir", "hostile-store")
	cmd := exec.Command(s.algal, "process", "tick", "hostile", "--responses", responses, "--dir", "hostile-store")
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil && !slices.Contains([]int{0, 1}, cmd.ProcessState.ExitCode()) {
		s.Fatalf("%v: %s", err, out)
	}
	return s.write("hostile.evidence.json", s.run("process", "export", "hostile", "--dir", "hostile-store"))
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// TestDiagrams opens pictures of programs that stand alone.
func TestDiagrams(t *testing.T) {
	s, browser := newStage(t), chromium(t)
	programs, err := filepath.Glob("../examples/programs/*/program.algal.json")
	if err != nil || len(programs) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, file := range programs {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			s := &stage{t, s.dir, s.algal}
			path, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			args := []string{"diagram", path}
			for flag, file := range map[string]string{"--tools": "tools.json", "--modules": "modules"} {
				if file = filepath.Join(filepath.Dir(path), file); exists(file) {
					args = append(args, flag, file)
				}
			}
			b := open(t, browser, s.write(name+".svg", s.run(args...)))
			for _, colours := range []scheme{light, dark} {
				b.show(1440, colours)
				for _, wrong := range slices.Concat(b.check("picture"), b.quiet()) {
					b.Errorf("%s: %s", colours, wrong)
				}
			}
			if name == "change-approval" {
				b.shoot("diagram-" + name)
			}
		})
	}
}
