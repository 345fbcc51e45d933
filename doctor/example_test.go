//go:build unix

package doctor_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/algal-vm/algal/doctor"
)

// A link in the place of a store is a problem, and what would need the directory is
// not tried.
func ExampleExamine() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	store := filepath.Join(dir, ".algal")
	if err := os.Symlink("elsewhere", store); err != nil {
		panic(err)
	}
	// A program that calls doctor.Hold.
	holder := func(ctx context.Context, dir string) *exec.Cmd {
		return exec.CommandContext(ctx, "algal", "doctor-lease", dir)
	}
	report, err := doctor.Examine(context.Background(), doctor.Machine{Holder: holder}, store, func(string) {})
	if err != nil {
		panic(err)
	}
	for _, c := range report.Checks {
		if c.Status == doctor.Problem {
			fmt.Printf("%s: %s\n%s\n", c.Name, c.Finding, c.Advice)
		}
	}
	fmt.Println(report.OK())
	// Output:
	// directory: it is a symbolic link, and a store is never reached through one
	// give the directory itself, not a link to it
	// false
}
