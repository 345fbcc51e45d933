package command_test

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/command"
	"github.com/algal-vm/algal/runtime"
)

func Example() {
	executor, err := command.New(`cat >/dev/null; echo '"approved"'`, command.Options{TimeoutMs: 5000})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := executor.Call(context.Background(), &runtime.Request{Record: canon.Object()})
	fmt.Println(answer.Output, err)
	fmt.Println(executor.Describe().ID)
	// Output:
	// "approved" <nil>
	// cmd:sha256:5690e6750f571ee9d00d7cd4eb1c24d17ad9d2873eeb3be728c04d82a772e35a
}
