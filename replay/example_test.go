package replay_test

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// A receipt verifies when running its program again, with the recorded effects,
// gives the same receipt. A changed one does not, and every difference is named.
func Example() {
	text := `{
		"contract": "algal.organism.v1",
		"key": "organism:next",
		"name": "Next",
		"cells": [
			{"id": "n", "kind": "input", "outputs": {"value": "json"}},
			{"id": "next", "kind": "fn", "fn": "inc.v1"}
		],
		"edges": [{"from": {"cell": "n", "port": "value"}, "to": {"cell": "next", "port": "value"}}]
	}`
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := organism.ParseManifest(v)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, host := context.Background(), runtime.Host{Store: cas.NewMemory()}
	args := canon.Object(canon.M("n", canon.Object(canon.M("value", canon.Int(41)))))
	result, err := runtime.Run(ctx, m, args, host, nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	receipt := result.Receipt()
	report, err := replay.Verify(ctx, receipt, m, host)
	fmt.Println(report.OK, report.Outcome, err)

	forged := receipt.With(canon.M("work", canon.Object(
		canon.M("agentCalls", canon.Int(0)), canon.M("steps", canon.Int(2)), canon.M("units", canon.Int(1)),
	)))
	report, err = replay.Verify(ctx, forged, m, host)
	fmt.Println(report.OK, report.Mismatches, err)

	// Output:
	// true complete <nil>
	// false [work.units: 1 vs 205] <nil>
}
