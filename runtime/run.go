package runtime

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
)

// MaxArgsBytes bounds the canonical arguments of a run (run.md §2), inclusive.
const MaxArgsBytes = 1_048_576

// Host is what a run may use of the world.
type Host struct {
	Store      cas.Store
	Functions  organism.Registry // nil means the built-in functions
	Tools      map[string]*HostTool
	Transports map[string]organism.Transport
	Executors  []Executor
	Deadline   Deadline // nil: maxEffectMs bounds nothing, as in a replay
	Process    string   // process name, the scope of idempotency keys; may be empty
	Journal    Journal  // or nil
}

// Result is a finished run.
type Result struct {
	Outcome string
	// Body is the receipt without its digest member. Comparing bodies spares a
	// verifier that knows the recorded digest to be right the hashing of its own.
	Body canon.Value
}

// Receipt returns the receipt algal.run.v1 with its digest.
func (r *Result) Receipt() canon.Value {
	return r.Body.With(canon.M("digest", canon.String(string(r.Body.Digest()))))
}

// Run executes a manifest with the given arguments (§1 to §11). args may be
// absent, which means {}. replay may be nil.
//
// A run that is refused before it starts, that is interrupted through ctx, whose
// journal fails, or whose receipt exceeds the bounds of §12 gives an error and no
// receipt. A program that fails gives a receipt.
func Run(ctx context.Context, m *organism.Manifest, args canon.Value, host Host, replay *Replay) (*Result, error) {
	p, err := Prepare(host)
	if err != nil {
		return nil, err
	}
	if args, err = AdmitArgs(args); err != nil {
		return nil, err
	}
	if host.Process != "" {
		if err := canon.CheckSafeID(host.Process, "process name"); err != nil {
			return nil, err
		}
	}
	if host.Journal != nil {
		if err := host.Journal.Err(); err != nil {
			return nil, err
		}
	}
	graph, err := p.Compile(m)
	if err != nil {
		return nil, err
	}
	result, err := p.Run(ctx, graph, args, replay)
	if err == nil {
		err = result.readable()
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// readable refuses a result whose receipt nobody could read back: with its digest
// it would exceed the bounds of §12.
func (r *Result) readable() error {
	if r.Body.Nodes()+1 > maxReceiptNodes || r.Body.Depth() > canon.MaxDepth {
		return algal.Errorf(algal.BudgetExhausted, receiptBounds)
	}
	return nil
}

// Prepared is a host ready to compile and run programs.
type Prepared struct {
	host  Host
	tools map[string]*HostTool // with the reserved tool
	env   organism.Env
}

// Prepare admits the host's registries (§1.1 steps 1 and 2): the reserved tool is
// added, and nothing else may bear its name.
func Prepare(host Host) (*Prepared, error) {
	if host.Functions == nil {
		host.Functions = organism.Builtins()
	}
	if _, taken := host.Functions[localContextName]; taken {
		return nil, algal.Errorf(algal.CapabilityDenied, "local context tool name is reserved by the runtime")
	}
	p := &Prepared{host: host, tools: make(map[string]*HostTool, len(host.Tools)+1)}
	signatures := make(map[string]*organism.Tool, len(host.Tools)+1)
	for name, tool := range host.Tools {
		p.tools[name], signatures[name] = tool, tool.Signature
	}
	reserved := localContextSignature()
	if given := signatures[localContextName]; given != nil && !canon.Equal(given.Normal(), reserved.Normal()) {
		return nil, algal.Errorf(algal.CapabilityDenied, "local context tool signature is reserved by the runtime")
	}
	p.tools[localContextName] = &HostTool{Signature: reserved, Call: inertLocalContext}
	signatures[localContextName] = reserved
	p.env = organism.Env{
		Functions:  host.Functions,
		Tools:      signatures,
		Transports: host.Transports,
		Store:      host.Store,
	}
	return p, nil
}

// Compile admits a root manifest as a graph (§1.1 step 8).
func (p *Prepared) Compile(m *organism.Manifest) (*organism.Graph, error) {
	return organism.Compile(m, p.env, 0)
}

// Over returns the same host with another store. Graphs compiled before stay
// usable where the new store reads through to the old one.
func (p *Prepared) Over(store cas.Store) *Prepared {
	q := *p
	q.host.Store, q.env.Store = store, store
	return &q
}

// Run executes a compiled root manifest. args are admitted.
func (p *Prepared) Run(ctx context.Context, graph *organism.Graph, args canon.Value, replay *Replay) (*Result, error) {
	if replay == nil {
		replay = &Replay{}
	}
	r := &run{
		Prepared: p,
		ctx:      ctx,
		replay:   replay.start(),
		budgets:  graph.Manifest.Budgets,
		cells:    map[string]*record{},
	}
	r.event(event{kind: "run.start", digest: graph.Manifest.Digest()})
	root := &level{run: r, graph: graph, args: args}
	outcome, err := root.play()
	if err != nil {
		return nil, err
	}
	r.event(event{kind: "run.end", outcome: outcome})
	return &Result{Outcome: outcome, Body: r.receipt(graph.Manifest, args, outcome)}, nil
}

// AdmitArgs checks the arguments of a run (§2). They are not compared with the
// manifest here.
func AdmitArgs(args canon.Value) (canon.Value, error) {
	if !args.Exists() {
		return canon.Object(), nil
	}
	if !args.Is(canon.KindObject) {
		return canon.Value{}, algal.Errorf(algal.ParseFailed, "run arguments must be an object")
	}
	if kind, exceeded := canon.Excess(args, canon.MaxDepth, MaxArgsBytes); exceeded {
		if kind == canon.FaultDepth {
			return canon.Value{}, algal.Errorf(algal.BudgetExhausted, "JSON depth exceeds %d", canon.MaxDepth)
		}
		return canon.Value{}, algal.Errorf(algal.BudgetExhausted, "run argument bytes")
	}
	for _, cell := range args.Members() {
		if !cell.Is(canon.KindObject) {
			return canon.Value{}, algal.Errorf(algal.ParseFailed, "input cell arguments must be an object")
		}
	}
	return args, nil
}
