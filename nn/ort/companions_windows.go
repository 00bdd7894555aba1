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
		// A missing library is no error here: the provider that needs it reports it.
		_, _ = syscall.LoadLibrary(filepath.Join(dir, name))
	}
}
