//go:build unix

package process_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
)

// shop is a store wired as one process of a command wires it: one publisher for all.
type shop struct {
	root  string
	files *durable.Publisher
	store *disk.Store
	boxes *mailbox.Service
	*process.Supervisor
}

func openShop(b *testing.B, root string, hook durable.Hook, executors ...runtime.Executor) *shop {
	b.Helper()
	files := durable.NewPublisher(durable.Options{Hook: hook})
	store := disk.Open(root, disk.Options{Files: files, AdmitEffect: func(v canon.Value) (canon.Value, error) { return v, runtime.ParseEffect(v) }})
	boxes := mailbox.New(store.Mailboxes(), mailbox.Custody(files, root))
	host := runtime.Host{Store: store, Tools: boxes.Tools(), Executors: executors, Deadline: deadline}
	return &shop{root, files, store, boxes, process.New(store.Processes(), store.Journals(), process.Leases(files, root), boxes, host)}
}

func benchRoot(b *testing.B) string {
	b.Helper()
	dir, err := filepath.EvalSymlinks(b.TempDir())
	must(b, err)
	return filepath.Join(dir, "store")
}

// floor measures the work that something cannot do without, beside it.
type floor struct {
	b     *testing.B
	spent time.Duration
}

// run runs the floor outside of what the benchmark measures.
func (f *floor) run(do func()) {
	f.b.StopTimer()
	start := time.Now()
	do()
	f.spent += time.Since(start)
	f.b.StartTimer()
}

// report reports how many times the floor's time was spent.
func (f *floor) report() {
	f.b.ReportMetric(float64(f.b.Elapsed())/float64(f.spent), "floor-ratio")
}

// BenchmarkTick ticks processes of one cell: "first" each once, which also makes the
// database of its lease, and "again" one that waits, time after time. The floor is the
// same number of bare publications, each write, sync, link, sync: of the owner's
// marker, the intent, the head, the receipt, the outcome, and the head again; and the
// removal of the marker.
func BenchmarkTick(b *testing.B) {
	for name, lasts := range map[string]int{"first": 1, "again": chain.MaxGenerations - 1} {
		b.Run(name, func(b *testing.B) { benchmarkTick(b, lasts) })
	}
}

// benchmarkTick ticks each process as often as it lasts, the last ones of those that
// last longer than one.
func benchmarkTick(b *testing.B, lasts int) {
	root := benchRoot(b)
	quick, s := openShop(b, root, unsynced), openShop(b, root, nil)
	bare := filepath.Join(filepath.Dir(root), "bare")
	must(b, os.Mkdir(bare, 0o700))
	box, err := quick.boxes.Create(b.Context(), "inbox", 4, 1000)
	must(b, err)
	d := constant(b)
	if lasts > 1 {
		d = process.Definition{Manifest: manifest(b, sleeperProgram), Args: receiver(box), MaxGenerations: chain.MaxGenerations}
	}
	f, n, left := &floor{b: b}, 0, 0
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		if left--; left < 1 {
			d.Name, left = fmt.Sprintf("p%d", n), lasts
			_, err := quick.Create(b.Context(), d)
			must(b, err)
			if lasts > 1 {
				_, err = s.Tick(b.Context(), d.Name, process.Options{})
				must(b, err)
			}
		}
		warm, err := s.Inspect(d.Name)
		must(b, err)
		record := warm.Record.Value().String()
		b.StartTimer()
		_, err = s.Tick(b.Context(), d.Name, process.Options{})
		must(b, err)
		f.run(func() {
			for i := range 6 {
				must(b, barePublication(bare, fmt.Sprintf("%d-%d", n, i), record))
			}
			must(b, os.Remove(filepath.Join(bare, fmt.Sprintf("%d-0", n))))
			must(b, syncDir(bare))
		})
		if n++; n%1000 == 0 && left == 1 {
			b.StopTimer()
			must(b, os.RemoveAll(filepath.Join(root, "processes")))
			b.StartTimer()
		}
	}
	f.report()
}

// barePublication is what durable publication cannot do without.
func barePublication(dir, name, content string) error {
	temp := filepath.Join(dir, ".tmp")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString(content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Link(temp, filepath.Join(dir, name)); err != nil {
		return err
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	return os.Remove(temp)
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// BenchmarkTickLate ticks at generation 60 what was ticked at generation 2, a process
// that waits. Both do the same new work; the floor is the early one.
func BenchmarkTickLate(b *testing.B) {
	for _, synced := range []bool{true, false} {
		b.Run(fmt.Sprintf("synced=%v", synced), func(b *testing.B) {
			root, hook := benchRoot(b), durable.Hook(unsynced)
			early, late := openShop(b, root, hook), openShop(b, root, hook)
			if synced {
				early, late = openShop(b, root, nil), openShop(b, root, nil)
			}
			box, err := early.boxes.Create(b.Context(), "inbox", 4, 1000)
			must(b, err)
			quick := openShop(b, root, unsynced)
			f, n := &floor{b: b}, 0
			tick := func(s *shop, name string) {
				_, err := s.Tick(b.Context(), name, process.Options{})
				must(b, err)
			}
			d := process.Definition{Manifest: manifest(b, sleeperProgram), Args: receiver(box), MaxGenerations: 64}
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				d.Name = fmt.Sprintf("p%d", n)
				n++
				_, err := quick.Create(b.Context(), d)
				must(b, err)
				tick(quick, d.Name)
				b.StartTimer()
				f.run(func() { tick(early, d.Name) })
				b.StopTimer()
				for range 57 {
					tick(quick, d.Name)
				}
				b.StartTimer()
				tick(late, d.Name)
			}
			f.report()
		})
	}
}

// receiver is the argument of a process that waits on a mailbox.
func receiver(box mailbox.Config) canon.Value {
	return canon.Object(canon.M("in", canon.Object(canon.M("receive", canon.String(box.Receive.String())))))
}

const crowd = 1000

// BenchmarkScheduleReady dispatches 1,000 processes in one pass, without the syncs.
func BenchmarkScheduleReady(b *testing.B) {
	d := constant(b)
	for b.Loop() {
		b.StopTimer()
		root := benchRoot(b)
		s := openShop(b, root, unsynced)
		w := workshop{&desk{t: b, root: root}}
		w.put("manifests", d.Manifest.Normal())
		for i := range crowd {
			name := fmt.Sprintf("p%04d", i)
			w.moveHead(name, w.put("values", readyRecord(name, d.Manifest.Digest(), canon.Object())))
		}
		b.ReportAllocs()
		b.StartTimer()
		list, err := s.Schedule(b.Context(), process.Pass{MaxTicks: process.MaxTicks})
		if err != nil || len(list) != crowd {
			b.Fatalf("advanced %d, %v", len(list), err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/crowd, "µs/process")
}

func readyRecord(name string, m algal.Digest, args canon.Value) canon.Value {
	return canon.Object(canon.M("args", args), canon.M("contract", text("algal.process.v1")), canon.M("generation", canon.Int(0)),
		canon.M("manifestDigest", text(string(m))), canon.M("maxGenerations", canon.Int(2)), canon.M("name", text(name)),
		canon.M("status", text("ready")), canon.M("wake", canon.Array()))
}

// BenchmarkScheduleIdle makes a pass over 1,000 processes that wait, each on a mailbox
// of its own. The floor is the bare reading of each head, record and mailbox
// directory.
func BenchmarkScheduleIdle(b *testing.B) {
	root := benchRoot(b)
	s, w := openShop(b, root, nil), workshop{&desk{t: b, root: root}}
	m := manifest(b, sleeperProgram)
	var bare []func() error
	for i := range crowd {
		name := fmt.Sprintf("p%04d", i)
		box := w.emptyBox(name)
		ready := readyRecord(name, m.Digest(), receiver(box))
		intent := ready.With(canon.M("cause", text("start")), canon.M("generation", canon.Int(1)), canon.M("previous", text(string(ready.Digest()))), canon.M("status", text("uncertain")))
		record := w.put("values", intent.With(canon.M("previous", text(string(intent.Digest()))), canon.M("receipt", text(string(ready.Digest()))),
			canon.M("status", text("suspended")), canon.M("wake", canon.Array(text(box.Receive.String())))))
		w.moveHead(name, record)
		for _, file := range []string{"processes/" + name + "/head.json", object("values", record)} {
			bare = append(bare, func() error { return second(os.ReadFile(w.path(file))) })
		}
		bare = append(bare, func() error { return second(os.ReadDir(w.path("mailboxes/" + name + "/pending"))) })
	}
	f := &floor{b: b}
	b.ReportAllocs()
	for b.Loop() {
		list, err := s.Schedule(b.Context(), process.Pass{MaxTicks: process.MaxTicks})
		if err != nil || len(list) != 0 {
			b.Fatalf("advanced %d, %v", len(list), err)
		}
		f.run(func() {
			for _, read := range bare {
				must(b, read())
			}
		})
	}
	f.report()
}

// emptyBox lays an empty mailbox out.
func (w workshop) emptyBox(name string) mailbox.Config {
	w.t.Helper()
	c := mailbox.Config{Name: name, MaxMessages: 64, MaxMessageBytes: 65_536}
	for _, class := range []string{mailbox.SendClass, mailbox.ReceiveClass} {
		descriptor := canon.Object(canon.M("capability", text(class)), canon.M("contract", text("algal.capability.v1")), canon.M("mailbox", text(name)), canon.M("nonce", text("n")))
		h := organism.Handle{Class: class, Digest: descriptor.Digest()}
		w.write("capabilities/"+h.Digest.Hex()+".json", descriptor.With(canon.M("handle", text(h.String())), canon.M("revoked", canon.Bool(false))).String())
		if class == mailbox.SendClass {
			c.Send = h
		} else {
			c.Receive = h
		}
	}
	w.write("mailboxes/"+name+"/config.json", c.Record().String())
	for _, dir := range []string{"messages", "pending", "consumed"} {
		must(w.t, os.Mkdir(w.path("mailboxes/"+name+"/"+dir), 0o700))
	}
	return c
}

// fixture answers the requests that a recorded run has answered, one new one per
// generation.
type fixture struct {
	answers map[algal.Digest]canon.Value
	left    int
}

func (f *fixture) Describe() runtime.Description {
	return runtime.Description{ID: "fixture", Retryable: true}
}

func (f *fixture) Call(_ context.Context, r *runtime.Request) (runtime.Answer, error) {
	answer, ok := f.answers[r.Digest]
	if !ok {
		return runtime.Answer{}, algal.Errorf(algal.EffectFailed, "no answer for %s", r.Digest)
	}
	if f.left == 0 {
		return runtime.Answer{}, &algal.Error{Code: algal.EffectSuspended, Message: "waiting for the next section"}
	}
	f.left--
	return runtime.Answer{Output: answer}, nil
}

// longRun is the program of golden/bench with what its recorded run was given.
type longRun struct {
	definition process.Definition
	answers    map[algal.Digest]canon.Value
	head       string
	text       string
}

func readLongRun(b *testing.B) longRun {
	b.Helper()
	decoder, err := zstd.NewReader(nil)
	must(b, err)
	defer decoder.Close()
	data, err := decoder.DecodeAll(golden.Raw(b, "bench/long-30.evidence.json.zst"), nil)
	must(b, err)
	document := parse(b, string(data))
	l := longRun{answers: map[algal.Digest]canon.Value{}, head: document.Get("head").Text(), text: string(data)}
	record := document.Get("records").Get(l.head)
	root := document.Get("program").Get("root").Text()
	l.definition = process.Definition{
		Name:           record.Get("name").Text(),
		Manifest:       manifest(b, document.Get("program").Get("manifests").Get(root).String()),
		Args:           record.Get("args"),
		MaxGenerations: int(record.Get("maxGenerations").Float()),
	}
	for _, e := range document.Get("receipts").Get(record.Get("receipt").Text()).Get("effects").Elements() {
		l.answers[algal.Digest(e.Get("requestDigest").Text())] = e.Get("output")
	}
	return l
}

// BenchmarkLongRun makes the 30 ticks of golden/bench and exports the process. What
// comes out is the recorded document, byte for byte.
func BenchmarkLongRun(b *testing.B) {
	l := readLongRun(b)
	ticks, exports := time.Duration(0), time.Duration(0)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		f := &fixture{answers: l.answers}
		s := openShop(b, benchRoot(b), nil, f)
		_, err := s.Create(b.Context(), l.definition)
		must(b, err)
		b.StartTimer()
		start := time.Now()
		var last *process.Snapshot
		for range l.definition.MaxGenerations {
			f.left = 1
			last, err = s.Tick(b.Context(), l.definition.Name, process.Options{})
			must(b, err)
		}
		if string(last.Digest) != l.head {
			b.Fatalf("came to %s, want %s", last.Digest, l.head)
		}
		ticks += time.Since(start)
		start = time.Now()
		document, err := s.Export(b.Context(), l.definition.Name, mailboxSignatures())
		must(b, err)
		exports += time.Since(start)
		if strings.TrimSpace(l.text) != document.Text {
			b.Fatal("another document")
		}
	}
	b.ReportMetric(ticks.Seconds()/float64(b.N), "s/30-ticks")
	b.ReportMetric(exports.Seconds()/float64(b.N), "s/export")
}
