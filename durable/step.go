//go:build unix

package durable

import (
	"errors"
	"sync"

	"github.com/algal-vm/algal"
)

// The steps of publication (store.md §3). Unlinking a file of some protocol has a
// name of its own; owners may add names for steps of theirs.
const (
	OpMkdir         Op = "mkdir"
	OpDirSync       Op = "dir-sync"
	OpWriteTemp     Op = "write-temp"
	OpFileSync      Op = "file-sync"
	OpLink          Op = "link"
	OpReplace       Op = "replace"
	OpUnlinkTemp    Op = "unlink-temp"
	OpUnlinkPending Op = "unlink-pending"
	OpUnlinkLock    Op = "unlink-lock"
)

// Step is one step on one path. Link and replace also have a target.
type Step struct {
	Op     Op
	Path   string
	Target string
}

// String returns the step as the traces of store.md §3.2 write it.
func (s Step) String() string {
	if s.Target != "" {
		return string(s.Op) + " " + s.Path + " -> " + s.Target
	}
	return string(s.Op) + " " + s.Path
}

// Hook runs a step by calling do and returns what became of it. A hook that does
// not call do leaves the step out and stands in for its result.
type Hook func(s Step, do func() error) error

// Options configures a [Publisher].
type Options struct {
	Hook Hook // nil: steps are simply done
}

// Publisher publishes files. It remembers which directories it has synced, so a
// process should have one and share it. It is safe for concurrent use.
type Publisher struct {
	hook Hook

	mu     sync.Mutex
	synced map[string]identity // directories that were synced up to the root, by real path
}

// NewPublisher returns a publisher that has synced nothing yet.
func NewPublisher(options Options) *Publisher {
	return &Publisher{hook: options.Hook, synced: map[string]identity{}}
}

// Do runs one step under the hook. Owners run steps of their own protocol with
// it. A failure that has no code yet becomes a [*Fault].
func (p *Publisher) Do(s Step, do func() error) error {
	var err error
	if p.hook != nil {
		err = p.hook(s, do)
	} else {
		err = do()
	}
	var coded *algal.Error
	if err == nil || errors.As(err, &coded) {
		return err
	}
	return systemFault(s.Op, s.Path, err)
}
