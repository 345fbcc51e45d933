package organism_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
)

// largeManifest is a manifest of close to a megabyte with every list near its
// bound: 64 cells of 32 ports each, 256 edges, prompts, schemas.
func largeManifest() string {
	ports := make([]string, 32)
	for i := range ports {
		ports[i] = fmt.Sprintf(`"p%d":{"type":"json","optional":true,"schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"n":{"type":"integer"}}}}`, i)
	}
	inputs := "{" + strings.Join(ports, ",") + "}"
	cells := []string{`{"id":"in","kind":"input","outputs":` + inputs + `}`}
	var list []string
	for i := 1; i < 64; i++ {
		cells = append(cells, fmt.Sprintf(`{"id":"c%d","kind":"agent","inputs":%s,"prompt":"%s","output":{"kind":"text"},"tools":["pick.v1"]}`,
			i, inputs, strings.Repeat("x", 8000)))
		for j := range 4 {
			list = append(list, edge(fmt.Sprintf("in.p%d", j), fmt.Sprintf("c%d.p%d", i, j)))
		}
	}
	return document(strings.Join(cells, ","), edges(list...))
}

func BenchmarkParseAndCompile(b *testing.B) {
	small, err := organism.ParseManifest(parse(b, document(everyKind)))
	if err != nil {
		b.Fatal(err)
	}
	texts := map[string]string{
		"greeting":  document(leafCells, edges(edge("in.v", "e.value"))),
		"large":     largeManifest(),
		"everyKind": small.Normal().String(),
	}
	for _, name := range []string{"greeting", "everyKind", "large"} {
		v := parse(b, texts[name])
		env := organism.Env{Functions: organism.Builtins(), Store: cas.NewMemory()}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(v.Size()))
			b.ReportAllocs()
			for b.Loop() {
				m, err := organism.ParseManifest(v)
				if err != nil {
					b.Fatal(err)
				}
				if name == "everyKind" { // embeds manifests that do not exist
					continue
				}
				if _, err := organism.Compile(m, env, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCheckValue(b *testing.B) {
	schema := organism.NewSchema(canon.Object(canon.M("type", canon.String("array")), canon.M("items", canon.Object(
		canon.M("required", canon.Array(canon.String("id"))),
		canon.M("properties", canon.Object(canon.M("id", canon.Object(canon.M("type", canon.String("string"))))))))), 2)
	list := make([]canon.Value, 1000)
	for i := range list {
		list[i] = canon.Object(canon.M("id", canon.String("x")), canon.M("n", canon.Int(i)))
	}
	port, v := organism.Port{Type: organism.JSON, Schema: schema}, canon.Array(list...)
	b.SetBytes(int64(v.Size()))
	b.ReportAllocs()
	for b.Loop() {
		if err := port.CheckValue(v, "c.p"); err != nil {
			b.Fatal(err)
		}
	}
}
