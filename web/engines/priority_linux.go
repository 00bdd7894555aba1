package engines

import (
	"os"
	"strconv"
	"syscall"
)

// yielding is by how much less urgent the server is than the browser beside it.
const yielding = 10

// YieldToBrowser makes this process less urgent than others: a search takes every
// core, and the page must be drawn all the same. Threads that exist are changed one
// by one, as Linux has it; those to come inherit it. Call it before a network is
// opened.
func YieldToBrowser() {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	for _, t := range tasks {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		if now, err := syscall.Getpriority(syscall.PRIO_PROCESS, id); err == nil {
			syscall.Setpriority(syscall.PRIO_PROCESS, id, min(19, 20-now+yielding)) // the call returns 20 - nice
		}
	}
}
