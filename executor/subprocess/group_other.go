//go:build !unix

package subprocess

import (
	"os"
	"os/exec"
)

// lead does nothing: there are no process groups here.
func lead(*exec.Cmd) {}

// kill ends the command alone.
func (p *process) kill() { p.cmd.Process.Kill() }

// fill writes nothing ahead.
func fill(*os.File, []byte) int { return 0 }
