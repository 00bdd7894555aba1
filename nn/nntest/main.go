//go:build !js

package nntest

import "testing"

// Main runs the tests of a package. In a page's world it starts the kernels first.
func Main(m *testing.M) int { return m.Run() }
