package replay_test

import (
	"context"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// verify verifies a case's receipt over a fresh store that holds what the case's
// store held.
func verify(t testing.TB, c *goldenrun.Case, receipt canon.Value) (replay.Report, error) {
	t.Helper()
	store := cas.NewMemory()
	c.Fill(t, store)
	store = damage(store, c.Record.Get("files"))
	m, err := organism.ParseManifest(c.Manifest)
	if err != nil {
		return replay.Report{}, err
	}
	host := runtime.Host{Store: store, Tools: c.Signatures(t), Transports: c.Transports}
	return replay.Verify(context.Background(), receipt, m, host)
}

func TestGoldenReceipts(t *testing.T) {
	n := 0
	for _, c := range goldenrun.Receipts(t) {
		if !c.Receipt.Exists() {
			continue // case 38, see TestEventCap
		}
		report, err := verify(t, &c, c.Receipt)
		want := c.Record.Get("verify")
		if err != nil || !canon.Equal(report.Value().Without("outcome"), want) || report.Outcome != c.Record.Get("outcome").Text() {
			t.Errorf("%s: %s, %v; want %s", c.Name, report.Value(), err, want)
		}
		n++
	}
	if n == 0 {
		t.Fatal("no receipts")
	}
	t.Logf("%d receipts give the recorded report", n)
}

func TestGoldenFailures(t *testing.T) {
	n := 0
	for _, c := range goldenrun.Failures(t) {
		if !c.Receipt.Exists() {
			continue
		}
		report, err := verify(t, &c, c.Receipt)
		if refused := c.Record.Get("receiptParse"); refused.Exists() {
			if e := algal.AsError(err); e == nil || string(e.Code) != refused.Get("code").Text() || e.Message != refused.Get("message").Text() {
				t.Errorf("%s: %v, want %s", c.Name, err, refused)
			}
		} else if err != nil || report.OK != c.Record.Get("verifyOk").Bool() {
			t.Errorf("%s: %s, %v; want %s", c.Name, report.Value(), err, c.Record.Get("verifyOk"))
		}
		n++
	}
	if n == 0 {
		t.Fatal("no receipts")
	}
	t.Logf("%d receipts of failing runs", n)
}

func TestGoldenExamples(t *testing.T) {
	golden.NeedShared(t)
	cases := goldenrun.Examples(t)
	for _, c := range cases {
		report, err := verify(t, &c, c.Receipt)
		if err != nil || report.OK != c.Record.Get("verifyOk").Bool() || report.Outcome != c.Record.Get("outcome").Text() {
			t.Errorf("%s: %s, %v", c.Name, report.Value(), err)
		}
	}
	t.Logf("%d example receipts", len(cases))
}

func TestRandomRuns(t *testing.T) {
	var verified, selfFalse, refused int
	for _, c := range goldenrun.Random(t) {
		if !c.Receipt.Exists() {
			err := run(t, &c)
			want := c.Record.Get("error")
			if e := algal.AsError(err); e == nil || string(e.Code) != want.Get("code").Text() || e.Message != want.Get("message").Text() {
				t.Errorf("%s: %v, want %s", c.Name, err, want)
			}
			refused++
			continue
		}
		report, err := verify(t, &c, c.Receipt)
		if want := c.Record.Get("selfVerify"); err != nil || report.OK != want.Bool() {
			t.Errorf("%s: %s, %v; want %s", c.Name, report.Value(), err, want)
		}
		if report.OK {
			verified++
		} else {
			selfFalse++
		}
	}
	if verified == 0 || selfFalse == 0 || refused == 0 {
		t.Fatal("no runs")
	}
	t.Logf("%d runs verify, %d do not as recorded, %d were refused before they started", verified, selfFalse, refused)
}

// run starts a case's run from the authored manifest.
func run(t testing.TB, c *goldenrun.Case) error {
	t.Helper()
	store := cas.NewMemory()
	c.Fill(t, store)
	m, err := organism.ParseManifest(c.Manifest)
	if err == nil {
		_, err = runtime.Run(context.Background(), m, c.Args, runtime.Host{Store: store, Tools: c.Signatures(t)}, nil)
	}
	return err
}

// TestForgedReceipts edits golden receipts and expects exactly the recorded
// report, or the recorded refusal.
func TestForgedReceipts(t *testing.T) {
	cases := map[string]goldenrun.Case{}
	for _, c := range goldenrun.Receipts(t) {
		cases[c.Name] = c
	}
	forged := goldenrun.Parse(t, "receipts/tampered.json").Get("cases")
	for _, f := range forged.Elements() {
		c := cases[f.Get("base").Text()]
		note := c.Name + ": " + f.Get("note").Text()
		receipt := c.Receipt
		for _, e := range f.Get("edits").Elements() {
			receipt = edit(receipt, e.Get("path"), 0, e)
		}
		if f.Get("redigest").Bool() {
			receipt = receipt.With(canon.M("digest", canon.String(string(receipt.Without("digest").Digest()))))
		}
		if want := f.Get("error").Get("code"); want.IsText(string(algal.ToolUnknown)) {
			c.Tools = canon.Value{} // these were verified without the host's tools
		}
		report, err := verify(t, &c, receipt)
		if want := f.Get("error"); want.Exists() {
			if e := algal.AsError(err); e == nil || string(e.Code) != want.Get("code").Text() || e.Message != want.Get("message").Text() {
				t.Errorf("%s: %v, want %s", note, err, want)
			}
		} else if err != nil || !canon.Equal(report.Value(), f.Get("report")) {
			t.Errorf("%s:\n got %s, %v\nwant %s", note, report.Value(), err, f.Get("report"))
		}
	}
	if forged.Len() == 0 {
		t.Fatal("no forged receipts")
	}
	t.Logf("%d forged receipts", forged.Len())
}

// edit sets or removes what path names, from its step at on.
func edit(v, path canon.Value, at int, e canon.Value) canon.Value {
	if at == path.Len() {
		return e.Get("value")
	}
	if v.Is(canon.KindArray) {
		var elements []canon.Value
		for i, element := range v.Elements() {
			if i == int(path.At(at).Float()) {
				element = edit(element, path, at+1, e)
			}
			if element.Exists() {
				elements = append(elements, element)
			}
		}
		return canon.Array(elements...)
	}
	key := path.At(at).Text()
	if changed := edit(v.Get(key), path, at+1, e); changed.Exists() {
		return v.With(canon.M(key, changed))
	}
	return v.Without(key)
}

func TestGoldenComparisons(t *testing.T) {
	cases := map[string]goldenrun.Case{}
	for _, c := range goldenrun.Receipts(t) {
		cases["../receipts/"+c.Name] = c
	}
	index := goldenrun.Parse(t, "replay-comparison/index.json").Get("cases")
	for _, entry := range index.Elements() {
		name := entry.Get("name").Text()
		c := cases[entry.Get("modulesFrom").Text()]
		read := func(key string) canon.Value {
			if file := entry.Get(key); file.Is(canon.KindString) {
				return goldenrun.Parse(t, "replay-comparison/"+file.Text())
			}
			return canon.Value{}
		}
		store := cas.NewMemory()
		c.Fill(t, store)
		host := runtime.Host{Store: store, Tools: c.Signatures(t), Transports: c.Transports}
		if entry.Get("tools").IsText("none") {
			host.Tools = nil
		}
		got, err := replay.Compare(context.Background(), c.Receipt, read("revision"), read("args"), host)
		if want := read("comparison"); err != nil || got.Record.String() != want.String() {
			t.Errorf("%s:\n got %s, %v\nwant %s", name, got.Record, err, want)
			continue
		}
		if digest := entry.Get("digest").Text(); string(got.Record.Digest()) != digest {
			t.Errorf("%s: digest %s, want %s", name, got.Record.Digest(), digest)
		}
		if want := read("revisedReceipt"); want.Exists() && !canon.Equal(want, got.Revised) {
			t.Errorf("%s: revised receipt\n got %s\nwant %s", name, got.Revised, want)
		}
		if err := replay.ParseComparison(got.Record); err != nil {
			t.Errorf("%s: the record is not admitted: %v", name, err)
		}
	}
	if index.Len() == 0 {
		t.Fatal("no comparisons")
	}
	t.Logf("%d comparisons are byte-identical", index.Len())
}
