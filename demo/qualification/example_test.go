package qualification_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/qualification"
	"github.com/algal-vm/algal/demo/stage"
)

func ExampleHold() {
	self, err := os.Executable()
	if err != nil {
		fmt.Println(err)
		return
	}
	counts := qualification.Demonstration{
		Name: "count", Contract: "example.count.v1", MaxOutput: 1000, Patience: time.Minute,
		Show: func(ctx context.Context, s *qualification.Session) ([]canon.Member, error) {
			v, err := s.Ask(ctx, s.A, "a list is printed", "print", "[1, 2, 3]")
			if err != nil {
				return nil, err
			}
			counted := []canon.Member{canon.M("counted", canon.Int(v.Len()))}
			return counted, stage.Same(&s.Facts, "the list has 2 elements", v.Len(), 2)
		},
	}
	r, err := qualification.Hold(context.Background(), qualification.Options{Self: self}, counts)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(r.Workspace)
	fmt.Println(r.Report.Without("failure").Indented())
	fmt.Println(r.Failed.Line, "- found", r.Failed.Found)
	// Output:
	// {
	//   "contract": "example.count.v1",
	//   "ok": false,
	//   "counted": 3
	// }
	// the list has 2 elements - found 3 where 2 should be
}
