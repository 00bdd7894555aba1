//go:build !js

package engines

// Breath returns a function for a search to call as it progresses; nil where each search has
// a thread.
func Breath() func(what string, nodes int64) { return nil }
