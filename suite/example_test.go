package suite_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/algal-vm/algal/suite"
)

func Example() {
	fsys := fstest.MapFS{
		"hello/program.algal.json": {Data: []byte(`{
			"contract": "algal.organism.v1", "key": "organism:hello", "name": "Hello",
			"cells": [{"id": "greet", "kind": "agent", "prompt": "Say hello.", "output": {"kind": "text"}}]
		}`)},
		"hello/responses.json": {Data: []byte(`{"greet": "Hello."}`)},
		"hello/expect.json":    {Data: []byte(`{"outcome": "complete"}`)},
		"lost/expect.json":     {Data: []byte(`{"outcome": "complete"}`)},
	}
	result, err := suite.Run(context.Background(), fsys, suite.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range result.Examples {
		fmt.Println(e.Name, e.OK(), e.Outcome, e.Err)
	}
	// Output:
	// hello true complete <nil>
	// lost false  program.algal.json: file does not exist
}
