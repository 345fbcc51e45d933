// Command hashonly prints the SHA-256 of a file: the floor of reading one in Go.
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
)

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%x\n", sha256.Sum256(data))
}
