package schemas_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Sizes at, just below and just above every bound of the contracts that have a reader.
var (
	integers = []int{
		-1, 0, 1, 2, 8, 9, 16, 17, 32, 33, 63, 64, 65, 100, 256, 257, 1024, 1025, 65535, 65536, 262144, 262145, 600000, 600001,
		1000000, 1000001, 100000000, 100000001, 1<<53 - 1, 1 << 53,
	}
	lengths = []int{
		0, 1, 32, 33, 63, 64, 65, 71, 72, 73, 100, 101, 120, 121, 128, 129, 256, 257, 512, 513, 2000, 2001, 2048, 2049, 4096, 4097, 8192, 8193,
	}
	// words are those of the closed lists of the contracts.
	words = append(codes(), []string{
		"input", "const", "fn", "expr", "tool", "agent", "classifier", "gate", "decide", "recall", "organism", "repeat", "each", "store",
		"load", "spawn", "slot", // organism.md §7
		"text", "json", "choice", "ref", "cap", "noul", "score", "read", "write", "fail", "elide", "local", "gateway", "gateway:", "gateway:x", "*",
		"object", "array", "string", "number", "integer", "boolean", "null", "digest", "name", "slug", "uri", // organism.md §5
		"complete", "failed", "stuck", "suspended", "committed", "skipped", "ready", "uncertain", "start", "manual", // run.md §11, process.md §2
		"run.start", "cell.commit", "cell.skip", "cell.fail", "cell.suspend", "effect", "run.end", // run.md §3.1
		"identical", "diverged", "could-not-replay", "cell", "effects", "outcome", "work", "failure", // run.md §15
		"manifest-invalid", "missing-input", "missing-effect",
	}...)
	counts = []int{0, 1, 2, 7, 8, 16, 17, 32, 33, 64, 65, 256, 257, 512, 513}
)

func codes() []string {
	var all []string
	for _, code := range algal.Codes() {
		all = append(all, string(code))
	}
	return all
}

// TestBounds gives integers, strings, lists and maps these sizes and words, one at a
// time, and holds the schema against the reader: both accept or both refuse.
func TestBounds(t *testing.T) {
	found := documents(t)
	for _, kind := range slices.Sorted(maps.Keys(readers)) {
		t.Run(kind, func(t *testing.T) { sizeKind(t, kind, found[kind]) })
	}
}

func sizeKind(t testing.TB, kind string, found []document) {
	b := &bounds{mutator: mutator{t: t, kind: kind, schema: schema(t, kind), seen: map[string]bool{}}}
	for _, d := range bySize(found) {
		b.root, b.from = d.value, d.from
		if b.schema.Validate(b.root) == nil {
			b.visit([]string{tag("", nil, b.root)}, b.root, func(v any) { b.root = v })
		}
	}
	if b.accepted == 0 || b.refused == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d accepted by both, %d refused by both", b.accepted, b.refused)
}

// TestBoundsWithoutReader does the same where the reader is not a pure function: the
// bounds stand here as the specification gives them.
func TestBoundsWithoutReader(t *testing.T) {
	found := documents(t)
	for _, c := range []struct {
		kind, member string
		least, most  int // of an integer, or of the size of a string, list or map
		section      string
	}{
		{"process-journal", "maxEntries", 1, 4096, "journal.md §2.1"},
		{"process-journal", "maxRecoveries", 1, 8, "journal.md §2.1"},
		{"effect-record", "ordinal", 0, 4095, "journal.md §2.3"},
		{"effect-record", "attempt", 0, 8, "journal.md §2.3"},
		{"effect-record", "executor", 0, 256, "journal.md §2.3"},
		{"recovery-attempt", "attempt", 1, 8, "journal.md §2.4"},
		{"mailbox", "maxMessages", 1, 1024, "mailbox.md §1"},
		{"mailbox", "maxMessageBytes", 1, 250_000, "mailbox.md §1"},
		{"mailbox", "name", 1, 64, "mailbox.md §1"},
		{"capability", "nonce", 0, 128, "mailbox.md §3.2"},
		{"message-claim", "mailbox", 1, 64, "mailbox.md §1"},
		{"message-envelope", "mailbox", 1, 64, "mailbox.md §1"},
		{"process-head", "name", 1, 64, "process.md §2.1"},
		{"process-creation", "name", 1, 64, "process.md §2.1"},
		{"evidence-report", "generations", 0, 64, "process.md §3"},
		{"evidence-report", "receipts", 0, 64, "evidence.md §2"},
		{"run-receipt", "cells", 0, 65_536, "run.md §12 step 4"},
		{"run-receipt", "effects", 0, 16_448, "run.md §12 step 5"},
		{"run-receipt", "events", 0, 4096, "run.md §12 step 6"},
		{"process-evidence", "records", 1, 129, "evidence.md §1"},
		{"process-evidence", "receipts", 0, 64, "evidence.md §1"},
		{"process-evidence", "tools", 0, 64, "evidence.md §1"},
		{"process-evidence", "missing/values", 0, 512, "evidence.md §1"},
		{"effect-request", "cellId", 1, 64, "canonical.md §5"},
		{"effect-request", "budget/maxContextBytes", 1, 262_144, "organism.md §2"},
		{"effect-request", "budget/maxOutputBytes", 1, 262_144, "organism.md §2"},
		{"effect-request", "context/turn", 0, 15, "organism.md §2"},
		{"effect-request", "context/note", 0, 2000, "organism.md §2"},
		{"effect-request", "context/inputs", 0, 32, "organism.md §2"},
		{"effect-request", "context/cells", 1, 16, "organism.md §2"},
		{"effect-request", "context/graph/edges", 0, 256, "organism.md §2"},
		{"effect-request", "context/query", 1, 4096, "organism.md §2"},
		{"effect-request", "context/hits", 2, 32, "run.md §7.9"},
		{"effect-request", "output/labels", 1, 32, "organism.md §2"},
		{"effect-request", "recall/query", 1, 4096, "organism.md §2"},
		{"effect-request", "recall/k", 1, 32, "organism.md §2"},
		{"effect-answer#hits", "hits", 0, 32, "organism.md §2"},
		{"effect-answer#hit", "seq", 0, 65_535, "run.md §7.9"},
		{"effect-answer#hit", "source", 0, 512, "run.md §7.9"},
		{"effect-answer#hit", "text", 0, 2048, "run.md §7.9"},
		{"expr-request#eval", "fuel", 0, 1_000_000, "expr.md §6"},
		{"expr-request#eval", "env", 0, 256, "expr.md §6"},
		{"expr-response#fuelError", "left", 0, 1_000_000, "expr.md §6"},
		{"expr-response", "fuel", 0, 1_000_000, "expr.md §12.1"},
	} {
		document, object, key := holding(t, found[c.kind], c.member)
		own := object[key]
		for size, want := range map[int]bool{c.least - 1: false, c.least: true, c.most: true, c.most + 1: false} {
			switch own := own.(type) {
			case string:
				object[key] = strings.Repeat("a", max(0, size))
			case []any:
				object[key] = elements(own, max(0, size))
			case map[string]any:
				object[key] = entriesLike(own, max(0, size))
			default:
				object[key] = json.Number(strconv.Itoa(size))
			}
			if _, number := own.(json.Number); size < 0 && !number {
				continue
			}
			if got := schema(t, c.kind).Validate(document) == nil; got != want {
				t.Errorf("%s.%s of %d: accepted %v, by %s %v", c.kind, c.member, size, got, c.section, want)
			}
		}
	}
}

// holding returns a copy of the first document with a member that is not empty, given
// by the names that lead to it, and the object in the copy that has it under key.
func holding(t testing.TB, found []document, member string) (root any, object map[string]any, key string) {
	t.Helper()
	for _, d := range found {
		root = parse(t, d.from, render(t, d.value))
		steps := strings.Split(member, "/")
		v := root
		for _, step := range steps[:len(steps)-1] {
			v = at(v, step)
		}
		key = steps[len(steps)-1]
		if own := at(v, key); own != nil && emptiness(own) == "" {
			return root, v.(map[string]any), key
		}
	}
	t.Fatalf("no golden document has %s", member)
	return nil, nil, ""
}

type bounds struct {
	mutator
	accepted, refused int
}

func (b *bounds) visit(path []string, v any, set func(any)) {
	if b.allows(path, anything) {
		return
	}
	if shape := b.shape(path, v); b.isNew(shape) {
		b.seen[shape] = true
		for _, sized := range b.sized(path, v) {
			set(sized)
			b.compare(path, sized)
		}
		set(v)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range members(v) {
			b.visit(b.below(path, v, key), v[key], func(n any) { v[key] = n })
		}
	case []any:
		for i, e := range v {
			b.visit(append(slices.Clone(path), tag("*", v, e)), e, func(n any) { v[i] = n })
		}
	}
}

// sized returns values of the type of v in every size.
func (b *bounds) sized(path []string, v any) []any {
	var all []any
	switch v := v.(type) {
	case json.Number:
		for _, n := range integers {
			all = append(all, json.Number(strconv.Itoa(n)))
		}
	case string:
		for _, n := range lengths {
			all = append(all, strings.Repeat("a", n))
		}
		all = append(all, formless)
		if slices.Contains(words, v) {
			for _, word := range words {
				all = append(all, word)
			}
		}
	case []any:
		for _, n := range counts {
			all = append(all, elements(v, n))
		}
	case map[string]any:
		if !b.allows(path, entries) {
			break
		}
		for _, n := range counts {
			all = append(all, entriesLike(v, n))
		}
		for _, n := range lengths {
			for _, key := range members(v)[:min(1, len(v))] {
				all = append(all, map[string]any{strings.Repeat("a", n): v[key]})
			}
		}
	}
	return all
}

// elements returns a list of n elements like those of a list.
func elements(list []any, n int) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = another(list, i)
	}
	return all
}

// entriesLike returns a map of n entries like the first of a map, none where it is
// empty.
func entriesLike(m map[string]any, n int) map[string]any {
	all := make(map[string]any, n)
	for _, key := range members(m)[:min(1, len(m))] {
		for i := range n {
			all[anotherKey(key, i)] = m[key]
		}
	}
	return all
}

// another returns an element like those of a list, a different one if it can.
func another(list []any, i int) any {
	if len(list) == 0 {
		return json.Number(strconv.Itoa(i))
	}
	if s, is := list[0].(string); is {
		return anotherKey(s, i)
	}
	if m, is := list[0].(map[string]any); is && m["path"] != nil {
		m = maps.Clone(m)
		m["path"] = anotherKey("", i)
		return m
	}
	return list[0]
}

// anotherKey returns a name like key: a digest, a handle, or an id.
func anotherKey(key string, i int) string {
	if at := strings.Index(key, "sha256:"); at >= 0 {
		return key[:at] + "sha256:" + fmt.Sprintf("%064x", i)
	}
	return fmt.Sprintf("k%04d", i)
}

// unsaidSize are parts of the messages of what else a size breaks that a schema cannot
// say.
var unsaidSize = slices.Concat(unsaid, unsaidDeclaration, []string{
	"process generation exceeds limit", "an identical comparison cannot differ", "a diverged comparison needs a difference",
})

func (b *bounds) compare(path []string, sized any) {
	accepted := b.schema.Validate(b.root) == nil
	v, err := canon.Parse(render(b.t, b.root), canon.Limits{})
	if err != nil {
		b.t.Fatal(err)
	}
	err = readers[b.kind](v)
	switch {
	case accepted && err == nil:
		b.accepted++
	case !accepted && err != nil:
		b.refused++
	case err == nil && admits(b.t, b.kind, path, b.root):
		b.t.Errorf("%s: %q is refused with %.80v, and the reader admits it", b.from, strings.Join(path, "/"), sized)
	case err != nil && !slices.ContainsFunc(unsaidSize, func(part string) bool { return strings.Contains(err.Error(), part) }):
		b.t.Errorf("%s: %q is accepted with %.80v, and the reader says %v", b.from, strings.Join(path, "/"), sized, err)
	}
}
