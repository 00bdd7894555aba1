//go:build !js

package engines

// Breath returns a function for a search to call as it progresses. It is nil here, where searches
// do not share one thread.
func Breath() func(what string, nodes int64) { return nil }
