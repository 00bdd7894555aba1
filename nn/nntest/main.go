//go:build !js

package nntest

import "testing"

// Main runs the tests of a package. Under WebAssembly it starts the kernels first.
func Main(m *testing.M) int { return m.Run() }
