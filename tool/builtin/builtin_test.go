package builtin_test

import (
	"fmt"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/executortest"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/tool/builtin"
)

// The canonical signatures of mailbox.md §11.
var wanted = map[string]string{
	"mailbox.send.v1":    `{"cost":100,"effect":"write","inputs":{"mailbox":{"capability":"mailbox-send","type":"cap"},"message":{"type":"json"}},"maxOutputBytes":256,"outputs":{"id":{"type":"text"}}}`,
	"mailbox.receive.v1": `{"cost":100,"effect":"write","inputs":{"mailbox":{"capability":"mailbox-receive","type":"cap"}},"maxOutputBytes":262144,"outputs":{"id":{"type":"text"},"message":{"type":"json"}}}`,
}

func TestSignatures(t *testing.T) {
	if names := builtin.Names(); len(names) != len(wanted) {
		t.Errorf("names %v", names)
	}
	for _, name := range builtin.Names() {
		if got := builtin.Signature(name); got == nil || got.Normal().String() != wanted[name] || !got.Write {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if builtin.Signature("mailbox.peek.v1") != nil {
		t.Error("a third tool")
	}
}

// TestConfiguration covers both rows of golden/digests.json.
func TestConfiguration(t *testing.T) {
	rows := 0
	for _, row := range goldenrun.Parse(t, "digests.json").Elements() {
		if !row.Get("input").Get("contract").IsText("algal.process-tool-binding.v1") {
			continue
		}
		rows++
		name := row.Get("input").Get("tool").Text()
		if got := builtin.Configuration(name); string(got) != row.Get("digest").Text() {
			t.Errorf("%s: %s, want %s", name, got, row.Get("digest"))
		}
		if tool := builtin.Tools()[name]; tool == nil || tool.Configuration != builtin.Configuration(name) {
			t.Errorf("%s: %+v", name, tool)
		}
	}
	if rows != 2 {
		t.Errorf("%d rows, want 2", rows)
	}
}

// TestDenied runs a program that sends on a host without mailboxes.
func TestDenied(t *testing.T) {
	program := executortest.JSON(t, `{"contract":"algal.organism.v1","key":"organism:m","name":"m","cells":[
		{"id":"in","kind":"input","outputs":{"box":{"type":"cap","capability":"mailbox-send"},"message":"json"}},
		{"id":"send","kind":"tool","tool":"mailbox.send.v1"}],"edges":[
		{"from":{"cell":"in","port":"box"},"to":{"cell":"send","port":"mailbox"}},
		{"from":{"cell":"in","port":"message"},"to":{"cell":"send","port":"message"}}]}`)
	handle := "cap:mailbox-send:" + string(canon.Null().Digest())
	args := executortest.JSON(t, `{"in":{"box":"`+handle+`","message":1}}`)
	receipt := executortest.Run(t, program, args, runtime.Host{Tools: builtin.Tools()})
	want := `{"code":"CAPABILITY_DENIED","message":"capability is not admitted","path":"send"}`
	if got := receipt.Get("failure").String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for name, tool := range builtin.Tools() {
		if _, err := tool.Call(t.Context(), runtime.ToolCall{}); algal.CodeOf(err) != algal.CapabilityDenied {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func Example() {
	for _, name := range builtin.Names() {
		fmt.Println(name, builtin.Signature(name).MaxOutputBytes, builtin.Configuration(name))
	}
	// Output:
	// mailbox.send.v1 256 sha256:b561bd47f231d66a029adaa0d916d9a77e02fd4d7395c0697a77dff2737313e0
	// mailbox.receive.v1 262144 sha256:9b23ff3ab2ce25b743ecf976e561a3a6ac78dd4f201680197e23a06cb80275a1
}
