package check

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/organism"
)

// place is a directory of immutable objects.
type place int

const (
	values place = iota
	manifests
	runs
)

func (p place) dir() string { return [...]string{"values", "manifests", "runs"}[p] }

// object names one object.
type object struct {
	place  place
	digest algal.Digest
}

func (o object) path() string { return o.place.dir() + "/" + o.digest.Hex() + suffix }

// state is what is known of an object.
type state int

const (
	unread state = iota
	intact
	absent
	irregular // something that is no file has its name
	damaged
)

// knowledge is the state of an object and who needs it.
type knowledge struct {
	state     state
	why       string // of a damaged one
	needed    bool
	referrers []string
}

// objects is what is known of the immutable objects of a store. It reads each when
// it is asked for, and remembers verdicts, not values. It is safe for concurrent
// use.
type objects struct {
	*examination
	mu    sync.Mutex
	known map[object]*knowledge
}

func newObjects(e *examination) *objects {
	return &objects{examination: e, known: map[object]*knowledge{}}
}

// errDamaged stands for whatever is wrong with an object. It is found anyway.
var errDamaged = algal.Errorf(algal.DigestMismatch, "the object is damaged")

// load reads an object and judges it: canonical text of a value that hashes to the
// name; of a manifest, its normal form. The value is absent when there is none.
func (o *objects) load(at object) (canon.Value, state, error) {
	if o.closed[at.place.dir()] {
		return canon.Value{}, unread, errDamaged
	}
	v, s, why := o.judge(at)
	o.mu.Lock()
	k := o.about(at)
	k.state, k.why = s, why
	o.mu.Unlock()
	if s == damaged || s == irregular {
		return canon.Value{}, s, errDamaged
	}
	return v, s, nil
}

func (o *objects) judge(at object) (v canon.Value, s state, why string) {
	text, err := durable.Read(o.path(at.path()), durable.MaxBytes, durable.NoFollow)
	var fault *durable.Fault
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return canon.Value{}, absent, ""
	case errors.As(err, &fault) && (fault.Kind == durable.Symlink || fault.Kind == durable.Irregular):
		return canon.Value{}, irregular, ""
	case err != nil:
		return canon.Value{}, damaged, err.Error()
	}
	document, err := canon.ParseDocument(text, canon.Limits{Nodes: maxNodes})
	switch v = document.Value; {
	case err != nil:
		return canon.Value{}, damaged, err.Error()
	case !document.Canonical:
		return canon.Value{}, damaged, "the text is not canonical"
	case v.Digest() != at.digest:
		return canon.Value{}, damaged, "hashes to " + string(v.Digest())
	}
	if at.place == manifests {
		m, err := organism.ParseManifest(v)
		switch {
		case err != nil:
			return canon.Value{}, damaged, "not a manifest: " + err.Error()
		case m.Digest() != at.digest:
			return canon.Value{}, damaged, "not the normal form, which hashes to " + string(m.Digest())
		}
	}
	return v, intact, ""
}

// maxNodes bounds the values of an object (store.md §2).
const maxNodes = 1_000_000

// about returns what is known of an object. The caller has the lock.
func (o *objects) about(at object) *knowledge {
	k := o.known[at]
	if k == nil {
		k = &knowledge{}
		o.known[at] = k
	}
	return k
}

// need notes that somebody needs an object. One that nobody has read is read.
func (o *objects) need(at object, referrer string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	k := o.about(at)
	k.needed = true
	if len(k.referrers) < MaxReferrers && !slices.Contains(k.referrers, referrer) {
		k.referrers = append(k.referrers, referrer)
	}
}

func objectsOf(p place) func(*examination, context.Context) {
	return func(e *examination, ctx context.Context) { e.objects.room(ctx, p) }
}

// room examines all objects of a place and then those that are missing there.
func (o *objects) room(ctx context.Context, p place) {
	if o.closed[p.dir()] {
		return
	}
	var there []object
	for _, d := range o.entries(p.dir(), ObjectNotRegular) {
		digest, ok := digestOf(d.Name())
		if !ok {
			o.stranger(p.dir()+"/"+d.Name(), d)
			continue
		}
		at := object{p, digest}
		if there = append(there, at); !d.Type().IsRegular() {
			o.about(at).state = irregular
		}
	}
	o.summary.Objects += len(there)
	o.readRest(ctx, there)
	if ctx.Err() != nil {
		return
	}
	for _, at := range there {
		o.tell(at)
	}
	for _, at := range o.missing(p) {
		o.tell(at)
	}
}

// readRest judges the objects that no examination so far has come across.
func (o *objects) readRest(ctx context.Context, there []object) {
	rest := slices.DeleteFunc(slices.Clone(there), func(at object) bool {
		k := o.about(at)
		return k.state != unread || o.options.Quick && !k.needed
	})
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(rest)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(rest)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				o.load(rest[i])
			}
		})
	}
	workers.Wait()
}

// missing returns the objects of a place that are needed and not there.
func (o *objects) missing(p place) []object {
	var list []object
	for at, k := range o.known {
		if at.place == p && k.needed && k.state == absent {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, func(a, b object) int { return cmp.Compare(a.digest, b.digest) })
	return list
}

// tell reports what an object's state calls for.
func (o *objects) tell(at object) {
	k := o.known[at]
	f := Finding{Path: at.path(), Digest: at.digest, Referrers: k.referrers}
	switch {
	case k.state == irregular:
		f.Kind, f.Advice = ObjectNotRegular, "not a regular file, and nothing reads through it: remove it"+k.restore()
	case k.state == damaged:
		f.Kind, f.Advice = ObjectDamaged, k.why+": move the file away"+k.restore()
	case k.state == absent && k.needed:
		f.Kind, f.Advice = ObjectMissing, "it is needed and is not there"+k.restore()
	case !k.needed && k.state != absent:
		f.Kind, f.Advice = ObjectUnreferenced, "no process, journal or mailbox needs it"
	default:
		return
	}
	o.report(f)
}

// restore says how a needed object comes back.
func (k *knowledge) restore() string {
	if !k.needed {
		return ""
	}
	if strings.Contains(k.referrers[0], "/journals/") {
		return "; the records of journals are in no evidence, only in copies of the store"
	}
	return "; algal evidence restore puts it back from evidence of the process"
}
