//go:build !unix && !windows

package engines

// YieldToBrowser does nothing here.
func YieldToBrowser() {}
