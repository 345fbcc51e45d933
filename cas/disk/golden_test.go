//go:build unix

package disk_test

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/google/go-cmp/cmp"
)

// goldenStore copies a store of golden/stores to a directory and returns its entry
// in the index.
func goldenStore(t *testing.T, name string) (root string, entry canon.Value) {
	t.Helper()
	index := value(string(golden.Read(t, "stores/index.json")))
	for _, entry := range index.Get("stores").Elements() {
		if !entry.Get("name").IsText(name) {
			continue
		}
		root := scratch(t)
		files := slices.DeleteFunc(append(golden.Glob(t, "stores/*/*"), golden.Glob(t, "stores/*/*/*")...),
			func(file string) bool { return !strings.HasPrefix(file, "stores/"+name+"/") })
		for _, file := range files {
			lay(t, root, strings.TrimPrefix(file, "stores/"+name+"/"), string(golden.Read(t, file)))
		}
		if want := int(entry.Get("files").Float()); len(files) != want {
			t.Fatalf("%d files, want %d", len(files), want)
		}
		for _, dir := range entry.Get("emptyDirectories").Elements() {
			if err := os.MkdirAll(path.Join(root, dir.Text()), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		return root, entry
	}
	t.Fatalf("no store %s in the index", name)
	return "", canon.Value{}
}

// TestGoldenObjects: what the reference put reads as listed, and putting it into an
// empty store gives the same files.
func TestGoldenObjects(t *testing.T) {
	root, entry := goldenStore(t, "objects")
	expect := entry.Get("expect")
	from, copied := open(root), scratch(t)
	to := open(copied)
	n := 0
	for hex, size := range expect.Get("values").Members() {
		v, err := from.Value(algal.Digest(hex))
		if err != nil || v.Size() != int(size.Float()) {
			t.Errorf("%s: %d bytes, %v, want %s", hex, v.Size(), err, size)
			continue
		}
		d, err := to.PutValue(v)
		if err != nil || string(d) != hex {
			t.Errorf("PutValue = %s, %v, want %s", d, err, hex)
		}
		n++
	}
	for name, digest := range expect.Get("manifests").Members() {
		m, err := from.Manifest(algal.Digest(digest.Text()))
		if err != nil || !m.Exists() {
			t.Errorf("manifest %s: %v", name, err)
			continue
		}
		d, err := to.PutManifest(m)
		if err != nil || string(d) != digest.Text() {
			t.Errorf("PutManifest = %s, %v, want %s", d, err, digest)
		}
		n++
	}
	receipt, err := from.Receipt(algal.Digest(expect.Get("receipt").Text()))
	if err != nil || !receipt.Get("outcome").IsText(expect.Get("runOutcome").Text()) {
		t.Errorf("receipt: %s, %v", receipt.Get("outcome"), err)
	}
	if _, err := to.PutReceipt(receipt); err != nil {
		t.Error(err)
	}
	n++
	for name, want := range expect.Get("slots").Members() {
		v, err := from.Slot(name)
		if err != nil || !canon.Equal(v, want) {
			t.Errorf("slot %s = %s, %v, want %s", name, v, err, want)
		}
		if err := to.SetSlot(name, v); err != nil {
			t.Error(err)
		}
		n++
	}
	for _, want := range expect.Get("effects").Elements() {
		memo, err := from.Effect(want.Get("executor").Text(), algal.Digest(want.Get("request").Text()))
		if err != nil || !canon.Equal(memo.Get("output"), want.Get("output")) {
			t.Errorf("effect of %s = %s, %v, want %s", want.Get("executor"), memo, err, want.Get("output"))
			continue
		}
		if err := to.PutEffect(want.Get("executor").Text(), memo); err != nil {
			t.Error(err)
		}
		n++
	}
	if want := int(entry.Get("files").Float()); n != want {
		t.Errorf("%d objects read, want all %d", n, want)
	}
	if diff := cmp.Diff(tree(t, root), tree(t, copied)); diff != "" {
		t.Errorf("the copy differs: %s", diff)
	}
	t.Logf("%d objects read and put", n)
}

// TestGoldenDamaged: damaged files give the recorded outcome to get and to put, and
// nothing about them changes.
func TestGoldenDamaged(t *testing.T) {
	root, entry := goldenStore(t, "objects-damaged")
	expect := entry.Get("expect")
	before := tree(t, root)
	n := 0
	for _, c := range expect.Get("cases").Elements() {
		n++
		name, d := c.Get("case").Text(), algal.Digest(c.Get("digest").Text())
		v, err := open(root).Value(d)
		if c.Get("get").IsText("value") {
			if err != nil || !canon.Equal(v, c.Get("value")) {
				t.Errorf("%s: get = %s, %v, want %s", name, v, err, c.Get("value"))
			}
			put, err := open(root).PutValue(c.Get("value"))
			if put != d || err != nil {
				t.Errorf("%s: put = %s, %v", name, put, err)
			}
			continue
		}
		refuses(t, name+": get", err, algal.Code(c.Get("code").Text()), c.Get("message").Text())
		original := damagedOriginal(t, d)
		_, err = open(root).PutValue(original)
		refuses(t, name+": put", err, algal.Code(c.Get("code").Text()), c.Get("message").Text())
	}
	if n == 0 {
		t.Fatal("no cases")
	}
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Errorf("the store changed: %s", diff)
	}
	t.Logf("%d damaged files", n)
}

// damagedOriginal returns the small value whose digest names a damaged file.
func damagedOriginal(t *testing.T, d algal.Digest) canon.Value {
	t.Helper()
	for i := range 100 {
		if v := canon.Object(canon.M("a", canon.Int(i))); v.Digest() == d {
			return v
		}
	}
	if v := canon.String("é"); v.Digest() == d {
		return v
	}
	t.Fatalf("no value known with digest %s", d)
	return canon.Value{}
}

// TestGoldenBundle: the objects of a bundle, put into an empty store, get the names
// that the bundle gives them.
func TestGoldenBundle(t *testing.T) {
	root, entry := goldenStore(t, "bundle")
	expect := entry.Get("expect")
	file := path.Join(root, algal.Digest(expect.Get("root").Text()).Hex()+".bundle.json")
	text, err := durable.ReadNamed(file, `transport "t"`, durable.MaxBytes)
	if err != nil {
		t.Fatal(err)
	}
	bundle, s, n := value(text), open(scratch(t)), 0
	for _, place := range []struct {
		name string
		put  func(canon.Value) (algal.Digest, error)
		get  func(algal.Digest) (canon.Value, error)
	}{{"manifests", s.PutManifest, s.Manifest}, {"values", s.PutValue, s.Value}} {
		for digest, v := range bundle.Get(place.name).Members() {
			n++
			if d, err := place.put(v); err != nil || string(d) != digest {
				t.Errorf("%s: put = %s, %v, want %s", place.name, d, err, digest)
			}
		}
		for _, digest := range expect.Get(place.name).Elements() {
			if v, err := place.get(algal.Digest(digest.Text())); err != nil || !v.Exists() {
				t.Errorf("%s: %s is not there: %v", place.name, digest, err)
			}
		}
	}
	if n == 0 {
		t.Fatal("an empty bundle")
	}
	t.Logf("%d objects of a bundle", n)
}
