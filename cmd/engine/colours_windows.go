package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableColours makes a console obey colour sequences, which older consoles do only on request, and
// returns true if that succeeds. It also selects UTF-8, which stones outside ASCII need.
func enableColours(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	if windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) != nil {
		return false
	}
	return windows.SetConsoleOutputCP(65001) == nil
}
