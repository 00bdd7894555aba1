//go:build !unix

package match

import "os/exec"

// setGroup does nothing where there are no process groups.
func setGroup(*exec.Cmd) {}

// killGroup kills the program itself.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
