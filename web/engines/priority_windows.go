package engines

import (
	"golang.org/x/sys/windows"
)

// YieldToBrowser lowers the priority of this process: a search takes every core, and the
// browser must still draw the page.
func YieldToBrowser() {
	windows.SetPriorityClass(windows.CurrentProcess(), windows.BELOW_NORMAL_PRIORITY_CLASS)
}
