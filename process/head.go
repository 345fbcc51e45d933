package process

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
)

// HeadContract names the record that points to a process's current record.
const HeadContract = "algal.process-head.v1"

// MaxHeadBytes bounds the file of a head.
const MaxHeadBytes = 4096

const processesDir = "processes"

func directory(name string) string { return processesDir + "/" + name }

func headName(name string) string { return directory(name) + "/head.json" }

// Snapshot is a process at one head.
type Snapshot struct {
	Digest  algal.Digest
	Record  *chain.Record
	History *chain.History // nil when only the head was looked at
}

// Value returns the snapshot as commands print it: {digest, process}.
func (s *Snapshot) Value() canon.Value {
	return canon.Object(canon.M("digest", canon.String(string(s.Digest))), canon.M("process", s.Record.Value()))
}

// guard makes the path checks of process.md §7 step 1.
func (s *Supervisor) guard(name string) error {
	if err := canon.CheckSafeID(name, "process name"); err != nil {
		return err
	}
	return worded(s.engine.Guard(".", processesDir, string(values), string(runs), string(manifests), directory(name)))
}

// head reads the digest of the current record (§7 step 2).
func (s *Supervisor) head(name string) (algal.Digest, error) {
	v, found, err := s.objects.document(headName(name), MaxHeadBytes)
	if err == nil && !found {
		err = algal.Errorf(algal.StoreMiss, "process head missing")
	}
	var record algal.Digest
	if err == nil {
		record, err = ParseHead(v, name)
	}
	if err != nil {
		return "", &FileFault{headName(name), err}
	}
	return record, nil
}

// ParseHead admits the head of the named process and returns the digest of its
// current record. Another contract or name is RECEIPT_MISMATCH, any other fault
// PARSE_FAILED.
func ParseHead(v canon.Value, name string) (algal.Digest, error) {
	if err := canon.AsObject(v, "process head"); err != nil {
		return "", err
	}
	if err := canon.NoUnknownKeys(v, "process head", "contract", "name", "record"); err != nil {
		return "", err
	}
	if !v.Get("contract").IsText(HeadContract) || !v.Get("name").IsText(name) {
		return "", algal.Errorf(algal.ReceiptMismatch, "process head identity mismatch")
	}
	return canon.AsDigest(v.Get("record"), "process head record")
}

// moveHead makes a record the current one.
func (s *Supervisor) moveHead(name string, record algal.Digest) error {
	head := canon.Object(
		canon.M("contract", canon.String(HeadContract)),
		canon.M("name", canon.String(name)),
		canon.M("record", canon.String(string(record))),
	)
	return worded(s.engine.Replace(headName(name), head.String()))
}

// look reads the head and its record, not the history behind it (§11.3).
func (s *Supervisor) look(name string) (*Snapshot, canon.Value, error) {
	if err := s.guard(name); err != nil {
		return nil, canon.Value{}, err
	}
	digest, err := s.head(name)
	if err != nil {
		return nil, canon.Value{}, err
	}
	v, err := s.objects.Record(digest)
	if err != nil {
		return nil, canon.Value{}, err
	}
	record, err := chain.ParseRecord(v)
	if err != nil {
		return nil, canon.Value{}, err
	}
	if record.Name != name {
		return nil, canon.Value{}, algal.Errorf(algal.ReceiptMismatch, "process name mismatch")
	}
	return &Snapshot{Digest: digest, Record: record}, v, nil
}

// Inspect returns the current snapshot of a process with its whole history
// validated (§7). It takes no custody and writes nothing.
func (s *Supervisor) Inspect(name string) (*Snapshot, error) {
	snapshot, v, err := s.look(name)
	if err != nil {
		return nil, err
	}
	snapshot.History, err = chain.Validate(snapshot.Digest, v, s.objects)
	if err != nil {
		return nil, err
	}
	return snapshot, nil
}
