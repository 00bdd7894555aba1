//go:build !js

package engines

// Breath returns what a search calls as it goes on: nothing, where it has a thread.
func Breath() func(what string, nodes int64) { return nil }
