//go:build unix

package doctor

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/durable"
)

// held is what a holder says when it has the lease.
const held = "held\n"

// Hold takes the lease of dir, says so on out, and keeps it until in ends, which it
// does when the one who started this process is gone. It is what the second process
// of an examination does.
func Hold(ctx context.Context, dir string, in io.Reader, out io.Writer) (err error) {
	lease, err := custody.Acquire(ctx, durable.NewPublisher(durable.Options{}), leasePlace(dir))
	if err != nil {
		return err
	}
	defer lease.End(&err)
	if _, err := io.WriteString(out, held); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in)
	return err
}

// maxSaid bounds what is read of a holder.
const maxSaid = 4096

// holder is a second process that calls [Hold].
type holder struct {
	cmd  *exec.Cmd
	gone bool
}

// startHolder starts a holder and waits until it has the lease.
func startHolder(cmd *exec.Cmd) (Owner, error) {
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	defer theirs.Close()
	cmd.Stdout, cmd.Stderr = theirs, theirs
	// Its standard input lasts as long as this process, or until it is waited for.
	if _, err := cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	theirs.Close()
	h := &holder{cmd: cmd}
	said, err := hear(out)
	if err == nil && said == held {
		return h, nil
	}
	h.Kill() // it was not the owner of anything
	if err == nil {
		err = fmt.Errorf("it said %q", strings.TrimSpace(said))
	}
	return nil, err
}

// hear reads until somebody says that the lease is held, or to the end.
func hear(out io.Reader) (said string, err error) {
	buffer := make([]byte, maxSaid)
	n := 0
	for n < len(buffer) && string(buffer[:n]) != held {
		more, err := out.Read(buffer[n:])
		n += more
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", err
		}
	}
	return string(buffer[:n]), nil
}

// Kill sends SIGKILL and waits.
func (h *holder) Kill() error {
	if h.gone {
		return nil
	}
	h.gone = true
	h.cmd.Process.Kill() // an error says that it is over, as the state does
	err := h.cmd.Wait()
	if status, ok := h.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return nil
	}
	return fmt.Errorf("it ended by itself: %v", err)
}
