package mailbox

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/tool/builtin"
)

const (
	zeros = "0000000000000000000000000000000000000000000000000000000000000000"
	nKey  = algal.Digest("sha256:2bfd14f43d17fc7cea24e0917a8879b4b2f880b8baeec1b9d90fbaad655e71bd")
)

func mustParse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestHandleVectors are the vectors of mailbox.md §2.1.
func TestHandleVectors(t *testing.T) {
	for class, want := range map[string]string{
		SendClass:    "cap:mailbox-send:sha256:253177c7e20debb2e861a4b484de0f642ed7a932b3dbb690e41663b277b3dd48",
		ReceiveClass: "cap:mailbox-receive:sha256:fc18d09d1ca3739fee812799047c3bd92e3b43ec8a4e4fc99828262f9a863577",
	} {
		suffix := class[len("mailbox-"):]
		c := newCapability(class, "inbox", zeros+"-"+suffix)
		if c.Handle.String() != want {
			t.Errorf("%s: %s, want %s", class, c.Handle, want)
		}
	}
}

// TestMessageVectors are those of §3.3 and of the golden digests.
func TestMessageVectors(t *testing.T) {
	m := newMessage("box", nKey, mustParse(t, `{"b":[1,"é"],"a":null}`))
	const want = `{"contract":"algal.mailbox-message.v1","id":"sha256:0844c9dd36dc29c542b4ef6df9528763510e93efc313905f9df39f41ac393eb6",` +
		`"idempotencyKey":"sha256:2bfd14f43d17fc7cea24e0917a8879b4b2f880b8baeec1b9d90fbaad655e71bd","mailbox":"box","value":{"a":null,"b":[1,"é"]}}`
	if got := m.Record().String(); got != want {
		t.Errorf("claim\n%s\nwant\n%s", got, want)
	}
	if got := m.file(); got != "2bfd14f43d17fc7cea24e0917a8879b4b2f880b8baeec1b9d90fbaad655e71bd.json" {
		t.Errorf("file %s", got)
	}
	if got := newMessage("box", nKey, canon.Int(1)).ID; got != "sha256:fba2ed28e2af56dfe82b4ff27cee6888797c2792ab263acb125c85b8ae51ee70" {
		t.Errorf("id of 1: %s", got)
	}
}

// TestWakeVector is that of §11.2.
func TestWakeVector(t *testing.T) {
	if got := wakeKey(zeros); got != "sha256:c799c246d9c0dad253d6a51a8c18b586473b6e2480008d6eccb409653b1ca5c3" {
		t.Errorf("wake key %s", got)
	}
	if a, b := NewKey(), NewKey(); a == b || !algal.IsDigest(string(a)) {
		t.Errorf("keys %s and %s", a, b)
	}
}

// TestGoldenDigests are the golden rows about mailboxes.
func TestGoldenDigests(t *testing.T) {
	rows := map[string]canon.Value{}
	for _, row := range mustParse(t, string(golden.Read(t, "digests.json"))).Elements() {
		rows[row.Get("what").Text()] = row
	}
	row := func(what string) (input canon.Value, digest algal.Digest) {
		if !rows[what].Exists() {
			t.Errorf("no row %q", what)
		}
		return rows[what].Get("input"), algal.Digest(rows[what].Get("digest").Text())
	}
	input, want := row("mailbox capability descriptor -> handle cap:mailbox-send:<digest>")
	if got := newCapability(SendClass, input.Get("mailbox").Text(), input.Get("nonce").Text()); got.Handle.Digest != want {
		t.Errorf("handle %s, want %s", got.Handle, want)
	}
	input, want = row("mailbox message id (envelope without id)")
	if got := newMessage(input.Get("mailbox").Text(), algal.Digest(input.Get("idempotencyKey").Text()), input.Get("value")); got.ID != want {
		t.Errorf("message %s, want %s", got.ID, want)
	}
	tools := New(nil, nil).Tools()
	for _, name := range builtin.Names() {
		_, want := row("configuration digest of built-in tool " + name)
		if got := tools[name].Configuration; got != want {
			t.Errorf("configuration of %s %s, want %s", name, got, want)
		}
	}
	if len(tools) != 2 {
		t.Errorf("%d tools", len(tools))
	}
}

// TestRecordVectors: the examples of §3.1 and §3.2 are read and written back.
func TestRecordVectors(t *testing.T) {
	const config = `{"contract":"algal.mailbox.v1","maxMessageBytes":64,"maxMessages":4,"name":"box","receive":"cap:mailbox-receive:sha256:c06fc1576554f43f1d6f64e5bd53b9a266e004c4c1df1504a3c14b702a5e4110","send":"cap:mailbox-send:sha256:ed490c14cae2d9b177269f3323005635e11195ea93ef980fcb4db28600787a08"}`
	const capability = `{"capability":"mailbox-send","contract":"algal.capability.v1","handle":"cap:mailbox-send:sha256:ed490c14cae2d9b177269f3323005635e11195ea93ef980fcb4db28600787a08","mailbox":"box","nonce":"5250a0c523075a7f2dbfa648acbf9fd86251d8845fd0c1db0c46ad5898fa547d-send","revoked":false}`
	c, err := ParseConfig(mustParse(t, config), "x")
	if err != nil || c.Record().String() != config {
		t.Errorf("configuration %s, %v", c.Record(), err)
	}
	a, err := ParseCapability(mustParse(t, capability), "x")
	if err != nil || a.Record().String() != capability {
		t.Errorf("capability %s, %v", a.Record(), err)
	}
	if a.Handle != c.Send {
		t.Errorf("handles %s and %s", a.Handle, c.Send)
	}
}
