package runtime

import (
	"strings"
	"unicode/utf8"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Bounds of a query of the local context (run.md §9.6), inclusive.
const (
	maxQueryBytes       = 8192
	maxQueryDepth       = 2
	maxQueryNodes       = 16
	maxQueryEntries     = 8
	maxQueryStringBytes = 4096
	maxContextRead      = 4096 // bytes of a read or slice
	maxContextMatches   = 16
)

// query answers one query. Results name entries by index.
func (l *localContext) query(q canon.Value) (canon.Value, error) {
	if err := admitQuery(q); err != nil {
		return canon.Value{}, err
	}
	op := q.Get("op").Text()
	members, known := queryMembers[op]
	if !known {
		return canon.Value{}, algal.Errorf(algal.ParseFailed, "context operation must be inspect, read, slice, or search")
	}
	if err := canon.NoUnknownKeys(q.Sorted(), "context "+op, members...); err != nil {
		return canon.Value{}, err
	}
	switch op {
	case "inspect":
		return l.inspect(q)
	case "read":
		return l.read(q)
	case "slice":
		return l.slice(q)
	}
	return l.search(q)
}

var queryMembers = map[string][]string{
	"inspect": {"op", "offset", "limit"},
	"read":    {"op", "index"},
	"slice":   {"op", "index", "startByte", "endByte"},
	"search":  {"op", "query", "maxResults", "maxScanBytes"},
}

// admitQuery bounds the query before it is looked at.
func admitQuery(q canon.Value) error {
	if !q.Is(canon.KindObject) {
		return algal.Errorf(algal.ParseFailed, "agent context query must be an object")
	}
	fault := ""
	switch {
	case q.Size() > maxQueryBytes:
		fault = "exceeds 8192 JSON bytes"
	case q.Nodes() > maxQueryNodes:
		fault = "exceeds 16 JSON nodes"
	case q.Depth() > maxQueryDepth:
		fault = "exceeds nesting depth 2"
	default:
		fault = queryFault(q)
	}
	if fault != "" {
		return algal.Errorf(algal.BudgetExhausted, "agent context query: %s", fault)
	}
	return nil
}

// queryFault names the first container or string of a query that is too large.
func queryFault(v canon.Value) string {
	switch v.Kind() {
	case canon.KindString:
		if len(v.Text()) > maxQueryStringBytes {
			return "string exceeds 4096 bytes"
		}
	case canon.KindArray:
		if v.Len() > maxQueryEntries {
			return "array exceeds 8 entries"
		}
		for _, e := range v.Elements() {
			if fault := queryFault(e); fault != "" {
				return fault
			}
		}
	case canon.KindObject:
		if v.Len() > maxQueryEntries {
			return "object exceeds 8 entries"
		}
		for key, m := range v.CanonicalMembers() {
			if len(key) > maxQueryStringBytes {
				return "key exceeds 4096 bytes"
			}
			if fault := queryFault(m); fault != "" {
				return fault
			}
		}
	}
	return ""
}

// integer reads a member in [lo, hi], or gives otherwise where it may be absent.
func integer(q canon.Value, key, label string, lo, hi, otherwise int) (int, error) {
	v := q.Get(key)
	if !v.Exists() && otherwise >= 0 {
		return otherwise, nil
	}
	return canon.AsInt(v, label, lo, hi)
}

// required marks an integer without a default.
const required = -1

func queryIndex(q canon.Value) (int, error) {
	return integer(q, "index", "context index", 0, maxContextEntries-1, required)
}

func (l *localContext) entry(i int) (*contextEntry, error) {
	if i >= len(l.entries) {
		return nil, algal.Errorf(algal.CapabilityDenied, "agent context scope does not authorize this operation")
	}
	return &l.entries[i], nil
}

func (l *localContext) inspect(q canon.Value) (canon.Value, error) {
	offset, err := integer(q, "offset", "context offset", 0, maxContextEntries, 0)
	if err != nil {
		return canon.Value{}, err
	}
	limit, err := integer(q, "limit", "context limit", 1, 64, 16)
	if err != nil {
		return canon.Value{}, err
	}
	from := min(offset, len(l.entries))
	to := min(from+limit, len(l.entries))
	rows := make([]canon.Value, 0, to-from)
	for i, e := range l.entries[from:to] {
		rows = append(rows, canon.Object(
			canon.M("bytes", canon.Int(len(e.text))),
			canon.M("digest", canon.String(string(e.digest))),
			canon.M("index", canon.Int(from+i)),
			canon.M("kind", canon.String(e.kind)),
			canon.M("label", canon.String(e.label)),
		))
	}
	next := canon.Null()
	if to < len(l.entries) {
		next = canon.Int(to)
	}
	return canon.Object(
		canon.M("entries", canon.Array(rows...)),
		canon.M("nextOffset", next),
		canon.M("offset", canon.Int(offset)),
		canon.M("snapshot", canon.String(string(l.snapshot))),
		canon.M("totalEntries", canon.Int(len(l.entries))),
	), nil
}

func (l *localContext) read(q canon.Value) (canon.Value, error) {
	index, err := queryIndex(q)
	if err != nil {
		return canon.Value{}, err
	}
	e, err := l.entry(index)
	if err != nil {
		return canon.Value{}, err
	}
	if len(e.text) > maxContextRead {
		return canon.Value{}, algal.Errorf(algal.BudgetExhausted, "context read exceeds byte limit; use slice")
	}
	return canon.Object(
		canon.M("kind", canon.String(e.kind)),
		canon.M("label", canon.String(e.label)),
		canon.M("text", canon.String(e.text)),
	), nil
}

// slice reads the whole query before it looks at the entry, and the start before
// the end, which is then held to it.
func (l *localContext) slice(q canon.Value) (canon.Value, error) {
	index, err := queryIndex(q)
	if err != nil {
		return canon.Value{}, err
	}
	start, err := integer(q, "startByte", "context startByte", 0, maxContextEntryBytes, required)
	if err != nil {
		return canon.Value{}, err
	}
	end, err := integer(q, "endByte", "context endByte", 0, maxContextEntryBytes, required)
	if err != nil {
		return canon.Value{}, err
	}
	e, err := l.entry(index)
	if err != nil {
		return canon.Value{}, err
	}
	if _, err := canon.AsInt(canon.Int(start), "slice start", 0, len(e.text)); err != nil {
		return canon.Value{}, err
	}
	if _, err := canon.AsInt(canon.Int(end), "slice end", start, len(e.text)); err != nil {
		return canon.Value{}, err
	}
	if end-start > maxContextRead {
		return canon.Value{}, algal.Errorf(algal.BudgetExhausted, "context slice exceeds byte limit")
	}
	if !boundary(e.text, start) || !boundary(e.text, end) {
		return canon.Value{}, algal.Errorf(algal.ParseFailed, "context slice must use UTF-8 boundaries")
	}
	return canon.String(e.text[start:end]), nil
}

func boundary(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

func (l *localContext) search(q canon.Value) (canon.Value, error) {
	text, err := canon.AsString(q.Get("query"), "context search query", 1024)
	if err != nil {
		return canon.Value{}, err
	}
	if text == "" {
		return canon.Value{}, algal.Errorf(algal.ParseFailed, "context search query must not be empty")
	}
	most, err := integer(q, "maxResults", "context maxResults", 1, 128, maxContextMatches)
	if err != nil {
		return canon.Value{}, err
	}
	budget, err := integer(q, "maxScanBytes", "context maxScanBytes", 1, maxContextTotalBytes, maxContextTotalBytes)
	if err != nil {
		return canon.Value{}, err
	}
	if _, err := canon.AsInt(canon.Int(most), "result limit", 1, maxContextMatches); err != nil {
		return canon.Value{}, err
	}
	return l.find(text, most, budget), nil
}

// find looks for literal, non-overlapping matches, entries in order, until a
// limit stops it.
func (l *localContext) find(text string, most, budget int) canon.Value {
	var matches []canon.Value
	scanned, complete := 0, true
	for i, e := range l.entries {
		within := e.text
		if len(within) > budget-scanned {
			within, complete = canon.TruncateUTF8(within, budget-scanned), false
		}
		scanned += len(within)
		for at := 0; ; {
			found := strings.Index(within[at:], text)
			if found < 0 {
				break
			}
			if len(matches) == most {
				complete = false
				break
			}
			at += found
			matches = append(matches, canon.Object(
				canon.M("endByte", canon.Int(at+len(text))),
				canon.M("index", canon.Int(i)),
				canon.M("startByte", canon.Int(at)),
			))
			at += len(text)
		}
		if !complete {
			break
		}
	}
	return canon.Object(
		canon.M("complete", canon.Bool(complete)),
		canon.M("matches", canon.Array(matches...)),
		canon.M("scannedBytes", canon.Int(scanned)),
	)
}
