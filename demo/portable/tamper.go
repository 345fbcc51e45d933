package portable

import (
	"path/filepath"
	"strings"

	"github.com/algal-vm/algal/canon"
)

// tampering is a change of a document that every verifier must notice.
type tampering struct {
	file  string // suffix of the copy
	words string // says what the document lacks or has
	apply func(canon.Value) canon.Value
}

var tamperings = []tampering{
	{"head-removed", "without its head record", func(v canon.Value) canon.Value {
		return v.With(canon.M("records", v.Get("records").Without(v.Get("head").Text())))
	}},
	{"receipt-removed", "without its first receipt", func(v canon.Value) canon.Value {
		receipts := v.Get("receipts")
		return v.With(canon.M("receipts", receipts.Without(receipts.Key(0))))
	}},
	{"head-renamed", "with another name in its head record", func(v canon.Value) canon.Value {
		head := v.Get("head").Text()
		record := v.Get("records").Get(head).With(canon.M("name", canon.String("somebody-else")))
		return v.With(canon.M("records", v.Get("records").With(canon.M(head, record))))
	}},
}

// tampered returns the path of a copy of the document that was changed.
func (d *document) tampered(change tampering) string {
	return strings.TrimSuffix(d.path, ".json") + "-" + change.file + ".json"
}

// tamper writes a changed copy of the document, canonically.
func (d *document) tamper(t *tour, change tampering) error {
	_, err := t.Write(filepath.Join(evidenceDir, filepath.Base(d.tampered(change))), change.apply(d.value).String())
	return err
}
