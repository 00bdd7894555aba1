//go:build !js

package graph

// lost returns an error as it is: the processor's cores stay.
func lost(err error) error { return err }
