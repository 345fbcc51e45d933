package canon_test

import (
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
)

func BenchmarkParse(b *testing.B) {
	text := string(golden.Read(b, "bench/long-30.evidence.json"))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := canon.Parse(text, canon.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigestParsed(b *testing.B) {
	v := parse(b, string(golden.Read(b, "bench/long-30.evidence.json")))
	b.SetBytes(int64(v.Size()))
	b.ReportAllocs()
	for b.Loop() {
		v.Digest()
	}
}

func BenchmarkDigestBuilt(b *testing.B) {
	v := parse(b, string(golden.Read(b, "bench/long-30.evidence.json"))).Get("receipts")
	built := v.With(canon.M("x", canon.Null())) // no longer a slice of the input
	b.SetBytes(int64(built.Size()))
	b.ReportAllocs()
	for b.Loop() {
		built.Digest()
	}
}
