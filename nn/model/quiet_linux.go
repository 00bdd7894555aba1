package model

import (
	"runtime"
	"syscall"
)

// quietly runs f on a thread of its own, which leaves the processor to whoever
// else wants it, as do threads that f has a library start.
func quietly(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		// On Linux this is about the thread. Without it f only disturbs more.
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10)
		f()
	}()
	<-done
}
