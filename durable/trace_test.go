//go:build unix

package durable_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/algal-vm/algal/durable"
)

// recorder notes the steps that succeeded, as the traces of the contract do. fail,
// when set, may stand in for a step.
type recorder struct {
	mu    sync.Mutex
	steps []durable.Step
	fail  func(s durable.Step) error
}

func (r *recorder) hook(s durable.Step, do func() error) error {
	if r.fail != nil {
		if err := r.fail(s); err != nil {
			return err
		}
	}
	err := do()
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.steps = append(r.steps, s)
	}
	return err
}

func (r *recorder) publisher() *durable.Publisher {
	return durable.NewPublisher(durable.Options{Hook: r.hook})
}

var tempName = regexp.MustCompile(`\.tmp-[a-f0-9]{48}`)

// take returns the recorded trace and forgets it. root is written $S, temporary
// names .tmp-*, and the syncs of the directories above root are left out: above
// tells how many there were.
func (r *recorder) take(root string) (trace []string, above int) {
	for _, s := range r.steps {
		if s.Op == durable.OpDirSync && !strings.HasPrefix(s.Path, root) {
			above++
			continue
		}
		line := strings.ReplaceAll(s.String(), root, "$S")
		trace = append(trace, tempName.ReplaceAllString(line, ".tmp-*"))
	}
	r.steps = nil
	return trace, above
}

// scratch returns the real path of a new directory.
func scratch(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// levelsAbove returns the number of directories above path.
func levelsAbove(path string) int { return strings.Count(path, string(filepath.Separator)) }
