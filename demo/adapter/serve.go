package adapter

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// maxRequest bounds a request, in bytes.
const maxRequest = 8192

// Serve answers one call: it reads the request (run.md §9.4), records the call so
// that no crash can lose it, and writes the answer. A pending call whose place is
// blocked says that it is there and is answered never: Serve returns when nobody
// can read the answer any more, or after [Longest].
//
// A request without digests for requestDigest and idempotencyKey is PARSE_FAILED
// and is not recorded.
func Serve(p Place, s Stage, request io.Reader, answer *os.File) error {
	call, err := readRequest(s, request)
	if err != nil {
		return err
	}
	if err := p.record(&call); err != nil {
		return algal.Errorf(algal.IOFailed, "the call cannot be recorded: %v", durable.Cause(err))
	}
	if _, err := os.Lstat(p.file(blockFile)); s == Pending && err == nil {
		if err := p.tellReady(); err != nil {
			return algal.Errorf(algal.IOFailed, "the call cannot say that it hangs: %v", durable.Cause(err))
		}
		return hang(answer)
	}
	output := canon.Object(canon.M("value", canon.String(answers[s])))
	if _, err := answer.WriteString(output.String()); err != nil {
		return algal.Errorf(algal.IOFailed, "the answer cannot be written: %v", durable.Cause(err))
	}
	return nil
}

func readRequest(s Stage, request io.Reader) (Call, error) {
	text, err := io.ReadAll(io.LimitReader(request, maxRequest+1))
	if err != nil {
		return Call{}, algal.Errorf(algal.IOFailed, "the request cannot be read: %v", durable.Cause(err))
	}
	v, err := canon.Parse(string(text), canon.Limits{Bytes: maxRequest})
	if err != nil {
		return Call{}, err
	}
	if err := canon.AsObject(v, "request"); err != nil {
		return Call{}, err
	}
	key, err := canon.AsDigest(v.Get("idempotencyKey"), "request idempotencyKey")
	if err != nil {
		return Call{}, err
	}
	digest, err := canon.AsDigest(v.Get("requestDigest"), "request requestDigest")
	if err != nil {
		return Call{}, err
	}
	return Call{s, digest, key}, nil
}

// record appends a call to the record, durably.
func (p Place) record(c *Call) error {
	f, err := os.OpenFile(p.file(callsFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close() // what counts was synced
	if _, err := f.WriteString(c.value().String() + "\n"); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	dir, err := os.Open(string(p))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// tellReady says that a call hangs. The file appears whole.
func (p Place) tellReady() error {
	temp := filepath.Join(string(p), ".tmp-"+readyFile)
	if err := os.WriteFile(temp, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(temp, p.file(readyFile))
}

// Longest is how long a call hangs at most: no runtime waits longer for a command
// of a tools file.
const Longest = 30 * time.Second

// hang waits for the reader of a pipe to go. The runtime that waits for an answer is
// killed by its process group, which a command of its tools is no member of; the
// pipe tells of its end, whoever the parent is by then.
func hang(answer *os.File) error {
	limit := time.Now().Add(Longest)
	for {
		reader := []unix.PollFd{{Fd: int32(answer.Fd()), Events: unix.POLLHUP}}
		_, err := unix.Poll(reader, int(max(0, time.Until(limit)).Milliseconds()))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return algal.Errorf(algal.IOFailed, "the reader of the answer cannot be watched: %v", err)
		}
		return nil
	}
}
