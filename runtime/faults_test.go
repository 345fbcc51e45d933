package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/runtime"
)

// broken is a store that fails in the ways its members say; else it works.
type broken struct {
	cas.Store
	reads, writes, slots error
}

func (b broken) Value(d algal.Digest) (canon.Value, error) {
	if b.reads != nil {
		return canon.Value{}, b.reads
	}
	return b.Store.Value(d)
}

func (b broken) PutValue(v canon.Value) (algal.Digest, error) {
	if b.writes != nil {
		return "", b.writes
	}
	return b.Store.PutValue(v)
}

func (b broken) PutManifest(v canon.Value) (algal.Digest, error) {
	if b.writes != nil {
		return "", b.writes
	}
	return b.Store.PutManifest(v)
}

func (b broken) Slot(name string) (canon.Value, error) {
	if b.slots != nil {
		return canon.Value{}, b.slots
	}
	return b.Store.Slot(name)
}

func (b broken) SetSlot(name string, v canon.Value) error {
	if b.slots != nil {
		return b.slots
	}
	return b.Store.SetSlot(name, v)
}

// TestStoreFaults: a store that fails, rather than lacks something, is the failure
// of the cell that used it, with the store's code and text; a fail edge handles it
// (conformance S-9).
func TestStoreFaults(t *testing.T) {
	lost := algal.Errorf(algal.IOFailed, "store symlinks and unexpected file types are not admitted")
	ref := `"` + string(canon.Null().Digest()) + `"`
	for _, c := range []struct {
		name, cell, port, value string
		store                   broken
	}{
		{"input reference", `{"id":"c","kind":"input","outputs":{"out":"ref"}}`, "", `0`, broken{reads: lost}},
		{"const reference", `{"id":"c","kind":"const","outputs":{"out":{"type":"ref","value":` + ref + `}}}`, "", `0`, broken{reads: lost}},
		{"store", `{"id":"c","kind":"store"}`, "data", `1`, broken{writes: lost}},
		{"slot read", `{"id":"c","kind":"slot","mode":"read","name":"s","default":1}`, "", `0`, broken{slots: lost}},
		{"slot write", `{"id":"c","kind":"slot","mode":"write","name":"s"}`, "data", `1`, broken{slots: lost}},
		{"spawn", `{"id":"c","kind":"spawn"}`, "manifest", passing, broken{writes: lost}},
		{"local context", `{"id":"c",` + textAgent + `,"tools":["agent.context.local.v1"]}`, "", `0`, broken{writes: lost}},
	} {
		c.store.Store = cas.NewMemory()
		list := ""
		if c.port != "" {
			list = edges("v.v c." + c.port)
		}
		host := asks(answering(`"x"`))
		host.Store = c.store
		receipt := run(t, document(literal("v", c.value)+","+c.cell, list), `{"c":{"out":`+ref+`}}`, host)
		failed(t, c.name, receipt, lost.Code, lost.Message, "c")
	}
	// The reference of a load was resolvable when it was recalled, and is not now.
	hit := `{"hits":[{"id":` + ref + `,"source":"value:` + strings.Trim(ref, `"`) + `","seq":0,"score":1,"text":"t","ref":` + ref + `}]}`
	host := asks(answering(hit))
	host.Store = broken{Store: cas.NewMemory(), reads: lost}
	text := document(`{"id":"q","kind":"recall","query":`+program(`"x"`)+`},{"id":"l","kind":"load"},`+echo("h"), edges("q.ref l.ref", "l.data h.value "+onFail))
	same(t, "a fail edge", cell(run(t, text, `{}`, host), "h").Get("outputs").Get("value"), `{"code":"IO_FAILED","message":"`+lost.Message+`"}`)
}

// TestFuel: a program that burns its fuel is out of budget, wherever it stands (run.md
// §7.4, §7.9, §8.1). What is burned is charged.
func TestFuel(t *testing.T) {
	list := `["quote",[` + strings.TrimSuffix(strings.Repeat("0,", 100), ",") + `]]`
	burn := program(`["map",` + list + `,"x",["map",` + list + `,"y",["map",` + list + `,"z",1]]]`)
	for _, c := range []struct{ cell, what string }{
		{`{"id":"c","kind":"expr","inputs":{},"expr":` + burn + `,"output":{"kind":"text"}}`, "expr"},
		{`{"id":"c","kind":"recall","query":` + burn + `}`, "recall query"},
		{`{"id":"c","kind":"gate","prompt":"","output":{"kind":"choice","labelsExpr":` + burn + `}}`, "labelsExpr"},
	} {
		receipt := run(t, document(c.cell, ""), `{}`, runtime.Host{})
		failure := cell(receipt, "c").Get("failure")
		if !failure.Get("code").IsText(string(algal.BudgetExhausted)) || !strings.HasPrefix(failure.Get("message").Text(), c.what+` {"code":"EXPR_FUEL","cost":`) {
			t.Errorf("%s: %s", c.what, failure)
		}
		if work := cell(receipt, "c").Get("work").Float(); work < 99_000 || work > 100_100 {
			t.Errorf("%s: work %v", c.what, work)
		}
	}
}

// TestRecallHits holds the hit rules of §7.9.
func TestRecallHits(t *testing.T) {
	id := `"` + string(canon.Null().Digest()) + `"`
	named := strings.Trim(id, `"`)
	hit := func(more string) string {
		return `{"id":` + id + `,"score":-0.5,"seq":65535,"source":"note","text":"t"` + more + `}`
	}
	for _, c := range []struct{ hit, want string }{
		{hit(``), ``},
		{hit(`,"source":"value:` + named + `","ref":` + id), ``},
		{hit(`,"source":"value:` + named[len("sha256:"):] + `","ref":` + id), ``},
		{hit(`,"source":"` + strings.Repeat("s", 512) + `","text":"` + strings.Repeat("é", 1024) + `"`), ``},
		{hit(`,"ref":` + id), "is invalid"}, // of a source that names no value
		{hit(`,"source":"value:` + named + `","ref":"x"`), "is invalid"},
		{hit(`,"source":"value:` + string(canon.Int(1).Digest()) + `","ref":` + id), "is invalid"},
		{hit(`,"source":"` + strings.Repeat("s", 513) + `"`), "is invalid"},
		{hit(`,"text":"` + strings.Repeat("é", 1024) + `x"`), "is invalid"},
		{hit(`,"seq":65536`), "is invalid"},
		{hit(`,"seq":0.5`), "is invalid"},
		{hit(`,"seq":-1`), "is invalid"},
		{hit(`,"score":"1"`), "is invalid"},
		{hit(`,"id":"x"`), "is invalid"},
		{hit(`,"other":1`), "has an unknown key"},
		{`[]`, "must be an object"},
	} {
		text := document(`{"id":"q","kind":"recall","query":`+program(`"x"`)+`}`, "")
		receipt := run(t, text, `{}`, asks(answering(`{"hits":[`+hit(``)+`,`+c.hit+`]}`)))
		if c.want == "" {
			same(t, c.hit, receipt.Get("outcome"), `"complete"`)
			continue
		}
		failed(t, c.hit, receipt, algal.EffectUnparseable, "recall output hits[1] "+c.want, "q")
	}
}

// TestRerank: the order of §7.9 step 5, ties by index, and the bounds of its context.
func TestRerank(t *testing.T) {
	hit := func(text string) string {
		return fmt.Sprintf(`{"id":"%s","score":1,"seq":0,"source":"s","text":"%s"}`, canon.String(text).Digest(), text)
	}
	cellText := `{"id":"q","kind":"recall","query":` + program(`"x"`) + `,"rerank":{"route":{"provider":"judge"},"take":3}}`
	hits := `{"hits":[` + hit("a") + `,` + hit("b") + `,` + hit("c") + `,` + hit("d") + `]}`
	scores := `{"answers":{"hit_0":{"noul":0.1},"hit_1":{"noul":0.7},"hit_2":{"noul":0.7},"hit_3":{"noul":0.9}}}`
	judge := named("judge", false, runtime.EffectDecide)
	judge.answers = []reply{{output: scores}}
	receipt := run(t, document(cellText, ""), `{}`, asks(answering(hits), judge))
	var order string
	for _, h := range cell(receipt, "q").Get("outputs").Get("out").Get("hits").Elements() {
		order += h.Get("text").Text()
	}
	if order != "dbc" {
		t.Errorf("order %s", order)
	}
	same(t, "the effect is the second", cell(receipt, "q").Get("effectDigest"), `"`+string(judge.asked[0].Digest)+`"`)

	tight := document(strings.Replace(cellText, `"rerank"`, `"budget":{"maxContextBytes":100},"rerank"`, 1), "")
	failed(t, "context", run(t, tight, `{}`, asks(answering(hits), judge)), algal.BudgetExhausted,
		fmt.Sprintf("recall rerank context %dB exceeds maxContextBytes 100B", len(hits)+len(`,"query":"x"`)), "q")
	one := run(t, document(cellText, ""), `{}`, asks(answering(`{"hits":[`+hit("a")+`]}`), judge))
	if len(judge.asked) != 1 {
		t.Errorf("one hit is reranked: %s", one)
	}
}
