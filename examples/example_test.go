package examples_test

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal/examples"
	"github.com/algal-vm/algal/suite"
)

func Example() {
	result, err := suite.Run(context.Background(), examples.Programs(), suite.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.OK(), result.Examples[0].Name)
	// Output: true answer-letter
}
