package organism_test

import (
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
)

// A manifest is admitted, named by the digest of its normal form, and compiled to
// a graph.
func Example() {
	v, err := canon.Parse(`{
		"contract": "algal.organism.v1",
		"key": "organism:greeting",
		"name": "Greeting",
		"cells": [
			{"id": "who", "kind": "input", "outputs": {"name": "text"}},
			{"id": "hello", "kind": "const", "outputs": {"text": {"type": "text", "value": "hello "}}},
			{"id": "greet", "kind": "fn", "fn": "format.v1"}
		],
		"edges": [
			{"from": {"cell": "hello", "port": "text"}, "to": {"cell": "greet", "port": "prefix"}},
			{"from": {"cell": "who", "port": "name"}, "to": {"cell": "greet", "port": "value"}}
		]
	}`, canon.Limits{Bytes: organism.MaxManifestBytes})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := organism.ParseManifest(v)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Digest())

	env := organism.Env{Functions: organism.Builtins(), Store: cas.NewMemory()}
	g, err := organism.Compile(m, env, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	greet := g.Cell("greet")
	for _, e := range g.Inbound[greet] {
		fmt.Printf("%s feeds %s\n", m.Edges[e].From, m.Edges[e].To)
	}
	fmt.Println(g.Inputs[greet].Find("prefix").CheckValue(canon.Int(1), "greet.prefix"))

	// Output:
	// sha256:64019aa5e25d9a0485f7a0b876fa26539e43e8fc2b058164194f89c751012c66
	// hello.text feeds greet.prefix
	// who.name feeds greet.value
	// greet.prefix: expected text
}
