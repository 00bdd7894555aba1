//go:build !js

package graph

// lost returns an error unchanged: the processor's cores cannot be lost.
func lost(err error) error { return err }
