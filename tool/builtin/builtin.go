// Package builtin declares the tools that every host offers to programs: sending
// to and receiving from a mailbox (mailbox.md §11).
//
// It holds what a host must know of them without having mailboxes: names,
// signatures and configuration digests. Compilation, verification and export need
// no more. [Tools] makes them callable for a host that has none. The calls that
// deliver are package mailbox's.
package builtin

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// The names of the tools.
const (
	Send    = "mailbox.send.v1"
	Receive = "mailbox.receive.v1"
)

// Names returns the names of the tools.
func Names() []string { return []string{Send, Receive} }

var signatures = map[string]*organism.Tool{
	Send:    admit(`{"cost":100,"effect":"write","inputs":{"mailbox":{"capability":"mailbox-send","type":"cap"},"message":{"type":"json"}},"maxOutputBytes":256,"outputs":{"id":{"type":"text"}}}`),
	Receive: admit(`{"cost":100,"effect":"write","inputs":{"mailbox":{"capability":"mailbox-receive","type":"cap"}},"maxOutputBytes":262144,"outputs":{"id":{"type":"text"},"message":{"type":"json"}}}`),
}

func admit(text string) *organism.Tool {
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		panic(err) // the texts are constants
	}
	tool, err := organism.ParseTool(v, "tool")
	if err != nil {
		panic(err)
	}
	return tool
}

// Signature returns the signature of a tool, nil for any other name. It is shared
// and must not be changed.
func Signature(name string) *organism.Tool { return signatures[name] }

// Configuration returns the digest that a journal binds for a tool (journal.md
// §6).
func Configuration(name string) algal.Digest {
	return canon.Object(
		canon.M("contract", canon.String("algal.process-tool-binding.v1")),
		canon.M("driver", canon.String("builtin")),
		canon.M("tool", canon.String(name)),
	).Digest()
}

// Tools returns the tools of a host without mailboxes. Every call is refused with
// CAPABILITY_DENIED, as a mailbox service refuses a handle of which it has no
// record.
func Tools() map[string]*runtime.HostTool {
	tools := make(map[string]*runtime.HostTool, len(signatures))
	for name, signature := range signatures {
		tools[name] = &runtime.HostTool{Signature: signature, Configuration: Configuration(name), Call: deny}
	}
	return tools
}

func deny(context.Context, runtime.ToolCall) (canon.Value, error) {
	return canon.Value{}, algal.Errorf(algal.CapabilityDenied, "capability is not admitted")
}
