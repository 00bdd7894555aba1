//go:build unix

package match

import (
	"os/exec"
	"syscall"
)

// setGroup makes the program the leader of a process group of its own, so that
// it can be killed with all that it starts, and so that an interrupt typed at
// the terminal reaches the referee only.
func setGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the program and everything in its group.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
