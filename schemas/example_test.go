package schemas_test

import (
	"encoding/json"
	"fmt"

	"github.com/algal-vm/algal/schemas"
)

func Example() {
	text, err := schemas.Files.ReadFile("process-head.schema.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	var schema struct {
		ID       string `json:"$id"`
		Title    string
		Required []string
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(schema.ID)
	fmt.Println(schema.Title)
	fmt.Println(schema.Required)
	// Output:
	// process-head.schema.json
	// Process head (algal.process-head.v1)
	// [contract name record]
}
