//go:build unix

package main

import (
	"errors"

	"golang.org/x/sys/unix"
)

// waitForHangup returns when nobody can read standard output any more: it is a
// pipe, socket or terminal whose other end is closed. Otherwise it blocks.
func waitForHangup() {
	poll := []unix.PollFd{{Fd: int32(unix.Stdout)}} // errors and hang-ups are always told
	for {
		n, err := unix.Poll(poll, -1)
		switch {
		case n > 0:
			return
		case err != nil && !errors.Is(err, unix.EINTR):
			select {} // cannot tell
		}
	}
}
