//go:build unix

package disk_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/durable"
	"github.com/google/go-cmp/cmp"
)

// The tests of this file are named after the entries of conformance.md §2 and §3.

func TestS1(t *testing.T) {
	for _, k := range kinds {
		root := scratch(t)
		if err := k.put(open(root)); err != nil {
			t.Errorf("%s: put = %v", k.name, err)
		}
		got, err := k.get(open(root))
		if err != nil || got.String() != k.text {
			t.Errorf("%s: get = %s, %v, want %s", k.name, got, err, k.text)
		}
		if diff := cmp.Diff(map[string]string{".": "/", filepath.Dir(k.file): "/", k.file: k.text}, tree(t, root)); diff != "" {
			t.Errorf("%s: %s", k.name, diff)
		}
	}
}

// TestS2: what is not there is absent, and looking for it makes nothing.
func TestS2(t *testing.T) {
	root := filepath.Join(scratch(t), "none")
	s := open(root)
	for _, k := range kinds {
		if got, err := k.get(s); err != nil || got.Exists() {
			t.Errorf("%s: get = %s, %v", k.name, got, err)
		}
	}
	if _, err := os.Lstat(root); err == nil {
		t.Error("reading made the root")
	}
}

func TestS3(t *testing.T) {
	const want = "sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862 hashes to sha256:7e8059f495589fcd981232cc11d00b00da3802c01d688fa1cf1f6bed6e5bb33c"
	root := scratch(t)
	hex := value(`{"a":1}`).Digest().Hex()
	lay(t, root, "values/"+hex+".json", `{"a":2}`)
	lay(t, root, "runs/"+hex+".json", `{"a":2}`)
	_, err := open(root).Value(value(`{"a":1}`).Digest())
	refuses(t, "value", err, algal.DigestMismatch, "value file "+want)
	_, err = open(root).Receipt(value(`{"a":1}`).Digest())
	refuses(t, "receipt", err, algal.DigestMismatch, "receipt file "+want)
}

func TestS4(t *testing.T) {
	root, manifest := scratch(t), kinds[2]
	lay(t, root, manifest.file, `{"contract":"evil"}`)
	_, err := manifest.get(open(root))
	refuses(t, "not a manifest", err, algal.ParseFailed, "")

	other := strings.Replace(manifestText, "Demo", "Other", 1)
	lay(t, root, manifest.file, other)
	_, err = manifest.get(open(root))
	refuses(t, "another manifest", err, algal.DigestMismatch,
		"manifest file "+string(value(manifestText).Digest())+" hashes to "+string(value(other).Digest()))
}

// TestManifestAuthored: a file with the form that the author wrote stands for the
// normal form, but a put does not take it for what it would write (store.md §5).
func TestManifestAuthored(t *testing.T) {
	root, manifest := scratch(t), kinds[2]
	_, rest, _ := strings.Cut(manifestText, `},"cells"`)
	authored := `{"cells"` + rest
	lay(t, root, manifest.file, authored)
	if got, err := manifest.get(open(root)); err != nil || got.String() != manifestText {
		t.Errorf("Manifest = %s, %v", got, err)
	}
	refuses(t, "PutManifest", manifest.put(open(root)), algal.DigestMismatch,
		"manifest file "+string(value(manifestText).Digest())+" hashes to "+string(value(authored).Digest()))
}

// TestS5: a damaged object makes the put of the same object fail, and stays.
func TestS5(t *testing.T) {
	for _, k := range kinds[:4] {
		for _, damage := range []string{"", "{", `{"a":2}`, "\xff", k.text[:len(k.text)-1]} {
			root := scratch(t)
			lay(t, root, k.file, damage)
			before := tree(t, root)
			if err := k.put(open(root)); err == nil || algal.CodeOf(err) == algal.Internal {
				t.Errorf("%s over %q: put = %v", k.name, damage, err)
			}
			if diff := cmp.Diff(before, tree(t, root)); diff != "" {
				t.Errorf("%s over %q: %s", k.name, damage, diff)
			}
		}
	}
	refuses(t, "value", kinds[0].put(open(damaged(t, kinds[0].file, `{"a":2}`))), algal.DigestMismatch, "")
}

func damaged(t *testing.T, file, content string) string {
	root := scratch(t)
	lay(t, root, file, content)
	return root
}

// TestS6: nothing that was put or read hides what the disk holds now.
func TestS6(t *testing.T) {
	root := scratch(t)
	s := open(root)
	for _, k := range kinds[:4] {
		if err := k.put(s); err != nil {
			t.Fatal(err)
		}
		if _, err := k.get(s); err != nil {
			t.Fatal(err)
		}
		lay(t, root, k.file, `{"a":2}`)
		for name, s := range map[string]*disk.Store{"the same": s, "another": open(root)} {
			if got, err := k.get(s); err == nil {
				t.Errorf("%s: %s process reads %s", k.name, name, got)
			}
		}
	}
}

func TestS7(t *testing.T) {
	for _, k := range kinds {
		for _, what := range []string{"link", "dangling link", "file", "fifo"} {
			dir := scratch(t)
			root, target := filepath.Join(dir, "store"), filepath.Join(dir, "target")
			space := filepath.Join(root, filepath.Dir(k.file))
			if err := os.MkdirAll(root, 0o700); err != nil {
				t.Fatal(err)
			}
			plant(t, what, space, target)
			before := tree(t, dir)
			promptly(t, func() {
				_, err := k.get(open(root))
				refuses(t, k.name+": get through a "+what, err, algal.IOFailed, unexpectedType)
				refuses(t, k.name+": put through a "+what, k.put(open(root)), algal.IOFailed, unexpectedType)
			})
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("%s through a %s: %s", k.name, what, diff)
			}
		}
	}
}

// plant puts something else in the place of a directory.
func plant(t *testing.T, what, path, target string) {
	t.Helper()
	var err error
	switch what {
	case "link":
		if err = os.Mkdir(target, 0o700); err == nil {
			err = os.Symlink(target, path)
		}
	case "dangling link":
		err = os.Symlink(target, path)
	case "file":
		err = os.WriteFile(path, nil, 0o600)
	case "fifo":
		fifo(t, path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRoot: the root itself is guarded as well, and may be reached through links.
func TestRoot(t *testing.T) {
	for _, k := range kinds {
		for _, what := range []string{"link", "dangling link", "file", "fifo"} {
			dir := scratch(t)
			root := filepath.Join(dir, "store")
			plant(t, what, root, filepath.Join(dir, "target"))
			promptly(t, func() {
				for _, root := range []string{root, root + "/"} {
					_, err := k.get(open(root))
					refuses(t, k.name+": get below a "+what, err, algal.IOFailed, unexpectedType)
					refuses(t, k.name+": put below a "+what, k.put(open(root)), algal.IOFailed, unexpectedType)
				}
			})
		}
		dir := scratch(t)
		if err := os.Mkdir(filepath.Join(dir, "real"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		s := open(filepath.Join(dir, "link", "store"))
		if err := k.put(s); err != nil {
			t.Errorf("%s: put through a linked ancestor = %v", k.name, err)
		}
		if got, err := k.get(s); err != nil || !got.Exists() {
			t.Errorf("%s: get through a linked ancestor = %s, %v", k.name, got, err)
		}
		_, err := k.get(open(filepath.Join(dir, "real", "store", k.file)))
		refuses(t, k.name+": get below a file", err, algal.IOFailed, unexpectedType)
		_, err = k.get(open(filepath.Join(dir, "real", "store", k.file, "store")))
		refuses(t, k.name+": get far below a file", err, algal.IOFailed, "store path cannot be examined: ENOTDIR")
	}
}

// TestS8F7F8: a leaf is never a link, and a regular file in its place
// is fine again.
func TestS8F7F8(t *testing.T) {
	for _, k := range kinds {
		root := scratch(t)
		target := lay(t, root, "target", k.text)
		link := filepath.Join(root, k.file)
		if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		_, err := k.get(open(root))
		refuses(t, k.name+": get", err, algal.IOFailed, unexpectedType)
		refuses(t, k.name+": put", k.put(open(root)), algal.IOFailed, unexpectedType)
		if content, err := os.ReadFile(target); err != nil || string(content) != k.text {
			t.Errorf("%s: the target holds %q, %v", k.name, content, err)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
		lay(t, root, k.file, k.text)
		if got, err := k.get(open(root)); err != nil || got.String() != k.text {
			t.Errorf("%s: get of a regular file = %s, %v", k.name, got, err)
		}
		if err := k.put(open(root)); err != nil {
			t.Errorf("%s: put over a regular file = %v", k.name, err)
		}
	}
}

// TestF6F12: a FIFO or directory under the name of an object is refused at
// once and left in place. The code is that of store.md §11 ("do this: TypeScript").
func TestF6F12(t *testing.T) {
	for _, k := range kinds {
		for what, make := range map[string]func(path string){
			"fifo":      func(path string) { fifo(t, path) },
			"directory": func(path string) { os.MkdirAll(path, 0o700) },
		} {
			root := scratch(t)
			make(filepath.Join(root, k.file))
			before := tree(t, root)
			promptly(t, func() {
				_, err := k.get(open(root))
				refuses(t, k.name+": get of a "+what, err, algal.IOFailed, unexpectedType)
				refuses(t, k.name+": put over a "+what, k.put(open(root)), algal.IOFailed, unexpectedType)
			})
			if diff := cmp.Diff(before, tree(t, root)); diff != "" {
				t.Errorf("%s: %s", k.name, diff)
			}
		}
	}
}

// TestS10: the suite has eight writers and a reader on one publisher; here the
// writers are stores of their own, as processes are.
func TestS10(t *testing.T) {
	root := filepath.Join(scratch(t), "store")
	done := make(chan error, 8)
	for range cap(done) {
		go func() {
			s := open(root)
			for range 4 {
				for _, k := range kinds {
					if err := k.put(s); err != nil {
						done <- err
						return
					}
					if got, err := k.get(s); err != nil || got.String() != k.text {
						done <- algal.Errorf(algal.Internal, "%s: get = %s, %v", k.name, got, err)
						return
					}
				}
			}
			done <- nil
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	checkTree(t, root)
}

// TestS11: the size alone refuses, without reading.
func TestS11(t *testing.T) {
	for _, k := range kinds {
		root := scratch(t)
		bound := int64(67_108_864)
		if k.name == "slots" {
			bound = 262_144
		}
		if err := os.Truncate(lay(t, root, k.file, ""), bound+1); err != nil {
			t.Fatal(err)
		}
		_, err := k.get(open(root))
		refuses(t, k.name, err, algal.BudgetExhausted, "store file type/byte bound exceeded")
	}
}

// TestS12: the longest string of a slot has 262,142 characters.
func TestS12(t *testing.T) {
	root := scratch(t)
	s := open(root)
	fits := canon.String(strings.Repeat("x", 262_142))
	if err := s.SetSlot("s", fits); err != nil {
		t.Error(err)
	}
	if got, err := s.Slot("s"); err != nil || !canon.Equal(got, fits) {
		t.Errorf("Slot: %d bytes, %v", got.Size(), err)
	}
	err := s.SetSlot("s", canon.String(strings.Repeat("x", 262_143)))
	refuses(t, "SetSlot", err, algal.BudgetExhausted, "store document byte bound exceeded")
	if got, err := s.Slot("s"); err != nil || !canon.Equal(got, fits) {
		t.Errorf("Slot after a refusal: %d bytes, %v", got.Size(), err)
	}
	// An object may be larger than a slot.
	if _, err := s.PutValue(canon.String(strings.Repeat("x", 262_143))); err != nil {
		t.Error(err)
	}
}

func TestObjectBytes(t *testing.T) {
	root := scratch(t)
	_, err := open(root).PutValue(canon.String(strings.Repeat("x", 67_108_863)))
	refuses(t, "PutValue", err, algal.BudgetExhausted, "store document byte bound exceeded")
	_, err = open(root).PutValue(canon.Value{})
	refuses(t, "PutValue of nothing", err, algal.ParseFailed, "store value is not a JSON value")
	if diff := cmp.Diff(map[string]string{".": "/"}, tree(t, root)); diff != "" {
		t.Error(diff)
	}
}

func TestS13(t *testing.T) {
	deep := canon.Int(1)
	for range 65 {
		deep = canon.Array(deep)
	}
	const message = "store JSON depth/count exceeded"
	root := filepath.Join(scratch(t), "store")
	s := open(root)
	_, err := s.PutValue(deep)
	refuses(t, "PutValue", err, algal.BudgetExhausted, message)
	_, err = s.PutReceipt(deep)
	refuses(t, "PutReceipt", err, algal.BudgetExhausted, message)
	refuses(t, "SetSlot", s.SetSlot("s", deep), algal.BudgetExhausted, message)
	refuses(t, "PutEffect", s.PutEffect("e", canon.Object(canon.M("output", deep))), algal.BudgetExhausted, message)
	if _, err := os.Lstat(root); err == nil {
		t.Error("a refused put made the root")
	}
	for _, k := range kinds {
		lay(t, root, k.file, strings.Repeat("[", 65)+"1"+strings.Repeat("]", 65))
		_, err := k.get(s)
		refuses(t, k.name, err, algal.BudgetExhausted, message)
	}
}

// S-14 and the plain form of S-15 are in castest.

func TestS15(t *testing.T) {
	root := scratch(t)
	later := strings.Replace(effectText, `"output":1`, `"output":2`, 1)
	for _, text := range []string{effectText, later} {
		if err := open(root).PutEffect("id1", value(text)); err != nil {
			t.Error(err)
		}
		if got, err := open(root).Effect("id1", requestDigest); err != nil || got.String() != effectText {
			t.Errorf("Effect = %s, %v", got, err)
		}
	}
}

func TestS16(t *testing.T) {
	root, effect := scratch(t), kinds[3]
	other := canon.DigestText("other")
	foreign := strings.Replace(effectText, string(requestDigest), string(other), 1)
	lay(t, root, effect.file, foreign)
	message := "effect file " + string(requestDigest) + " claims request " + string(other)
	_, err := effect.get(open(root))
	refuses(t, "Effect", err, algal.DigestMismatch, message)
	refuses(t, "PutEffect", effect.put(open(root)), algal.DigestMismatch, message)
}

// TestS17: a damaged memo is an error again and again, never a new answer.
func TestS17(t *testing.T) {
	for damage, code := range map[string]algal.Code{
		"{": algal.ParseFailed,
		`{"executor":"e","requestDigest":"` + string(requestDigest) + `"}`: algal.ParseFailed,
		effectText[:len(effectText)-1] + `,"more":1}`:                      algal.ParseFailed,
	} {
		root, effect := scratch(t), kinds[3]
		lay(t, root, effect.file, damage)
		s := open(root)
		for _, s := range []*disk.Store{s, s, open(root)} {
			_, err := effect.get(s)
			refuses(t, damage, err, code, "")
			refuses(t, damage, effect.put(s), code, "")
		}
		if content, err := os.ReadFile(filepath.Join(root, effect.file)); err != nil || string(content) != damage {
			t.Errorf("the memo is now %q, %v", content, err)
		}
	}
}

// TestEffectNormal: what is kept is the normal form, and a memo in another form
// reads as the normal form.
func TestEffectNormal(t *testing.T) {
	root, effect := scratch(t), kinds[3]
	authored := effectText[:len(effectText)-1] + `,"usage":{}}`
	if err := open(root).PutEffect("id1", value(authored)); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(root, effect.file)); err != nil || string(content) != effectText {
		t.Errorf("the memo holds %q, %v", content, err)
	}
	lay(t, root, effect.file, authored)
	if got, err := effect.get(open(root)); err != nil || got.String() != effectText {
		t.Errorf("Effect = %s, %v", got, err)
	}
}

func TestEffectArguments(t *testing.T) {
	s := open(scratch(t))
	const message = "effect request digest must be a sha256:<64 lowercase hex> digest"
	_, err := s.Effect("e", "sha256:../../outside")
	refuses(t, "Effect", err, algal.ParseFailed, message)
	bare := disk.Open(scratch(t), disk.Options{})
	refuses(t, "PutEffect without a contract", bare.PutEffect("e", value(effectText)), algal.Internal, "")
}

func TestS18(t *testing.T) {
	root := scratch(t)
	s := open(root)
	const message = "invalid slot name"
	for _, name := range []string{"", "A", "1a", "../x", "a/b", "a\x00", "a" + strings.Repeat("b", 64)} {
		_, err := s.Slot(name)
		refuses(t, name, err, algal.ParseFailed, message)
		refuses(t, name, s.SetSlot(name, canon.Null()), algal.ParseFailed, message)
	}
	// Wider names are read where another runtime wrote them, and not made.
	for _, name := range []string{"a.b", "a_b"} {
		if v, err := s.Slot(name); err != nil || v.Exists() {
			t.Errorf("Slot(%q) = %s, %v", name, v, err)
		}
		refuses(t, name, s.SetSlot(name, canon.Null()), algal.ParseFailed, message)
		lay(t, root, "slots/"+name+".json", "[1]")
		if v, err := s.Slot(name); err != nil || v.String() != "[1]" {
			t.Errorf("Slot(%q) = %s, %v", name, v, err)
		}
	}
}

// TestS19: a put that finds its object validates the file, then syncs it and its
// directory, all before it reports success.
func TestS19(t *testing.T) {
	for _, k := range kinds[:4] {
		root := scratch(t)
		path := lay(t, root, k.file, " "+k.text+"\n")
		var synced []string
		s := openHooked(root, func(s durable.Step, do func() error) error {
			if s.Op == durable.OpFileSync || s.Op == durable.OpDirSync {
				synced = append(synced, s.Path)
			}
			return do()
		})
		if err := k.put(s); err != nil {
			t.Errorf("%s: put = %v", k.name, err)
		}
		at := slices.Index(synced, path)
		if at < 0 || !slices.Contains(synced[at:], filepath.Dir(path)) {
			t.Errorf("%s: synced %q, want the file and then its directory", k.name, synced)
		}
		lay(t, root, k.file, `{"a":2}`)
		synced = nil
		if err := k.put(s); err == nil || slices.Contains(synced, path) {
			t.Errorf("%s: put over a damaged file = %v, synced %q", k.name, err, synced)
		}
	}
}

// TestC2: a digest argument can never form a path.
func TestC2(t *testing.T) {
	root := scratch(t)
	lay(t, root, "outside.json", "1")
	s := open(filepath.Join(root, "store"))
	const message = "store digest must be a sha256:<64 lowercase hex> digest"
	for _, d := range []algal.Digest{"", "sha256:../../outside", algal.Digest("sha256:" + strings.Repeat("A", 64)), algal.Digest(strings.Repeat("a", 64)),
		algal.Digest("sha256:" + strings.Repeat("a", 64) + "\n")} {
		for name, get := range map[string]func(algal.Digest) (canon.Value, error){"Value": s.Value, "Receipt": s.Receipt, "Manifest": s.Manifest} {
			_, err := get(d)
			refuses(t, name, err, algal.ParseFailed, message)
		}
	}
}
