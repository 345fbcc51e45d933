// Package examples holds example programs, embedded in the binary: small workflows
// of agents, tools and people in the folder form that package suite runs (cli.md
// §9.1). They are written to be copied.
//
// Together they use every kind of cell and every feature of edges, model cells and
// budgets, and end in each way in which a program can end; README.md lists what
// each one shows. The package only holds them.
package examples

import (
	"embed"
	"io/fs"
)

//go:embed programs
var embedded embed.FS

// Programs returns the suite of example programs: one folder per program.
func Programs() fs.FS {
	programs, err := fs.Sub(embedded, "programs")
	if err != nil {
		panic(err) // the name is a constant
	}
	return programs
}
