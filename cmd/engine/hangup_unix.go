//go:build unix

package main

import (
	"errors"

	"golang.org/x/sys/unix"
)

// waitForHangup returns when standard output is a pipe, socket or terminal whose reader is gone.
// Otherwise it blocks.
func waitForHangup() {
	poll := []unix.PollFd{{Fd: int32(unix.Stdout)}} // poll always reports errors and hang-ups
	for {
		n, err := unix.Poll(poll, -1)
		switch {
		case n > 0:
			return
		case err != nil && !errors.Is(err, unix.EINTR):
			select {} // never returns: a hang-up cannot be noticed
		}
	}
}
