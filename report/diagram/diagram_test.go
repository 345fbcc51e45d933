package diagram_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/internal/passive"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/report/diagram"
)

// fatal is what ends a test of any kind.
type fatal interface{ Fatal(...any) }

// compiled compiles a manifest over an empty store.
func compiled(t fatal, text string) *organism.Graph { return compiledOver(t, cas.NewMemory(), text) }

func compiledOver(t fatal, store cas.Store, text string) *organism.Graph {
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := organism.ParseManifest(v)
	if err != nil {
		t.Fatal(err)
	}
	g, err := organism.Compile(m, organism.Env{Functions: organism.Builtins(), Store: store}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// program draws a program that compiles: agents whose edges go from earlier to
// later ones, in a manifest whose order does not show it.
func program(t *rapid.T) string {
	n := rapid.IntRange(1, 64).Draw(t, "cells")
	cells := make([]string, n)
	for i, at := range rapid.Permutation(numbers(n)).Draw(t, "places") {
		cells[at] = fmt.Sprintf(`{"id":"c%d","kind":"agent","prompt":"p","output":{"kind":"choice","labels":["]]></title><script>"]},"route":{"model":%s},`+
			`"inputs":{"err":{"type":"json","many":true,"optional":true},"in":{"type":"json","many":true,"optional":true}}}`,
			i, canon.String(rapid.StringN(1, 32, 120).Draw(t, "model")))
	}
	var edges []string
	for range rapid.IntRange(0, 256).Draw(t, "edges") {
		to := rapid.IntRange(0, n-1).Draw(t, "to")
		if to == 0 {
			continue
		}
		from := rapid.IntRange(0, to-1).Draw(t, "from")
		rest := rapid.SampledFrom([]string{
			`in"}`, `in"}`, `err"},"on":"fail"`, `in"},"guard":{"equals":"]]></title><script>"}`,
			`in"},"guard":{"expr":{"contract":"algal.expr.v1","program":["gt",["get","value"],10]}}`,
		}).Draw(t, "rest")
		edges = append(edges, fmt.Sprintf(`{"from":{"cell":"c%d","port":"out"},"to":{"cell":"c%d","port":"%s}`, from, to, rest))
	}
	return fmt.Sprintf(`{"contract":"algal.organism.v1","key":"organism:drawn","name":%s,"cells":[%s],"edges":[%s]}`,
		canon.String(rapid.StringN(0, 60, 120).Draw(t, "name")), strings.Join(cells, ","), strings.Join(edges, ","))
}

func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// receipt returns as much of a receipt as a picture reads: a status for every cell
// but the last.
func receipt(g *organism.Graph) canon.Value {
	var cells []canon.Member
	for i, c := range g.Manifest.Cells[:len(g.Manifest.Cells)-1] {
		status := []string{"committed", "skipped", "failed", "suspended"}[i%4]
		record := canon.Object(canon.M("status", canon.String(status)))
		if status == "failed" {
			record = record.With(canon.M("failure", canon.Object(canon.M("code", canon.String("EFFECT_FAILED")))))
		}
		cells = append(cells, canon.M(c.ID, record))
	}
	return canon.Object(canon.M("cells", canon.Object(cells...)))
}

// TestPictures holds the picture of any program to what a picture must be.
func TestPictures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := program(t)
		g, run := compiled(t, text), canon.Value{}
		if rapid.Bool().Draw(t, "marked") {
			run = receipt(g)
		}
		d := diagram.New(g, run)
		svg := d.SVG()
		if err := passive.CheckPicture(svg); err != nil {
			t.Fatal(err, svg)
		}
		if len(svg) > 512<<10 {
			t.Fatalf("the picture has %d bytes", len(svg))
		}
		apart(t, d)
		downwards(t, d)
		dense(t, d)
		if again := diagram.New(compiled(t, text), run).SVG(); again != svg {
			t.Fatal("two pictures of one program differ")
		}
		quoted(t, d.Mermaid(), len(d.Cells)+len(d.Edges))
	})
}

// TestWide: rows that draw each other sideways, as a drawn program once had them, do
// not make the picture wider than its widest row.
func TestWide(t *testing.T) {
	text, err := os.ReadFile("testdata/wide.algal.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := diagram.New(compiled(t, string(text)), canon.Value{}); d.Width > 1200 {
		t.Errorf("the picture is %d wide", d.Width)
	}
}

// apart: no cell covers another, and all are within the picture.
func apart(t *rapid.T, d *diagram.Diagram) {
	for i, a := range d.Cells {
		if a.X < 0 || a.Y < 0 || a.X+a.Width > d.Width || a.Y+a.Height > d.Height {
			t.Fatalf("%s is not within the picture", a.ID)
		}
		for _, b := range d.Cells[:i] {
			if a.X < b.X+b.Width && b.X < a.X+a.Width && a.Y < b.Y+b.Height && b.Y < a.Y+a.Height {
				t.Fatalf("%s covers %s", a.ID, b.ID)
			}
		}
	}
	if d.Width > 4096 || d.Height > 64*128 {
		t.Fatalf("the picture is %d by %d", d.Width, d.Height)
	}
}

// dense: the rows follow each other without a gap.
func dense(t *rapid.T, d *diagram.Diagram) {
	rows := map[int]bool{}
	for _, c := range d.Cells {
		rows[(c.Y-16)/(c.Height+54)] = true
	}
	for r := range len(rows) {
		if !rows[r] {
			t.Fatalf("row %d is empty", r)
		}
	}
}

// downwards: what feeds a cell stands above it.
func downwards(t *rapid.T, d *diagram.Diagram) {
	for _, e := range d.Edges {
		if from, to := d.Cells[e.From], d.Cells[e.To]; from.Y+from.Height >= to.Y {
			t.Fatalf("%s does not stand above %s", from.ID, to.ID)
		}
	}
}

var (
	mermaidNode = regexp.MustCompile(`^  c\d+(\[|\(\[|\[\[)"([^"]*)"(\]|\]\)|\]\])(:::[a-z]+)?$`)
	mermaidEdge = regexp.MustCompile(`^  c\d+ (-->|-\.->)\|"([^"]*)"\| c\d+$`)
	mermaidText = regexp.MustCompile(`^(?:[\pL\pN ]|#\d+;|<br/>)*$`)
)

// quoted: every line of the Mermaid text is one of the picture's own, and no label
// holds more than letters and entities.
func quoted(t *rapid.T, text string, lines int) {
	found := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		label := ""
		if m := mermaidNode.FindStringSubmatch(line); m != nil {
			label = m[2]
		} else if m := mermaidEdge.FindStringSubmatch(line); m != nil {
			label = m[2]
		} else if line == "flowchart TD" || strings.HasPrefix(line, "  classDef ") {
			continue
		} else {
			t.Fatalf("a line of its own: %s", line)
		}
		if found++; !mermaidText.MatchString(label) {
			t.Fatalf("a label that is not escaped: %s", line)
		}
	}
	if found != lines {
		t.Fatalf("%d lines for %d cells and edges", found, lines)
	}
}

const review = `{"contract":"algal.organism.v1","key":"organism:review","name":"Review","cells":[
	{"id":"source","kind":"const","outputs":{"text":{"type":"text","value":"x"}}},
	{"id":"draft","kind":"agent","prompt":"Write.","output":{"kind":"text"},"inputs":{"source":"text"},"route":{"preset":"fast","model":"m"}},
	{"id":"verdict","kind":"gate","prompt":"Good?","output":{"kind":"choice","labels":["yes","no"]},"inputs":{"draft":"text"}},
	{"id":"note","kind":"slot","name":"notes","mode":"write"},
	{"id":"keep","kind":"store"}],"edges":[
	{"from":{"cell":"source","port":"text"},"to":{"cell":"draft","port":"source"}},
	{"from":{"cell":"draft","port":"out"},"to":{"cell":"verdict","port":"draft"}},
	{"from":{"cell":"verdict","port":"out"},"to":{"cell":"keep","port":"data"},"guard":{"equals":"yes"}},
	{"from":{"cell":"draft","port":"out"},"to":{"cell":"note","port":"data"},"on":"fail"}]}`

// TestReview is a picture in all forms, looked at with care once.
func TestReview(t *testing.T) {
	g := compiled(t, review)
	run := canon.Object(canon.M("cells", canon.Object(
		canon.M("source", canon.Object(canon.M("status", canon.String("committed")))),
		canon.M("draft", canon.Object(canon.M("status", canon.String("failed")),
			canon.M("failure", canon.Object(canon.M("code", canon.String("EFFECT_FAILED")))))),
		canon.M("verdict", canon.Object(canon.M("status", canon.String("skipped")))))))
	d := diagram.New(g, run)
	const mermaid = `flowchart TD
  c0["source<br/>const<br/>#10003; committed"]:::good
  c1(["draft<br/>agent #183; fast m<br/>#10007; failed#58; EFFECT#95;FAILED"]):::bad
  c2(["verdict<br/>gate<br/>#8211; skipped"]):::none
  c3["note<br/>slot #183; writes notes<br/>#9675; not reached"]:::none
  c4["keep<br/>store<br/>#9675; not reached"]:::none
  c0 -->|"text #8594; source"| c1
  c1 -->|"out #8594; draft"| c2
  c2 -->|"out #8594; data#44; when #61; #34;yes#34;"| c4
  c1 -.->|"out #8594; data#44; on fail"| c3
  classDef good stroke:#17653a,stroke-width:2px
  classDef wait stroke:#7a4a00,stroke-width:3px
  classDef bad stroke:#a01d1d,stroke-width:4px
  classDef none stroke-dasharray:4 3
`
	if diff := cmp.Diff(mermaid, d.Mermaid()); diff != "" {
		t.Error(diff)
	}
	value := d.Value()
	const cell = `{"code":"EFFECT_FAILED","detail":"fast m","height":62,"id":"draft","kind":"agent","status":"failed","width":208,"x":132,"y":132}`
	if got := value.Get("cells").At(1).String(); got != cell {
		t.Errorf("the cell is %s", got)
	}
	const edge = `{"from":{"cell":"verdict","port":"out"},"guard":{"equals":"yes"},"to":{"cell":"keep","port":"data"}}`
	if got := value.Get("edges").At(2).String(); got != edge {
		t.Errorf("the edge is %s", got)
	}
	for _, want := range []string{
		`<title>Graph of the program Review (organism:review)</title>`,
		`<desc>5 cells, 4 edges. committed: source. skipped: verdict. failed: draft. not reached: note, keep.</desc>`,
		`>✗ failed: EFFECT_FAILED</text>`, `<title>draft.out → note.data, on fail</title>`, `>when = &quot;yes&quot;</text>`, `>on fail</text>`,
	} {
		if !strings.Contains(d.SVG(), want) {
			t.Errorf("the picture lacks %s:\n%s", want, d.SVG())
		}
	}
}

// TestEmbedded: an embedded program is a cell with its key and digest.
func TestEmbedded(t *testing.T) {
	store := cas.NewMemory()
	child, err := canon.Parse(`{"contract":"algal.organism.v1","key":"organism:child","name":"C","cells":[{"id":"c","kind":"const","outputs":{"v":{"type":"json","value":1}}}],`+
		`"interface":{"inputs":{},"outputs":{"v":{"cell":"c","port":"v"}}}}`, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := organism.ParseManifest(child)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := store.PutManifest(m.Normal())
	if err != nil {
		t.Fatal(err)
	}
	g := compiledOver(t, store, fmt.Sprintf(`{"contract":"algal.organism.v1","key":"organism:parent","name":"P","cells":[{"id":"o","kind":"organism","manifest":"%s"}]}`, digest))
	d := diagram.New(g, canon.Value{})
	if c := d.Cells[0]; c.Detail != "organism:child" || c.Child != digest {
		t.Errorf("the cell is %+v", c)
	}
	if !strings.Contains(d.SVG(), string(digest)) || strings.Count(d.SVG(), `<rect class="node"`) != 2 {
		t.Errorf("the picture is %s", d.SVG())
	}
	if !strings.Contains(d.Mermaid(), `c0[["o<br/>organism #183; organism#58;child"]]`) {
		t.Errorf("the text is %s", d.Mermaid())
	}
}

// TestNothing: a program without cells has a picture.
func TestNothing(t *testing.T) {
	d := diagram.New(compiled(t, `{"contract":"algal.organism.v1","key":"organism:none","name":"N","cells":[]}`), canon.Value{})
	if err := passive.CheckPicture(d.SVG()); err != nil || d.Width <= 0 || d.Height <= 0 {
		t.Errorf("%v: %s", err, d.SVG())
	}
}

// TestConditions: those of the lines into a cell stand above it, one over the other in
// the order of their arrival, and what there is no room for is counted.
func TestConditions(t *testing.T) {
	for n, want := range map[int][]string{
		1: {"when = &quot;0&quot;"},
		3: {"when = &quot;0&quot;", "when = &quot;1&quot;", "when = &quot;2&quot;"},
		5: {"when = &quot;1&quot;", "when = &quot;2&quot;", "and 3 more conditions"}, // the first cell moves to a row of its own, and its line comes last
	} {
		var cells, edges []string
		for i := range n {
			cells = append(cells, fmt.Sprintf(`{"id":"g%d","kind":"gate","prompt":"p","output":{"kind":"choice","labels":["%d"]}}`, i, i))
			edges = append(edges, fmt.Sprintf(`{"from":{"cell":"g%d","port":"out"},"to":{"cell":"all","port":"in"},"guard":{"equals":"%d"}}`, i, i))
		}
		cells = append(cells, `{"id":"all","kind":"agent","prompt":"p","output":{"kind":"text"},"inputs":{"in":{"type":"json","many":true,"optional":true}}}`)
		d := diagram.New(compiled(t, `{"contract":"algal.organism.v1","key":"organism:c","name":"C","cells":[`+strings.Join(cells, ",")+
			`],"edges":[`+strings.Join(edges, ",")+`]}`), canon.Value{})
		var got []string
		for _, m := range regexp.MustCompile(`class="label"[^>]*>([^<]*)<`).FindAllStringSubmatch(d.SVG(), -1) {
			got = append(got, m[1])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d conditions: %s", n, diff)
		}
	}
}
