//go:build !unix && !windows

package web

// YieldToBrowser does nothing here.
func YieldToBrowser() {}
