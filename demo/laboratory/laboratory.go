package laboratory

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/demo/root"
	"github.com/algal-vm/algal/demo/stage"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/hostdoc"
)

// Bounds of every child (demo.md, introduction).
const (
	maxOutput = 4_194_304
	patience  = 30 * time.Second
)

// proofLabel is the label of the lease on the root of a proof.
const proofLabel = "demo-proof"

// Options say how a proof is made.
type Options struct {
	Root       string // a directory that does not exist
	Executable string // the absolute path of this program, which plays every part
	// Told is called with every fact as it is measured; nil tells nobody.
	Told func(stage.Fact)
}

// Prove makes the whole proof in a fresh directory and returns what it leaves there
// as proof.json. The first fact that is false is RECEIPT_MISMATCH with its line; what
// was made so far then stays, without a proof.json. When Prove returns all of its
// children have ended, also when ctx ended first.
func Prove(ctx context.Context, o Options) (proof canon.Value, err error) {
	files := durable.NewPublisher(durable.Options{})
	r, err := root.New(files, o.Root)
	if err != nil {
		return canon.Value{}, err
	}
	lease, err := custody.Acquire(ctx, files, custody.Place{Dir: r.Path, Label: proofLabel})
	if err != nil {
		return canon.Value{}, err
	}
	defer lease.End(&err)
	l := &laboratory{
		root:    r,
		files:   files,
		program: &stage.Program{Path: o.Executable, Dir: r.Path, Env: environment(), MaxOutput: maxOutput, Patience: patience},
		facts:   &stage.Facts{Told: o.Told},
	}
	if proof, err = l.prove(ctx); err != nil {
		return canon.Value{}, err
	}
	return proof, hostdoc.Write(files, r.Join(proofFile), proof, maxProof)
}

// laboratory is a proof that is being made.
type laboratory struct {
	root    root.Root
	files   *durable.Publisher
	program *stage.Program
	facts   *stage.Facts
}

// environment returns that of this process without a path to other programs: the
// demonstrations need none.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	return append(env, "PATH=")
}

// alone asserts that the children left nothing in the root but what they were asked
// for.
func (l *laboratory) alone() error {
	wanted := []string{movedDir, deniedDir, portableFile, Read.dir(), Write.dir()}
	entries, err := os.ReadDir(l.root.Path)
	var foreign []string
	for _, e := range entries {
		if !custody.Keeps(e) && !slices.Contains(wanted, e.Name()) {
			foreign = append(foreign, e.Name())
		}
	}
	return l.measured(err, len(foreign) == 0, "the children left nothing else in the directory", "%q", foreign)
}
