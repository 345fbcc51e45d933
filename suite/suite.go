package suite

import (
	"context"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/algal-vm/algal"
)

// MaxExamples bounds the examples of a suite; there is at least one.
const MaxExamples = 256

// Options configures [Run].
type Options struct {
	// Progress is told of each example as soon as it is finished; nil tells nobody.
	// The calls do not overlap, and their order is that of completion.
	Progress func(Example)
}

// Run runs the examples of a suite, on as many cores as there are, and returns
// what became of them. The result does not depend on the order.
//
// An example that is refused, fails to verify or differs from what is expected is
// a result. The error tells why there is none: PARSE_FAILED for a folder that
// cannot be read or has no example, BUDGET_EXHAUSTED for more than [MaxExamples]
// and for an interruption through ctx.
func Run(ctx context.Context, fsys fs.FS, options Options) (Result, error) {
	names, err := list(fsys)
	if err != nil {
		return Result{}, err
	}
	result := Result{make([]Example, len(names))}
	var next atomic.Int64
	var told sync.Mutex
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(names)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				result.Examples[i] = run(ctx, fsys, names[i])
				if options.Progress != nil {
					told.Lock()
					options.Progress(result.Examples[i])
					told.Unlock()
				}
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return Result{}, algal.Errorf(algal.BudgetExhausted, "suite interrupted")
	}
	return result, nil
}

// list returns the names of the example folders in byte order.
func list(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, algal.Errorf(algal.ParseFailed, "suite: %v", err)
	}
	var names []string
	for _, entry := range entries {
		if isFolder(fsys, entry) {
			names = append(names, entry.Name())
		}
	}
	switch {
	case len(names) == 0:
		return nil, algal.Errorf(algal.ParseFailed, "suite has no example folder, expected 1 to %d", MaxExamples)
	case len(names) > MaxExamples:
		return nil, algal.Errorf(algal.BudgetExhausted, "suite has %d example folders, expected 1 to %d", len(names), MaxExamples)
	}
	return names, nil
}

// isFolder follows a link, since the folders of a suite may be gathered by links.
func isFolder(fsys fs.FS, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.IsDir()
	}
	info, err := fs.Stat(fsys, entry.Name())
	return err == nil && info.IsDir()
}
