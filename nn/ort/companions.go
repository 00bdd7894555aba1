//go:build cgo && !windows

package ort

// loadCompanions does nothing here: the library finds what lies beside it.
func loadCompanions(string) {}
