package chain

import (
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// Contract names the process record.
const Contract = "algal.process.v1"

// Bounds of process documents (process.md §3), inclusive.
const (
	MaxArgsBytes     = 250_000
	MaxRecordBytes   = 512_000
	MaxManifestBytes = 1_048_576
	MaxReceiptBytes  = 16_000_000
	MaxNodes         = 100_000
	MaxGenerations   = 64
	MaxRecords       = 1 + 2*MaxGenerations
	MaxWake          = 16
)

// Status is the status of a process record.
type Status string

// The statuses (§4). Complete, failed and stuck are terminal.
const (
	Ready     Status = "ready"
	Uncertain Status = "uncertain"
	Suspended Status = "suspended"
	Complete  Status = "complete"
	Failed    Status = "failed"
	Stuck     Status = "stuck"
)

var statuses = []Status{Ready, Uncertain, Suspended, Complete, Failed, Stuck}

// Known reports whether s is a status of the contract.
func (s Status) Known() bool { return slices.Contains(statuses, s) }

// Terminal reports whether nothing can follow.
func (s Status) Terminal() bool { return s == Complete || s == Failed || s == Stuck }

// The causes of a dispatch besides a capability handle.
const (
	CauseStart  = "start"
	CauseManual = "manual"
)

// Record is an admitted process record (§2.1). Optional members that are absent
// are empty.
type Record struct {
	Name           string
	ManifestDigest algal.Digest
	Args           canon.Value
	MaxGenerations int
	Generation     int
	Status         Status
	Wake           []string
	Previous       algal.Digest
	Receipt        algal.Digest
	Cause          string

	value canon.Value
}

// Value returns the record as it was admitted.
func (r *Record) Value() canon.Value { return r.value }

// CheckBounds holds a process document to the structure bounds of §2.2 step 1,
// with the given bound on its canonical bytes.
func CheckBounds(v canon.Value, maxBytes int) error {
	if v.Depth() > canon.MaxDepth || v.Nodes() > MaxNodes {
		return algal.Errorf(algal.BudgetExhausted, "process JSON depth/count exceeded")
	}
	if v.Size() > maxBytes {
		return algal.Errorf(algal.BudgetExhausted, "process JSON byte limit exceeded")
	}
	return nil
}

func mismatch(text string) error { return algal.Errorf(algal.ReceiptMismatch, "%s", text) }

// ParseRecord admits a process record. The checks stand in the order of §2.2; the
// first that fails decides.
func ParseRecord(v canon.Value) (*Record, error) {
	if err := CheckBounds(v, MaxRecordBytes); err != nil {
		return nil, err
	}
	if err := canon.AsObject(v, "process"); err != nil {
		return nil, err
	}
	if err := canon.NoUnknownKeys(v, "process", "contract", "name", "manifestDigest", "args", "maxGenerations", "generation",
		"status", "wake", "previous", "receipt", "cause"); err != nil {
		return nil, err
	}
	if !v.Get("contract").IsText(Contract) {
		return nil, mismatch("invalid process contract")
	}
	r := &Record{Status: Status(v.Get("status").Text()), value: v}
	if !r.Status.Known() {
		return nil, mismatch("invalid process status")
	}
	for _, part := range []func(canon.Value) error{r.parseWake, r.parseDefinition, r.parseLinks, r.checkState} {
		if err := part(v); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Record) parseWake(v canon.Value) (err error) {
	wake := v.Get("wake")
	if wake.Is(canon.KindArray) && wake.Len() == 0 {
		return nil
	}
	if r.Wake, err = organism.ParseWake(wake); err != nil {
		return err
	}
	if !slices.IsSorted(r.Wake) {
		return mismatch("process wake handles must be sorted")
	}
	return nil
}

// parseDefinition reads what never changes in the life of a process, and the
// generation.
func (r *Record) parseDefinition(v canon.Value) (err error) {
	if r.Name, err = canon.AsSafeID(v.Get("name"), "process name"); err != nil {
		return err
	}
	if r.ManifestDigest, err = canon.AsDigest(v.Get("manifestDigest"), "process manifestDigest"); err != nil {
		return err
	}
	r.Args = v.Get("args")
	if err := parseArgs(r.Args); err != nil {
		return err
	}
	if r.MaxGenerations, err = canon.AsInt(v.Get("maxGenerations"), "maxGenerations", 1, MaxGenerations); err != nil {
		return err
	}
	if r.Generation, err = canon.AsInt(v.Get("generation"), "generation", 0, MaxGenerations); err != nil {
		return err
	}
	if r.Generation > r.MaxGenerations {
		return mismatch("process generation exceeds limit")
	}
	return nil
}

// parseArgs admits the arguments of a process: cell to port to value.
func parseArgs(args canon.Value) error {
	if err := CheckBounds(args, MaxArgsBytes); err != nil {
		return err
	}
	if err := canon.AsObject(args, "process args"); err != nil {
		return err
	}
	for cell, ports := range args.Members() {
		if err := canon.CheckSafeID(cell, "process args cell"); err != nil {
			return err
		}
		if err := canon.AsObject(ports, "process args."+cell); err != nil {
			return err
		}
		for port := range ports.Members() {
			if err := canon.CheckSafeID(port, "process args port"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Record) parseLinks(v canon.Value) (err error) {
	for _, link := range []struct {
		key string
		to  *algal.Digest
	}{{"previous", &r.Previous}, {"receipt", &r.Receipt}} {
		if m := v.Get(link.key); m.Exists() {
			if *link.to, err = canon.AsDigest(m, "process "+link.key); err != nil {
				return err
			}
		}
	}
	cause := v.Get("cause")
	if !cause.Exists() {
		return nil
	}
	r.Cause = cause.Text()
	if r.Cause != CauseStart && r.Cause != CauseManual {
		_, err = organism.ParseHandle(cause, "", "process cause")
	}
	return err
}

// checkState holds the members to each other (steps 10 to 12).
func (r *Record) checkState(canon.Value) error {
	switch {
	case r.Generation == 0 && (r.Status != Ready || r.Previous != "" || r.Receipt != "" || r.Cause != "" || len(r.Wake) > 0):
		return mismatch("initial process must be ready generation zero")
	case r.Generation > 0 && (r.Previous == "" || r.Cause == "" || r.Status == Ready):
		return mismatch("process generation requires parent and cause")
	case r.Status.Terminal() && len(r.Wake) > 0:
		return mismatch("terminal process cannot carry wake evidence")
	case (r.Status.Terminal() || r.Status == Suspended) && r.Receipt == "":
		return mismatch("process outcome requires a receipt")
	}
	return nil
}
