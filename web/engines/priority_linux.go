package engines

import (
	"os"
	"strconv"
	"syscall"
)

// yielding is added to the server's nice value, so that the browser comes first.
const yielding = 10

// YieldToBrowser lowers the priority of this process: a search takes every core, and the browser
// must still draw the page. Linux has a priority for each thread: existing threads are changed one
// by one, later threads inherit the priority. Call it before a network is opened.
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
