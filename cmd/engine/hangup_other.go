//go:build !unix

package main

// waitForHangup blocks: on this system only the next write shows that the reader is gone.
func waitForHangup() { select {} }
