//go:build cgo

package ort

import (
	"path/filepath"
	"syscall"
)

// loadCompanions loads the libraries that onnxruntime.dll asks for by name
// from its own folder: Windows would look for them beside the program only.
func loadCompanions(dir string) {
	for _, name := range []string{"DirectML.dll", "dxil.dll", "dxcompiler.dll"} {
		// An absent one is missed only by the provider that needs it, and
		// reported there.
		_, _ = syscall.LoadLibrary(filepath.Join(dir, name))
	}
}
