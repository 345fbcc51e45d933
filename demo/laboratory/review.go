package laboratory

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
)

// The two reviews of a proof, and what a workbench keeps in its root (demo.md §4.3).
const (
	approvedDir = "approved"
	deniedDir   = "denied"

	reviewProcess = "review"
	approvalsBox  = "approvals"
	decisionFile  = "decision.json"
	pageFile      = "report.html"
)

// action is what a decision is about.
const action = "publish-local-report"

// review is a workbench that was started, decided and measured.
type review struct {
	dir             string
	proposal        string // digest
	initial, status string
	sameHead        bool // after the decision was repeated
	head            algal.Digest
	publications    int
}

// approve starts a review, tries to get another proposal and another action approved,
// and approves the right one twice.
func (l *laboratory) approve(ctx context.Context) (*review, error) {
	r, err := l.start(ctx, approvedDir, "the program waits for a decision")
	if err != nil {
		return nil, err
	}
	another := string(canon.DigestText("another proposal"))
	if err := l.refused(ctx, "an approval of another proposal is refused", algal.CapabilityDenied, r.decide("approve", another, action)...); err != nil {
		return nil, err
	}
	if err := l.refused(ctx, "an approval of another action is refused", algal.CapabilityDenied, r.decide("approve", r.proposal, "publish-elsewhere")...); err != nil {
		return nil, err
	}
	if err := l.undecided(r, "the refused approvals left no decision and no publication"); err != nil {
		return nil, err
	}
	first, err := l.succeeds(ctx, "the approved program publishes", "status", "approved", r.decide("approve", r.proposal, action)...)
	if err != nil {
		return nil, err
	}
	r.status = first.Get("status").Text()
	if err := l.repeat(ctx, r, first); err != nil {
		return nil, err
	}
	if err := l.publishes(r, 1, "one publication on disk"); err != nil {
		return nil, err
	}
	count, err := r.count(approvalsBox)
	err = l.measured(err, count == deliveries{1, 1}, "the decision was delivered once", "%d messages and %d deliveries", count.messages, count.markers)
	if err != nil {
		return nil, err
	}
	return r, l.page(r)
}

// repeat approves once more: nothing may come of it.
func (l *laboratory) repeat(ctx context.Context, r *review, first canon.Value) error {
	const line = "a repeated approval keeps the head"
	head, unreadable := r.headOnDisk()
	again, err := l.ask(ctx, r.decide("approve", r.proposal, action)...)
	if err != nil {
		return err
	}
	if again.wrong != "" {
		return l.facts.That(false, line, "%s", again.wrong)
	}
	was, is := first.Get("verification"), again.value.Get("verification")
	if unreadable == nil {
		r.head, unreadable = r.headOnDisk()
	}
	r.sameHead = head == r.head && was.Get("digest").IsText(string(head)) && canon.Equal(was, is)
	return l.measured(unreadable, r.sameHead, line, "head %s after %s, verification %s after %s", r.head, head, brief(is), brief(was))
}

// deny starts another review and denies it.
func (l *laboratory) deny(ctx context.Context) (*review, error) {
	r, err := l.start(ctx, deniedDir, "another program waits for a decision")
	if err != nil {
		return nil, err
	}
	v, err := l.succeeds(ctx, "the denied program ends as denied", "status", "denied", r.decide("deny", r.proposal, action)...)
	if err != nil {
		return nil, err
	}
	r.status = v.Get("status").Text()
	if err := l.publishes(r, 0, "no publication of the denied program on disk"); err != nil {
		return nil, err
	}
	return r, l.page(r)
}

func (l *laboratory) start(ctx context.Context, name, line string) (*review, error) {
	r := &review{dir: l.root.Join(name)}
	v, err := l.succeeds(ctx, line, "status", "waiting", "start", r.dir)
	r.initial = v.Get("status").Text()
	r.proposal = v.Get("proposal").Get("digest").Text()
	return r, err
}

// decide returns the command of a decision.
func (r *review) decide(decision, proposal, action string) []string {
	return []string{decision, r.dir, "--proposal", proposal, "--action", action}
}

// undecided asserts that nothing came of a decision.
func (l *laboratory) undecided(r *review, line string) error {
	_, err := os.Lstat(filepath.Join(r.dir, decisionFile))
	if !errors.Is(err, fs.ErrNotExist) {
		return l.measured(err, false, line, "%s", decisionFile)
	}
	approvals, err := r.count(approvalsBox)
	if err != nil {
		return l.measured(err, false, line, "")
	}
	publications, err := r.count(publicationsBox)
	return l.measured(err, approvals == deliveries{} && publications == deliveries{}, line,
		"%d approvals and %d publications", approvals.messages, publications.messages)
}

// publishes counts the publications of a review on disk.
func (l *laboratory) publishes(r *review, want int, line string) error {
	count, err := r.count(publicationsBox)
	r.publications = count.messages
	return l.measured(err, count == deliveries{want, want}, line, "%d messages and %d deliveries", count.messages, count.markers)
}

// page asserts that a review left its page.
func (l *laboratory) page(r *review) error {
	info, err := os.Lstat(filepath.Join(r.dir, pageFile))
	return l.measured(err, err == nil && info.Mode().IsRegular(), "the page of the review in "+filepath.Base(r.dir)+" is there", "no regular file")
}

func (r *review) store() *disk.Store {
	return disk.Open(filepath.Join(r.dir, storeDir), disk.Options{})
}

func (r *review) count(mailbox string) (deliveries, error) {
	return countDeliveries(r.store(), mailbox)
}

// headOnDisk returns the head of the review, whose history must be valid.
func (r *review) headOnDisk() (algal.Digest, error) {
	snapshot, err := reader(r.store()).Inspect(reviewProcess)
	if err != nil {
		return "", err
	}
	return snapshot.Digest, nil
}

// reader returns a supervisor that only reads.
func reader(store *disk.Store) *process.Supervisor {
	return process.New(store.Processes(), store.Journals(), nil, nil, runtime.Host{Store: store})
}
