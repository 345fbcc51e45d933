package hostfile_test

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/tool/hostfile"
)

func Example() {
	file, _ := canon.Parse(`{"clock.read": {
		"signature": {"inputs": {}, "outputs": {"hour": "json"}, "effect": "read", "cost": 1, "maxOutputBytes": 100},
		"exec": "cmd:cat >/dev/null; echo '{\"hour\": 7}'"
	}}`, canon.Limits{})
	tools, err := hostfile.Parse(file, ".")
	if err != nil {
		fmt.Println(err)
		return
	}
	output, err := tools["clock.read"].Call(context.Background(), runtime.ToolCall{Inputs: canon.Object()})
	fmt.Println(output, err)
	// Output: {"hour":7} <nil>
}
