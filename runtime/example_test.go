package runtime_test

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// cheerful is an executor that answers every agent alike.
type cheerful struct{}

func (cheerful) Describe() runtime.Description { return runtime.Description{ID: "cheerful"} }

func (cheerful) Call(_ context.Context, q *runtime.Request) (runtime.Answer, error) {
	name := q.Record.Get("context").Get("inputs").Get("name").Text()
	return runtime.Answer{Output: canon.String("Good morning, " + name + "!")}, nil
}

// A program asks an executor once and leaves a receipt.
func Example() {
	v, err := canon.Parse(`{
		"contract": "algal.organism.v1",
		"key": "organism:greeter",
		"name": "Greeter",
		"cells": [
			{"id": "guest", "kind": "input", "outputs": {"name": "text"}},
			{"id": "greet", "kind": "agent", "inputs": {"name": "text"}, "prompt": "Greet the guest.", "output": {"kind": "text"}}
		],
		"edges": [{"from": {"cell": "guest", "port": "name"}, "to": {"cell": "greet", "port": "name"}}]
	}`, canon.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := organism.ParseManifest(v)
	if err != nil {
		fmt.Println(err)
		return
	}
	host := runtime.Host{Store: cas.NewMemory(), Executors: []runtime.Executor{cheerful{}}}
	args := canon.Object(canon.M("guest", canon.Object(canon.M("name", canon.String("Ada")))))
	result, err := runtime.Run(context.Background(), m, args, host, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	receipt := result.Receipt()
	fmt.Println(result.Outcome, receipt.Get("work"))
	fmt.Println(receipt.Get("cells").Get("greet").Get("outputs"))
	fmt.Println(receipt.Get("digest").Text())

	// Output:
	// complete {"agentCalls":1,"steps":2,"units":754}
	// {"out":"Good morning, Ada!"}
	// sha256:0723f8c1618c12269c2daf434bb36a0e250b5c98d7990467d009eb49bc5ca554
}
