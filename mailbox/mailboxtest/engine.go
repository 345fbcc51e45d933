package mailboxtest

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func records(t *testing.T, open func(*testing.T) Store) {
	e := open(t).Engine
	const name = "mailboxes/a/messages/x.json"
	reads := func(want string, wantFound bool) {
		t.Helper()
		if text, found, err := e.Read(name); text != want || found != wantFound || err != nil {
			t.Fatalf("read %q, %v, %v, want %q, %v", text, found, err, want, wantFound)
		}
	}
	reads("", false)
	must(t, e.Guard(".", name, "mailboxes", "mailboxes/a"))
	if found, err := e.Retain(name, func(string) error { t.Error("judged what is not there"); return nil }); found || err != nil {
		t.Fatalf("retained %v, %v", found, err)
	}
	for i, text := range []string{"first", "second"} {
		if fresh, err := e.Create(name, text); fresh != (i == 0) || err != nil {
			t.Fatalf("create %s: %v, %v", text, fresh, err)
		}
		reads("first", true)
	}
	refusal := errors.New("refusal")
	for _, verdict := range []error{nil, refusal} {
		found, err := e.Retain(name, func(text string) error {
			if text != "first" {
				t.Errorf("judged %q", text)
			}
			return verdict
		})
		if !found || err != verdict {
			t.Fatalf("retained %v, %v, want %v", found, err, verdict)
		}
	}
	must(t, e.Replace(name, "third"))
	reads("third", true)
	must(t, e.Remove(name))
	reads("", false)
	if err := e.Remove(name); err == nil {
		t.Fatal("removed what is not there")
	}
	must(t, e.Replace(name, ""))
	reads("", true)
	must(t, e.Guard(".", name, "mailboxes", "mailboxes/a"))
}

func directories(t *testing.T, open func(*testing.T) Store) {
	e := open(t).Engine
	is := func(name string, want bool) {
		t.Helper()
		if got, err := e.Directory(name); got != want || err != nil {
			t.Fatalf("%s a directory: %v, %v", name, got, err)
		}
	}
	scan := func(bound int) (names []string, dirs int, err error) {
		err = e.Scan("mailboxes", bound, func(name string, mode fs.FileMode) error {
			names = append(names, name)
			if mode.IsDir() {
				dirs++
			} else if !mode.IsRegular() {
				t.Errorf("%s is %v", name, mode)
			}
			return nil
		})
		return names, dirs, err
	}
	is("mailboxes/a/b", false)
	if names, _, err := scan(0); names != nil || err != nil {
		t.Fatalf("scanned %v, %v where nothing is", names, err)
	}
	for range 2 {
		must(t, e.Ensure("mailboxes/b/c"))
	}
	must(t, e.Replace("mailboxes/a.json", "{}"))
	must(t, e.Replace("mailboxes/a-b/file.json", "{}"))
	is("mailboxes/b/c", true)
	is("mailboxes/b", true)
	is("mailboxes/a-b", true)
	is("mailboxes/a.json", false)
	is("mailboxes/b/d", false)
	names, dirs, err := scan(3)
	if want := []string{"a-b", "a.json", "b"}; !slices.Equal(names, want) || dirs != 2 || err != nil {
		t.Fatalf("scanned %v with %d directories, %v, want %v", names, dirs, err, want)
	}
	var f *durable.Fault
	if names, _, err := scan(2); names != nil || !errors.As(err, &f) || f.Kind != durable.TooMany || f.Bound != 2 {
		t.Fatalf("scanned %v, %v beyond the bound", names, err)
	}
	refusal := errors.New("refusal")
	if err := e.Scan("mailboxes", 3, func(string, fs.FileMode) error { return refusal }); err != refusal {
		t.Fatalf("scan returned %v", err)
	}
}

func locks(t *testing.T, open func(*testing.T) Store) {
	e := open(t).Engine
	must(t, e.Ensure("mailboxes/a"))
	const name = "mailboxes/a/.lock"
	is := func(want bool) {
		t.Helper()
		if got, err := e.Locked(name); got != want || err != nil {
			t.Fatalf("locked: %v, %v", got, err)
		}
	}
	for range 2 {
		is(false)
		for _, want := range []bool{true, false, false} {
			if taken, err := e.Lock(name); taken != want || err != nil {
				t.Fatalf("lock: %v, %v", taken, err)
			}
			is(true)
		}
		must(t, e.Unlock(name))
	}
	is(false)
	if err := e.Unlock(name); err == nil {
		t.Fatal("unlocked what was not locked")
	}
}

func admission(t *testing.T, open func(*testing.T) Store) {
	s := open(t)
	for range 2 {
		release, err := s.Admit(ctx)
		must(t, err)
		_, err = s.Admit(ctx)
		if !custody.Held(err) {
			t.Fatalf("admitted twice: %v", err)
		}
		_, err = s.Service().Create(ctx, "a", 1, 1)
		Refused(t, "create during a creation", err, algal.IOFailed, "host lease is held by another live operation")
		if list, err := s.Service().List(); len(list) > 0 || err != nil {
			t.Fatalf("list %v, %v", list, err)
		}
		must(t, release())
	}
	newBox(t, s, "a", 1, 1)
	// A creation whose lease cannot be given up is not acknowledged, and is there.
	failing := func(ctx context.Context) (func() error, error) {
		release, err := s.Admit(ctx)
		return func() error { return errors.Join(errors.New("failing release"), release()) }, err
	}
	c, err := mailbox.New(s.Engine, failing).Create(ctx, "b", 1, 1)
	if c != (mailbox.Config{}) || err == nil || err.Error() != "failing release" {
		t.Fatalf("created %v, %v", c, err)
	}
	if there, err := s.Service().Find("b"); there == nil || *there != newBox(t, s, "b", 1, 1).Config {
		t.Fatalf("found %v, %v", there, err)
	}
}
