//go:build cgo && !windows

package ort

// loadCompanions does nothing here: the library finds its companions in its own folder.
func loadCompanions(string) {}
