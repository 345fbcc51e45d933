package verify_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/verify"
)

// document is an evidence document being changed. While it is edited, records,
// receipts and manifests keep the digests of the base as their keys, so that a
// path stays good; rebind then names everything by what it has become.
type document struct {
	t     testing.TB
	value canon.Value
	chain []string // keys of the records from generation 0 to the head
}

// The bases of conformance.md §11.3.
var (
	all          = []string{"complete", "failed-miss", "suspended", "uncertain", "value-dep"}
	butUncertain = []string{"complete", "failed-miss", "suspended", "value-dep"}
	completed    = []string{"complete", "value-dep"}
	suspending   = []string{"suspended", "uncertain"}
)

// base reads one of the golden documents.
func base(t testing.TB, name string) *document {
	t.Helper()
	d := &document{t: t, value: goldenrun.Parse(t, "evidence/"+name+".evidence.json")}
	d.readChain()
	return d
}

// readChain notes the keys of the history.
func (d *document) readChain() {
	for key := d.value.Get("head").Text(); key != ""; key = d.get("records", key, "previous").Text() {
		d.chain = append(d.chain, key)
	}
	slices.Reverse(d.chain)
}

func (d *document) get(path ...string) canon.Value {
	v := d.value
	for _, step := range path {
		if v.Is(canon.KindArray) {
			v = v.At(d.index(step))
		} else {
			v = v.Get(step)
		}
	}
	return v
}

// index reads a step into an array.
func (d *document) index(step string) int {
	d.t.Helper()
	i, err := strconv.Atoi(step)
	if err != nil {
		d.t.Fatal(err)
	}
	return i
}

// set puts the value that a JSON text stands for where path points.
func (d *document) set(text string, path ...string) {
	d.t.Helper()
	d.put(d.parse(text), path...)
}

func (d *document) parse(text string) canon.Value {
	d.t.Helper()
	return goldenrun.ParseText(d.t, "edit", text)
}

// put is set for a value; an absent one removes what is there.
func (d *document) put(v canon.Value, path ...string) {
	d.t.Helper()
	d.value = d.replace(d.value, v, path)
}

func (d *document) remove(path ...string) { d.put(canon.Value{}, path...) }

func (d *document) replace(at, v canon.Value, path []string) canon.Value {
	if len(path) == 0 {
		return v
	}
	if !at.Is(canon.KindArray) {
		if inner := d.replace(at.Get(path[0]), v, path[1:]); inner.Exists() {
			return at.With(canon.M(path[0], inner))
		}
		return at.Without(path[0])
	}
	elements, i := []canon.Value{}, d.index(path[0])
	for j, e := range at.Elements() {
		if j == i {
			e = d.replace(e, v, path[1:])
		}
		if e.Exists() {
			elements = append(elements, e)
		}
	}
	return canon.Array(elements...)
}

// append puts v at the end of an array.
func (d *document) append(v canon.Value, path ...string) {
	var elements []canon.Value
	for _, e := range d.get(path...).Elements() {
		elements = append(elements, e)
	}
	d.put(canon.Array(append(elements, v)...), path...)
}

// head, record, receipt and cell are paths into the head record, into the n-th
// record of the chain, into the receipt and into the receipt's first cell.
func (d *document) head(path ...string) []string { return d.record(len(d.chain)-1, path...) }

func (d *document) record(n int, path ...string) []string {
	return append([]string{"records", d.chain[n]}, path...)
}

func (d *document) receipt(path ...string) []string {
	return append([]string{"receipts", d.value.Get("receipts").Key(0)}, path...)
}

func (d *document) cell(path ...string) []string {
	first := d.get(d.receipt("cells")...).Key(0)
	return append(d.receipt("cells", first), path...)
}

func (d *document) manifest(path ...string) []string {
	return append([]string{"program", "manifests", d.value.Get("program").Get("root").Text()}, path...)
}

// rebind recomputes every digest that depends on what was changed: those of
// manifests with the records that name them (and the receipts, where they follow),
// of receipts, and along the chain from generation 0 to the head.
func (d *document) rebind(receiptsFollow bool) {
	manifests := d.rekey([]string{"program", "manifests"}, d.keys("program", "manifests"), nil)
	d.follow(manifests, "program", "root")
	for _, key := range d.keys("records") {
		d.follow(manifests, "records", key, "manifestDigest")
	}
	receipts := d.keys("receipts")
	for _, key := range receipts {
		if receiptsFollow {
			d.follow(manifests, "receipts", key, "manifestDigest")
		}
		d.put(canon.String(string(d.get("receipts", key).DigestWithout("digest"))), "receipts", key, "digest")
	}
	renamed := d.rekey([]string{"receipts"}, receipts, nil)
	records := slices.Clone(d.chain)
	for _, key := range d.keys("records") {
		if !slices.Contains(records, key) {
			records = append(records, key)
		}
	}
	links := d.rekey([]string{"records"}, records, func(key string, links map[string]string) {
		d.follow(renamed, "records", key, "receipt")
		d.follow(links, "records", key, "previous")
	})
	d.follow(links, "head")
	for n, key := range d.chain {
		d.chain[n] = links[key]
	}
}

func (d *document) keys(path ...string) []string {
	var keys []string
	for key := range d.get(path...).Members() {
		keys = append(keys, key)
	}
	return keys
}

// rekey moves the entries of a map to their digests and tells old keys' new ones.
// before, if any, is called for each entry with what was moved so far.
func (d *document) rekey(path, keys []string, before func(string, map[string]string)) map[string]string {
	moved := map[string]string{}
	for _, key := range keys {
		if !d.get(append(path, key)...).Exists() {
			continue
		}
		if before != nil {
			before(key, moved)
		}
		v := d.get(append(path, key)...)
		moved[key] = string(v.Digest())
		d.remove(append(path, key)...)
		d.put(v, append(path, moved[key])...)
	}
	return moved
}

// follow changes a digest that was moved.
func (d *document) follow(moved map[string]string, path ...string) {
	if to, ok := moved[d.get(path...).Text()]; ok {
		d.put(canon.String(to), path...)
	}
}

// verdict parses and verifies the document.
func (d *document) verdict() (*verify.Report, error) { return verifyText(d.value.String()) }

func verifyText(text string) (*verify.Report, error) {
	e, err := verify.Parse(text)
	if err != nil {
		return nil, err
	}
	return e.Verify(context.Background())
}

// foreign is a digest of nothing in the bases.
const foreign = "sha256:ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

// quoted is a JSON string.
func quoted(s string) string { return canon.String(s).String() }

// mode says which digests follow a change.
type mode int

const (
	rebound   mode = iota // all that depend on it
	following             // receipts follow a changed manifest too
	raw                   // none
)

// mutant is a row of the tables of conformance.md §11.4 to §11.6.
type mutant struct {
	id    string
	bases []string
	mode  mode
	edit  func(d *document)
	code  algal.Code   // "": it verifies
	stage verify.Stage // where it is refused
	text  string       // a part of the message
}

// run makes the mutant of each base and holds the verdict to the row.
func (m mutant) run(t *testing.T) {
	for _, name := range m.bases {
		t.Run(m.id+"/"+name, func(t *testing.T) {
			d := base(t, name)
			before := d.value
			m.edit(d)
			if m.mode != raw {
				d.rebind(m.mode == following)
			}
			if canon.Equal(before, d.value) {
				t.Fatal("nothing was changed")
			}
			report, err := d.verdict()
			if m.code == "" {
				if err != nil || !report.Value().Get("ok").Bool() {
					t.Errorf("refused: %v", err)
				}
				return
			}
			checkRefusal(t, err, m.code, m.stage, m.text)
		})
	}
}

func checkRefusal(t *testing.T, err error, code algal.Code, stage verify.Stage, text string) {
	t.Helper()
	var refusal *verify.Refusal
	if !errors.As(err, &refusal) {
		t.Errorf("%v, want %s at %s", err, code, stage)
		return
	}
	if refusal.Err.Code != code || refusal.Stage != stage || !strings.Contains(refusal.Err.Message, text) {
		t.Errorf("%s at %s: %v; want %s at %s: %s", refusal.Err.Code, refusal.Stage, err, code, stage, text)
	}
}

// TestEditor: the bases verify, and naming everything anew changes nothing.
func TestEditor(t *testing.T) {
	for _, name := range all {
		d := base(t, name)
		before := d.value.String()
		d.rebind(true)
		if d.value.String() != before {
			t.Errorf("%s: rebinding changed\n%s\nto\n%s", name, before, d.value)
		}
		if _, err := d.verdict(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
