//go:build unix

package custody

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	"github.com/google/go-cmp/cmp"
)

var tempName = regexp.MustCompile(`\.tmp-[a-f0-9]{48}`)

// recorder notes the steps of a publisher as the traces of the contract write them,
// without the syncs of the directories above root.
func recorder(root string, trace *[]string) *durable.Publisher {
	return durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		if s.Op != durable.OpDirSync || strings.HasPrefix(s.Path, root) {
			line := strings.ReplaceAll(s.String(), root, "$D")
			*trace = append(*trace, tempName.ReplaceAllString(line, ".tmp-*"))
		}
		return do()
	}})
}

// TestTrace is the computed trace of custody.md §4, less the ancestor syncs that
// store.md §3.1 lets a publisher leave out.
func TestTrace(t *testing.T) {
	dir := filepath.Join(scratch(t), "new")
	var trace []string
	files := recorder(dir, &trace)
	l, err := Acquire(context.Background(), files, Place{Dir: dir, Label: label})
	if err != nil {
		t.Fatal(err)
	}
	trace = append(trace, "ACTION")
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"mkdir $D", "dir-sync $D",
		"write-temp $D/.tmp-*", "file-sync $D/.tmp-*", "link $D/.tmp-* -> $D/.lock", "dir-sync $D", "unlink-temp $D/.tmp-*",
		"ACTION",
		"unlink-lock $D/.lock", "dir-sync $D",
	}
	if diff := cmp.Diff(want, trace); diff != "" {
		t.Error(diff)
	}
}

// TestTraceOfSuccession is the order of §5: the archived copy is durable before the
// marker goes, and the marker before the new one comes.
func TestTraceOfSuccession(t *testing.T) {
	dir := layStore(t, "custody-abandoned")
	var trace []string
	l, err := Acquire(context.Background(), recorder(dir, &trace), Place{Dir: dir, Label: label})
	if err != nil {
		t.Fatal(err)
	}
	l.Release()
	want := []string{
		"dir-sync $D",
		"mkdir $D/owners", "dir-sync $D/owners", "dir-sync $D",
		"write-temp $D/owners/.tmp-*", "file-sync $D/owners/.tmp-*", "link $D/owners/.tmp-* -> $D/owners/NONCE.json", "dir-sync $D/owners",
		"unlink-temp $D/owners/.tmp-*",
		"unlink-lock $D/.lock", "dir-sync $D",
		"write-temp $D/.tmp-*", "file-sync $D/.tmp-*", "link $D/.tmp-* -> $D/.lock", "dir-sync $D", "unlink-temp $D/.tmp-*",
		"unlink-lock $D/.lock", "dir-sync $D",
	}
	for i := range trace {
		trace[i] = strings.Replace(trace[i], goldenNonce, "NONCE", 1)
	}
	if diff := cmp.Diff(want, trace); diff != "" {
		t.Error(diff)
	}
}

func TestMarkerBytes(t *testing.T) {
	const want = `{"contract":"algal.process-owner.v2","nonce":"c5ab721f585454aacf0b710d129df9badc70cd82226040c300afa75ee9f363cf","process":"worker-a"}`
	if got := ownerMarker("", label).value(sampleNonce).String(); got != want || len(got) != 133 {
		t.Errorf("marker is\n%s", got)
	}
	dir := scratch(t)
	l := mustAcquire(t, dir, label)
	defer l.Release()
	path := filepath.Join(dir, ".lock")
	if got := read(t, path); got != l.marker.String() || !regexp.MustCompile(`^\{"contract":"algal.process-owner.v2","nonce":"[a-f0-9]{64}","process":"worker-a"\}$`).MatchString(got) {
		t.Errorf(".lock holds\n%s", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestNoncesDiffer(t *testing.T) {
	dir := scratch(t)
	first := mustAcquire(t, dir, label)
	first.Release()
	second := mustAcquire(t, dir, label)
	second.Release()
	if first.marker.String() == second.marker.String() {
		t.Error("two acquisitions have one nonce")
	}
}

func TestDirectoryAdmission(t *testing.T) {
	t.Run("missing", func(t *testing.T) {
		dir := filepath.Join(scratch(t), "a", "b")
		acquireAndRelease(t, dir, label)
		if info, err := os.Stat(dir); err != nil || info.Mode() != os.ModeDir|0o700 {
			t.Errorf("directory %v, %v", info.Mode(), err)
		}
	})
	t.Run("a link", func(t *testing.T) {
		link := filepath.Join(scratch(t), "link")
		if err := os.Symlink(scratch(t), link); err != nil {
			t.Fatal(err)
		}
		mustRefuse(t, link, label, algal.IOFailed, "publication directory must be a real directory")
	})
	t.Run("below a link", func(t *testing.T) {
		root := scratch(t)
		link := filepath.Join(root, "link")
		if err := os.Symlink(scratch(t), link); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(link, "place")
		acquireAndRelease(t, dir, label)
		// Both spellings are one place.
		l := mustAcquire(t, dir, label)
		defer l.Release()
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		mustRefuse(t, real, label, algal.IOFailed, contentionText)
	})
}

func TestReleaseTwice(t *testing.T) {
	dir := scratch(t)
	l := mustAcquire(t, dir, label)
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	next := mustAcquire(t, dir, label)
	if err := l.Release(); err != nil {
		t.Errorf("second release: %v", err)
	}
	if err := next.Release(); err != nil {
		t.Errorf("the next owner lost its marker: %v", err)
	}
}

// TestReleaseOrder looks from another process: as long as the marker is there the
// lease is held.
func TestReleaseOrder(t *testing.T) {
	dir, other := scratch(t), startChild(t)
	var during string
	files := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		if err := do(); err != nil {
			return err
		}
		if s.Op == durable.OpUnlinkLock {
			during = other.ask("acquire", dir, label)
		}
		return nil
	}})
	l, err := Acquire(context.Background(), files, Place{Dir: dir, Label: label})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if during != contended {
		t.Errorf("between the marker and the transaction: %s", during)
	}
	other.mustDo("acquire", dir, label)
	if _, err := os.Lstat(filepath.Join(dir, "owners")); err == nil {
		t.Error("a clean release left evidence of a dead owner")
	}
}

// TestReleaseEndsCustodyWhateverFails lets every step of a release fail.
func TestReleaseEndsCustodyWhateverFails(t *testing.T) {
	for _, op := range []durable.Op{durable.OpUnlinkLock, durable.OpDirSync} {
		t.Run(string(op), func(t *testing.T) {
			dir, releasing := scratch(t), false
			files := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
				if releasing && s.Op == op {
					return os.ErrPermission
				}
				return do()
			}})
			l, err := Acquire(context.Background(), files, Place{Dir: dir, Label: label})
			if err != nil {
				t.Fatal(err)
			}
			releasing = true
			refused(t, l.Release(), algal.IOFailed, string(op)+" failed: permission denied")
			acquireAndRelease(t, dir, label)
		})
	}
}

// TestAcquireLetsGoWhateverFails lets every step of a succession fail in turn: the
// failure is reported, and the place is free at once and still works.
func TestAcquireLetsGoWhateverFails(t *testing.T) {
	failed := 0
	for at, more := 0, true; more; at++ {
		dir := layStore(t, "custody-abandoned")
		n := 0
		files := durable.NewPublisher(durable.Options{Hook: func(_ durable.Step, do func() error) error {
			defer func() { n++ }()
			if n == at {
				return os.ErrPermission
			}
			return do()
		}})
		l, err := Acquire(context.Background(), files, Place{Dir: dir, Label: label})
		if more = n > at; !more {
			l.Release()
			break
		}
		if err == nil {
			t.Fatalf("step %d failed and the lease was taken", at)
		}
		refused(t, err, algal.IOFailed, "")
		failed++
		acquireAndRelease(t, dir, label)
		if _, err := os.Lstat(filepath.Join(dir, "owners", goldenNonce+".json")); err != nil {
			t.Fatalf("step %d: the evidence is lost: %v", at, err)
		}
	}
	if failed < 16 {
		t.Fatalf("only %d steps", failed)
	}
	t.Logf("%d steps failed in turn", failed)
}

func TestEndPrefersTheActionsError(t *testing.T) {
	action := algal.Errorf(algal.StoreMiss, "gone")
	for _, c := range []struct {
		name   string
		action error
		broken bool
		want   string
	}{
		{"both fine", nil, false, "ok"},
		{"release fails", nil, true, "IO_FAILED owner marker changed during operation"},
		{"action fails", action, false, "STORE_MISS gone"},
		{"both fail", action, true, "STORE_MISS gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := scratch(t)
			run := func() (err error) {
				l, err := try(dir, label)
				if err != nil {
					return err
				}
				defer l.End(&err)
				if c.broken {
					os.Remove(filepath.Join(dir, ".lock"))
				}
				return c.action
			}
			if got := answer(run()); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			acquireAndRelease(t, dir, label)
		})
	}
}

func TestCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := filepath.Join(scratch(t), "place")
	_, err := Acquire(ctx, newFiles(), Place{Dir: dir, Label: label})
	refused(t, err, algal.BudgetExhausted, "cancelled before the host lease was taken")
	if _, err := os.Lstat(dir); err == nil {
		t.Error("a cancelled acquisition made the directory")
	}
}

// TestSharedWait runs on a clock that moves only while everybody sleeps.
func TestSharedWait(t *testing.T) {
	const never = time.Hour
	for _, c := range []struct {
		name    string
		shared  bool
		release time.Duration // when the owner lets go
		want    time.Duration
		fails   bool
	}{
		{"not shared", false, never, 0, true},
		{"free", true, 0, 0, false},
		{"released while waiting", true, 990 * time.Millisecond, 1000 * time.Millisecond, false},
		{"last attempt", true, 1999 * time.Millisecond, 2000 * time.Millisecond, false},
		{"never released", true, never, 2000 * time.Millisecond, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := scratch(t)
			synctest.Test(t, func(t *testing.T) {
				owner, end := mustAcquire(t, dir, label), make(chan struct{})
				go func() {
					defer close(end)
					select {
					case <-t.Context().Done():
					case <-time.After(c.release):
					}
					owner.Release()
				}()
				synctest.Wait()
				began := time.Now()
				l, err := Acquire(t.Context(), newFiles(), Place{Dir: dir, Label: label, Shared: c.shared})
				if waited := time.Since(began); waited != c.want {
					t.Errorf("waited %v, want %v", waited, c.want)
				}
				if c.fails {
					refused(t, err, algal.IOFailed, contentionText)
					return
				}
				<-end
				if err != nil {
					t.Error(err)
				} else if err := l.Release(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestSharedWaitRetriesContentionOnly(t *testing.T) {
	dir := layStore(t, "custody-legacy-lock")
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := Acquire(t.Context(), newFiles(), Place{Dir: dir, Label: label, Shared: true})
		refused(t, err, algal.IOFailed, "legacy process lease requires operator reconciliation")
		if waited := time.Since(began); waited != 0 {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestSharedWaitCancelled(t *testing.T) {
	dir := scratch(t)
	synctest.Test(t, func(t *testing.T) {
		owner := mustAcquire(t, dir, label)
		defer owner.Release()
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err := Acquire(ctx, newFiles(), Place{Dir: dir, Label: label, Shared: true})
		refused(t, err, algal.BudgetExhausted, "cancelled before the host lease was taken")
		if waited := time.Since(began); waited != 60*time.Millisecond {
			t.Errorf("waited %v", waited)
		}
	})
}
