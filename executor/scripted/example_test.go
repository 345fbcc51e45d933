package scripted_test

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/runtime"
)

func Example() {
	responses, _ := canon.Parse(`{"ask": ["first", "second"]}`, canon.Limits{})
	executor, _ := scripted.New(responses, "")
	for range 3 {
		answer, err := executor.Call(context.Background(), &runtime.Request{CellID: "ask", Digest: "sha256:…"})
		fmt.Println(answer.Output, err)
	}
	// Output:
	// "first" <nil>
	// "second" <nil>
	//  no scripted response for cell "ask" (digest sha256:…)
}
