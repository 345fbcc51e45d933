package diagram_test

import (
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/report/diagram"
)

// A program as a Mermaid flowchart, which a Markdown page may hold.
func ExampleDiagram_Mermaid() {
	manifest, err := canon.Parse(`{"contract":"algal.organism.v1","key":"organism:greeting","name":"Greeting","cells":[
		{"id":"who","kind":"const","outputs":{"name":{"type":"text","value":"world"}}},
		{"id":"greet","kind":"agent","prompt":"Greet.","output":{"kind":"text"},"inputs":{"name":"text"}}],
		"edges":[{"from":{"cell":"who","port":"name"},"to":{"cell":"greet","port":"name"}}]}`, canon.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	program, err := organism.ParseManifest(manifest)
	if err != nil {
		fmt.Println(err)
		return
	}
	graph, err := organism.Compile(program, organism.Env{Functions: organism.Builtins(), Store: cas.NewMemory()}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(diagram.New(graph, canon.Value{}).Mermaid())
	// Output:
	// flowchart TD
	//   c0["who<br/>const"]
	//   c1(["greet<br/>agent"])
	//   c0 -->|"name #8594; name"| c1
}
