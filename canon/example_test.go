package canon_test

import (
	"fmt"

	"github.com/algal-vm/algal/canon"
)

func Example() {
	v, err := canon.Parse(`{ "b": 1.0, "a": "é", "10": true, "9": null }`, canon.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v)
	fmt.Println(v.Digest())
	// Output:
	// {"9":null,"10":true,"a":"é","b":1}
	// sha256:cc9f17a612009c71bd42add6183bfb152e8e7f7628ea1a33635b5ea261fe3539
}
