//go:build unix

package match

import (
	"os/exec"
	"syscall"
)

// setGroup starts the program in its own process group, so that it can be killed with its children,
// and an interrupt at the terminal reaches only the referee.
func setGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the program and everything in its group.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
