//go:build !js

package engines

// Breath returns nil, since this program has several threads. In a browser's tab, where all goroutines
// share one thread, it returns a function that lets the browser deliver events during a search.
func Breath() func(what string, nodes int64) { return nil }
