//go:build unix

package journal_test

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/command"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/tool/builtin"
)

// TestBindingVectors is the table of journal.md §6: what the adapters say of
// themselves is the digest of the input there. Tools of a file are tested beside
// their reader, since their digest covers a directory.
func TestBindingVectors(t *testing.T) {
	s, err := scripted.New(parse(t, `{"ask":"a"}`), "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := command.New("cat", command.Options{})
	if err != nil {
		t.Fatal(err)
	}
	executor := c.Describe()
	for _, v := range []struct {
		input  string
		digest algal.Digest
		said   algal.Digest // by the adapter
	}{
		{`{"contract":"algal.process-tool-binding.v1","driver":"builtin","tool":"mailbox.send.v1"}`,
			"sha256:b561bd47f231d66a029adaa0d916d9a77e02fd4d7395c0697a77dff2737313e0", builtin.Configuration(builtin.Send)},
		{`{"contract":"algal.process-tool-binding.v1","driver":"builtin","tool":"mailbox.receive.v1"}`,
			"sha256:9b23ff3ab2ce25b743ecf976e561a3a6ac78dd4f201680197e23a06cb80275a1", builtin.Configuration(builtin.Receive)},
		{`{"id":"scripted","kind":"scripted","responses":{"ask":"a"}}`,
			"sha256:81b8851cbcc9638bd499ff9515ff337f5b5a381deaabf41f015625f2a491722a", s.Describe().Configuration},
		{`{"command":"cat","options":{}}`,
			"sha256:855e3e7c442b89014078c8b3a53bd59c996fb3858d67fd3c76dfe52ee4cdfa8a", algal.Digest(executor.ID[len("cmd:"):])},
		{`{"argv":["sh","-c","cat"],"cwd":null,"kind":"command","timeoutMs":120000}`,
			"sha256:40e94f78fd8d62a6f27879b57c98657088dec05304cb879bdba9dfea794c7988", executor.Configuration},
		{`{"contract":"algal.cli-tool-binding.v1","cwd":"/srv/tools","exec":"scripted:lookup.json","responses":{"{\"key\":\"a\"}":{"value":{"n":1}}},"signature":{"cost":50,"effect":"read","inputs":{"key":"text"},"maxOutputBytes":4096,"outputs":{"value":"json"}}}`,
			"sha256:f2c3eecd03fbae8f9f9e6af05eca5bb59d0648362e4ed2fa081411908310d541", ""},
	} {
		if got := parse(t, v.input).Digest(); got != v.digest {
			t.Errorf("%s: %s, want %s", v.input, got, v.digest)
		}
		if v.said != "" && v.said != v.digest {
			t.Errorf("%s: the adapter says %s, want %s", v.input, v.said, v.digest)
		}
	}
	// process.md §9, which the bindings of a process carry.
	key := canon.Object(canon.M("contract", canon.String("algal.process-effect.v1")), canon.M("process", canon.String("demo")),
		canon.M("requestDigest", canon.String("sha256:0000000000000000000000000000000000000000000000000000000000000000"))).Digest()
	if key != "sha256:58c98ed75bbe462ca4b774b27c2ab5072b3eae1c9abb13bcd6d21e18a3b63c0c" {
		t.Errorf("the scoped key is %s", key)
	}
}
