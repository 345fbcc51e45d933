package main

import (
	"context"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/runtime"
)

// watched shows at a terminal which effect a run waits for.
type watched struct {
	runtime.Executor
	streams *streams
}

// Call tells of the request and passes it on.
func (w *watched) Call(ctx context.Context, request *runtime.Request) (runtime.Answer, error) {
	w.streams.progress("%s cell %s: waiting for %s", request.Kind, request.CellID, w.Describe().ID)
	defer w.streams.clear()
	return w.Executor.Call(ctx, request)
}

// watchTools is the same for tools.
func watchTools(tools map[string]*runtime.HostTool, s *streams) map[string]*runtime.HostTool {
	list := make(map[string]*runtime.HostTool, len(tools))
	for name, tool := range tools {
		shown := *tool
		shown.Call = func(ctx context.Context, call runtime.ToolCall) (canon.Value, error) {
			s.progress("tool %s: waiting", name)
			defer s.clear()
			return tool.Call(ctx, call)
		}
		list[name] = &shown
	}
	return list
}
