package laboratory

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/verify"
)

var token = strings.Repeat("0123456789abcdef", 3)

// memoryDir returns a directory in memory where the system has one, without links in
// its path: the fixtures sync many files, which takes a disk long and shows nothing.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "algal-test-")
	if err != nil {
		dir = t.TempDir()
	} else {
		t.Cleanup(func() { os.RemoveAll(dir) })
	}
	real, err := filepath.EvalSymlinks(dir)
	must(t, err)
	return real
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stand returns a fixture that stood at its barrier and was stopped there, with the
// intent of its dispatch.
func stand(t *testing.T, mode Mode) (dir string, intent algal.Digest) {
	t.Helper()
	dir = filepath.Join(memoryDir(t), "crash")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- StartFixture(ctx, dir, mode, token) }()
	for !exists(filepath.Join(dir, "barrier.json")) {
		select {
		case err := <-ended:
			t.Fatalf("the fixture ended: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	stop()
	if err := <-ended; algal.CodeOf(err) != algal.EffectFailed || !algal.AsError(err).Uncertain {
		t.Fatalf("the fixture ended with %v", err)
	}
	return dir, head(t, dir).Digest
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func head(t *testing.T, dir string) *process.Snapshot {
	t.Helper()
	store := disk.Open(filepath.Join(dir, "store"), disk.Options{})
	snapshot, err := process.New(store.Processes(), store.Journals(), nil, nil, runtime.Host{Store: store}).Inspect("crash")
	must(t, err)
	return snapshot
}

func read(t *testing.T, path string) canon.Value {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	v, err := canon.Parse(string(text), canon.Limits{})
	must(t, err)
	return v
}

func TestRecover(t *testing.T) {
	for _, c := range []struct {
		mode     Mode
		status   string
		counters string
		refusal  string
		moves    int
		receipts int
	}{
		{Read, "complete", `{"pendingWritePublications":0,"prefixPublications":1,"scheduledTicks":0}`, "null", 1, 1},
		{Write, "uncertain", `{"pendingWritePublications":1,"prefixPublications":1,"scheduledTicks":0}`,
			`{"code":"IO_FAILED","message":"effect 1 has unknown completion; adapter reconciliation is required"}`, 0, 0},
	} {
		t.Run(string(c.mode), func(t *testing.T) {
			dir, intent := stand(t, c.mode)
			report, err := RecoverFixture(t.Context(), dir, token, intent)
			must(t, err)
			if kept := read(t, filepath.Join(dir, "report.json")); !canon.Equal(kept, report) {
				t.Errorf("report.json is another report: %v", kept)
			}
			now := head(t, dir)
			if !report.Get("status").IsText(c.status) || string(now.Record.Status) != c.status || !report.Get("killedIntent").IsText(string(intent)) {
				t.Errorf("status %s: %v", now.Record.Status, report)
			}
			if got := report.Get("counters").String(); got != c.counters {
				t.Errorf("counters %s", got)
			}
			if got := report.Get("refusal").String(); got != c.refusal {
				t.Errorf("refusal %s", got)
			}
			moves := report.Get("headMoves")
			if moves.Len() != c.moves || c.moves == 1 && moves.At(0).String() != `{"head":"`+string(now.Digest)+`","receipt":true,"record":true}` {
				t.Errorf("moves of the head: %v", moves)
			}
			if same := canon.Equal(report.Get("journalBefore"), report.Get("journalAfter")); same != (c.mode == Write) {
				t.Errorf("journal before and after the recovery: %v", report)
			}
			text, err := os.ReadFile(filepath.Join(dir, "evidence.algal.json"))
			must(t, err)
			evidence, err := verify.Parse(string(text))
			must(t, err)
			verdict, err := evidence.Verify(t.Context())
			must(t, err)
			if verdict.Head != now.Digest || verdict.Receipts != c.receipts || !canon.Equal(verdict.Value(), report.Get("verification")) {
				t.Errorf("verdict %+v, %v", verdict, report.Get("verification"))
			}
		})
	}
}

// TestRecoverMore: the report counts what the scheduler found to do besides.
func TestRecoverMore(t *testing.T) {
	dir, intent := stand(t, Read)
	store := disk.Open(filepath.Join(dir, "store"), disk.Options{})
	files := durable.NewPublisher(durable.Options{})
	manifest, err := organism.ParseManifest(canon.Object(
		canon.M("contract", canon.String("algal.organism.v1")),
		canon.M("key", canon.String("organism:idle")),
		canon.M("name", canon.String("Idle")),
		canon.M("cells", canon.Array(canon.Object(canon.M("id", canon.String("input")), canon.M("kind", canon.String("input")), canon.M("outputs", canon.Object())))),
		canon.M("edges", canon.Array()),
	))
	must(t, err)
	supervisor := process.New(store.Processes(), store.Journals(), process.Leases(files, filepath.Join(dir, "store")), nil, runtime.Host{Store: store})
	_, err = supervisor.Create(t.Context(), process.Definition{Name: "more", Manifest: manifest, MaxGenerations: 1})
	must(t, err)
	report, err := RecoverFixture(t.Context(), dir, token, intent)
	must(t, err)
	if got := report.Get("counters").Get("scheduledTicks"); !canon.Equal(got, canon.Int(1)) {
		t.Errorf("%v ticks", got)
	}
}

// TestRecoverAgain: a refused recovery may be tried again and finds the same; one
// that succeeded may not.
func TestRecoverAgain(t *testing.T) {
	dir, intent := stand(t, Write)
	first, err := RecoverFixture(t.Context(), dir, token, intent)
	must(t, err)
	again, err := RecoverFixture(t.Context(), dir, token, intent)
	must(t, err)
	if !canon.Equal(first, again) {
		t.Errorf("%v\n%v", first, again)
	}
	dir, intent = stand(t, Read)
	_, err = RecoverFixture(t.Context(), dir, token, intent)
	must(t, err)
	if _, err := RecoverFixture(t.Context(), dir, token, intent); algal.CodeOf(err) != algal.ReceiptMismatch {
		t.Errorf("%v", err)
	}
}

func TestRecoverRefused(t *testing.T) {
	other := strings.Repeat("f", 48)
	for name, c := range map[string]struct {
		token  string
		intent algal.Digest
		alter  func(t *testing.T, dir string) string // returns where it is now
		want   algal.Code
		text   string
	}{
		"no token":          {token: "x", want: algal.ParseFailed, text: "48 lowercase"},
		"upper case token":  {token: strings.ToUpper(token), want: algal.ParseFailed, text: "48 lowercase"},
		"another token":     {token: other, want: algal.DigestMismatch, text: "fixture.json"},
		"another intent":    {intent: canon.DigestText("another"), want: algal.ReceiptMismatch, text: "exact current uncertain intent"},
		"moved":             {alter: moved, want: algal.DigestMismatch, text: "fixture.json"},
		"a link":            {alter: linked, want: algal.IOFailed, text: "real directory"},
		"no definition":     {alter: undefined, want: algal.StoreMiss, text: "fixture.json"},
		"another mode":      {alter: edited(`"mode":"write"`, `"mode":"read"`), want: algal.ReceiptMismatch, text: "not 1 and 0"},
		"no such mode":      {alter: edited(`"mode":"write"`, `"mode":"wrote"`), want: algal.DigestMismatch, text: "fixture.json"},
		"another argument":  {alter: edited(`before the kill`, `after the kill`), want: algal.DigestMismatch, text: "fixture.json"},
		"one member more":   {alter: edited(`{"args"`, `{"more":1,"args"`), want: algal.DigestMismatch, text: "fixture.json"},
		"a live owner":      {alter: owned, want: algal.IOFailed, text: "held by another live operation"},
		"one delivery more": {alter: delivered, want: algal.ReceiptMismatch, text: "1 prefixes and 2 publications, not 1 and 1"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, intent := stand(t, Write)
			if c.token == "" {
				c.token = token
			}
			if c.intent == "" {
				c.intent = intent
			}
			if c.alter != nil {
				dir = c.alter(t, dir)
			}
			before := files(t, dir)
			_, err := RecoverFixture(t.Context(), dir, c.token, c.intent)
			if algal.CodeOf(err) != c.want || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v", err)
			}
			if diff := cmp.Diff(before, files(t, dir)); diff != "" {
				t.Errorf("files changed:\n%s", diff)
			}
		})
	}
}

// files returns the names and contents below a directory, but for what SQLite owns.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	real, err := filepath.EvalSymlinks(dir)
	must(t, err)
	must(t, filepath.WalkDir(real, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".owner.sqlite") {
			return err
		}
		text, err := os.ReadFile(path)
		found[path] = string(text)
		return err
	}))
	return found
}

func moved(t *testing.T, dir string) string {
	must(t, os.Rename(dir, dir+"-moved"))
	return dir + "-moved"
}

func linked(t *testing.T, dir string) string {
	must(t, os.Symlink(dir, dir+"-link"))
	return dir + "-link"
}

func undefined(t *testing.T, dir string) string {
	must(t, os.Remove(filepath.Join(dir, "fixture.json")))
	return dir
}

func edited(old, new string) func(t *testing.T, dir string) string {
	return func(t *testing.T, dir string) string {
		path := filepath.Join(dir, "fixture.json")
		text, err := os.ReadFile(path)
		must(t, err)
		changed := bytes.Replace(text, []byte(old), []byte(new), 1)
		if bytes.Equal(text, changed) {
			t.Fatalf("%s does not contain %s", path, old)
		}
		must(t, os.WriteFile(path, changed, 0o600))
		return dir
	}
}

func owned(t *testing.T, dir string) string {
	lease, err := custody.Acquire(t.Context(), durable.NewPublisher(durable.Options{}), custody.Place{Dir: dir, Label: "demo-crash"})
	must(t, err)
	t.Cleanup(func() { must(t, lease.Release()) })
	return dir
}

func delivered(t *testing.T, dir string) string {
	store := filepath.Join(dir, "store")
	service := mailbox.New(disk.Open(store, disk.Options{}).Mailboxes(), nil)
	config, err := service.Find("publications")
	must(t, err)
	_, err = service.Send(t.Context(), config.Send.String(), canon.Null(), mailbox.NewKey())
	must(t, err)
	return dir
}

func TestStartRefused(t *testing.T) {
	dir := memoryDir(t)
	if err := StartFixture(t.Context(), dir, Read, token); algal.CodeOf(err) != algal.IOFailed {
		t.Errorf("a root that exists: %v", err)
	}
	fresh := filepath.Join(dir, "fresh")
	if err := StartFixture(t.Context(), fresh, Read, token[1:]); algal.CodeOf(err) != algal.ParseFailed {
		t.Errorf("a short token: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
	if _, err := ParseMode("append"); algal.CodeOf(err) != algal.ParseFailed || !errors.As(err, new(*algal.Error)) {
		t.Errorf("a third mode: %v", err)
	}
	for _, mode := range []Mode{Read, Write} {
		if got, err := ParseMode(string(mode)); got != mode || err != nil {
			t.Errorf("%s: %s, %v", mode, got, err)
		}
	}
}
