package mailbox

import (
	"context"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/tool/builtin"
)

// Tools returns the two tools by which programs use the mailboxes of the store
// (§11), by name.
func (s *Service) Tools() map[string]*runtime.HostTool {
	return map[string]*runtime.HostTool{
		builtin.Send:    hostTool(builtin.Send, s.sendTool),
		builtin.Receive: hostTool(builtin.Receive, s.receiveTool),
	}
}

type toolCall = func(context.Context, runtime.ToolCall) (canon.Value, error)

func hostTool(name string, call toolCall) *runtime.HostTool {
	return &runtime.HostTool{Signature: builtin.Signature(name), Configuration: builtin.Configuration(name), Call: call}
}

// sendTool sends under the idempotency key of the call, so a program that runs
// twice with the same inputs sends one message (§11.1).
func (s *Service) sendTool(ctx context.Context, c runtime.ToolCall) (canon.Value, error) {
	id, err := s.Send(ctx, c.Inputs.Get("mailbox").Text(), c.Inputs.Get("message"), c.IdempotencyKey)
	if err != nil {
		return canon.Value{}, err
	}
	return canon.Object(canon.M("id", canon.String(string(id)))), nil
}

func (s *Service) receiveTool(ctx context.Context, c runtime.ToolCall) (canon.Value, error) {
	m, err := s.Receive(ctx, c.Inputs.Get("mailbox").Text())
	if err != nil {
		return canon.Value{}, err
	}
	return canon.Object(canon.M("id", canon.String(string(m.ID))), canon.M("message", m.Value)), nil
}
