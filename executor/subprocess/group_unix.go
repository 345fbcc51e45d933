//go:build unix

package subprocess

import (
	"os"
	"os/exec"
	"syscall"
)

// lead makes the command the leader of a new process group.
func lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends every process of the group. It fails only when there is none left.
func (p *process) kill() { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// fill writes what a new pipe takes at once and returns the number of bytes. It
// does not wait, and leaves errors to the writer of the rest.
func fill(pipe *os.File, data []byte) int {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	written := 0
	conn.Write(func(fd uintptr) (done bool) {
		written, _ = syscall.Write(int(fd), data)
		return true
	})
	return max(written, 0)
}
