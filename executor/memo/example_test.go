package memo_test

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/executor/memo"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

func Example() {
	responses, _ := canon.Parse(`{"ask": ["only once"]}`, canon.Limits{})
	inner, _ := scripted.New(responses, "")
	executor := memo.Wrap(cas.NewMemory(), inner)
	request := &runtime.Request{
		CellID:         "ask",
		Digest:         canon.String("the request").Digest(),
		Output:         organism.OutputContract{Kind: organism.Text},
		MaxOutputBytes: 1000,
	}
	for range 2 {
		answer, err := executor.Call(context.Background(), request)
		fmt.Println(answer.Output, answer.Cached, err)
	}
	// Output:
	// "only once" false <nil>
	// "only once" true <nil>
}
