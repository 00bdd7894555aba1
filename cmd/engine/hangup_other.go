//go:build !unix

package main

// waitForHangup blocks: the next write tells that nobody reads.
func waitForHangup() { select {} }
