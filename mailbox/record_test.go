package mailbox

import (
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// recordCases are one fault each in a record, by the part that is replaced.
type recordCase struct {
	old, new string
	code     algal.Code
	message  string
}

const parseFailed = algal.ParseFailed

// TestRecordFaults drives each fault through the reader of its record (§3).
func TestRecordFaults(t *testing.T) {
	send, receive := newCapability(SendClass, "box", zeros+"-send"), newCapability(ReceiveClass, "box", zeros+"-receive")
	config := Config{"box", 4, 64, send.Handle, receive.Handle}
	other := newCapability(SendClass, "other", zeros+"-send")
	long := strings.Repeat("a", 65)
	n := 0
	check := func(name string, record canon.Value, parse func(canon.Value) (canon.Value, error), cases []recordCase) {
		t.Helper()
		text := record.String()
		if got, err := parse(mustParse(t, text)); err != nil || !canon.Equal(got, record) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		for _, c := range append(cases,
			recordCase{text, `[]`, parseFailed, "W must be an object"},
			recordCase{text, `null`, parseFailed, "W must be an object"},
			recordCase{`"contract":`, `"zz":0,"b":0,"contract":`, parseFailed, `W has unknown key "zz"`},
			recordCase{`"contract":"algal.`, `"contract":"algol.`, parseFailed, "W.contract must be " + record.Get("contract").Text()},
		) {
			faulty := strings.Replace(text, c.old, c.new, 1)
			if faulty == text {
				t.Fatalf("%s: %q is not in %s", name, c.old, text)
			}
			got, err := parse(mustParse(t, faulty))
			if algal.CodeOf(err) != c.code || err.Error() != c.message {
				t.Errorf("%s: %s gives %v, want %s %s", name, faulty, err, c.code, c.message)
			}
			if got.Exists() {
				t.Errorf("%s: %s is read as %s", name, faulty, got)
			}
			n++
		}
	}
	missing := func(record canon.Value, key string) recordCase {
		member := canon.Object(canon.M(key, record.Get(key))).String()
		member = member[1 : len(member)-1]
		if strings.HasSuffix(record.String(), member+"}") {
			return recordCase{"," + member, "", parseFailed, `W requires "` + key + `"`}
		}
		return recordCase{member + ",", "", parseFailed, `W requires "` + key + `"`}
	}

	r := config.Record()
	check("configuration", r, read(ParseConfig, Config.Record), []recordCase{
		missing(r, "name"), missing(r, "maxMessages"), missing(r, "maxMessageBytes"), missing(r, "send"), missing(r, "receive"),
		{`"name":"box"`, `"name":"Box"`, parseFailed, "W.name must be a lowercase kebab-case id"},
		{`"name":"box"`, `"name":"` + long + `"`, parseFailed, "W.name must be a string of at most 64 characters"},
		{`"name":"box"`, `"name":1`, parseFailed, "W.name must be a string of at most 64 characters"},
		{`"maxMessages":4`, `"maxMessages":0`, parseFailed, "W.maxMessages must be an integer in [1, 1024]"},
		{`"maxMessages":4`, `"maxMessages":1025`, parseFailed, "W.maxMessages must be an integer in [1, 1024]"},
		{`"maxMessages":4`, `"maxMessages":1.5`, parseFailed, "W.maxMessages must be an integer in [1, 1024]"},
		{`"maxMessages":4`, `"maxMessages":null`, parseFailed, "W.maxMessages must be an integer in [1, 1024]"},
		{`"maxMessageBytes":64`, `"maxMessageBytes":250001`, parseFailed, "W.maxMessageBytes must be an integer in [1, 250000]"},
		{`"maxMessageBytes":64`, `"maxMessageBytes":"64"`, parseFailed, "W.maxMessageBytes must be an integer in [1, 250000]"},
		{`"send":"cap:mailbox-send`, `"send":"cap:mailbox-receive`, algal.TypeMismatch, "W.send carries mailbox-receive, expected mailbox-send"},
		{`"send":"cap`, `"send":"cop`, algal.TypeMismatch, "W.send is not a valid capability handle"},
		{`"receive":"` + receive.Handle.String() + `"`, `"receive":[]`, algal.TypeMismatch, "W.receive must be an opaque capability handle"},
		// The first member in the order of the checks is named, not in that of the text.
		{`"maxMessageBytes":64,"maxMessages":4,"name":"box"`, `"maxMessageBytes":0,"maxMessages":0,"name":""`, parseFailed, "W.name must be a lowercase kebab-case id"},
	})

	r = send.Record()
	check("capability", r, read(ParseCapability, Capability.Record), []recordCase{
		missing(r, "capability"), missing(r, "handle"), missing(r, "mailbox"), missing(r, "nonce"), missing(r, "revoked"),
		{`"capability":"mailbox-send"`, `"capability":"Mailbox"`, parseFailed, "W.capability must be a lowercase kebab-case id"},
		{`"capability":"mailbox-send"`, `"capability":"mailbox"`, parseFailed, "W.capability is not a mailbox right"},
		{`"capability":"mailbox-send"`, `"capability":"mailbox-receive"`, algal.TypeMismatch, "W.handle carries mailbox-send, expected mailbox-receive"},
		{send.Handle.String(), "cap", algal.TypeMismatch, "W.handle is not a valid capability handle"},
		{`"mailbox":"box"`, `"mailbox":"-"`, parseFailed, "W.mailbox must be a lowercase kebab-case id"},
		{`"nonce":"`, `"nonce":"` + long, parseFailed, "W.nonce must be a string of at most 128 characters"},
		{`"nonce":"`, `"nonce":"0`, algal.DigestMismatch, "W.handle does not match its admission"},
		{`"revoked":false`, `"revoked":0`, parseFailed, "W.revoked must be a boolean"},
		{`"revoked":false`, `"revoked":null`, parseFailed, "W.revoked must be a boolean"},
		{send.Handle.String(), other.Handle.String(), algal.DigestMismatch, "W.handle does not match its admission"},
	})
	revoked := send
	revoked.Revoked = true
	if revoked.mint() != send.Handle {
		t.Error("revocation changes the handle")
	}

	m := newMessage("box", nKey, canon.Int(1))
	r = m.Record()
	check("message", r, read(ParseMessage, Message.Record), []recordCase{
		missing(r, "id"), missing(r, "mailbox"), missing(r, "idempotencyKey"), missing(r, "value"),
		{`"mailbox":"box"`, `"mailbox":"b/x"`, parseFailed, "W.mailbox must be a lowercase kebab-case id"},
		{`"mailbox":"box"`, `"mailbox":"bix"`, algal.DigestMismatch, "W.id does not match its message"},
		{string(nKey), string(nKey) + "0", parseFailed, "W.idempotencyKey must be a string of at most 71 characters"},
		{string(nKey), string(nKey)[:70] + "G", parseFailed, "W.idempotencyKey must be a digest"},
		{`"value":1`, `"value":2`, algal.DigestMismatch, "W.id does not match its message"},
		{string(m.ID), "x", algal.DigestMismatch, "W.id does not match its message"},
		{string(m.ID), strings.Repeat("x", 72), parseFailed, "W.id must be a string of at most 71 characters"},
	})

	r = Delivery{m.ID}.Record()
	check("delivery", r, read(ParseDelivery, Delivery.Record), []recordCase{
		missing(r, "id"),
		{`"id":"`, `"id":"0`, parseFailed, "W.id must be a string of at most 71 characters"},
		{`"id":"sha256`, `"id":"SHA256`, parseFailed, "W.id must be a digest"},
		{string(m.ID), "", parseFailed, "W.id must be a digest"},
	})
	t.Logf("%d faults", n)
}

// read turns a reader into one that gives the record back, absent after an error
// only if what was read is zero.
func read[T comparable](parse func(canon.Value, string) (T, error), record func(T) canon.Value) func(canon.Value) (canon.Value, error) {
	return func(v canon.Value) (canon.Value, error) {
		got, err := parse(v, "W")
		var zero T
		if got == zero {
			return canon.Value{}, err
		}
		return record(got), err
	}
}
