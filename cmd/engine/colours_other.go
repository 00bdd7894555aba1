//go:build !windows

package main

import "os"

// enableColours tells whether a terminal obeys colour sequences: they all do.
func enableColours(*os.File) bool { return true }
