//go:build cgo

package ort

import (
	"path/filepath"
	"syscall"
)

// loadCompanions loads the libraries that a DLL in dir (onnxruntime's or a plugin's) asks for by name:
// Windows would look for them only beside the program.
func loadCompanions(dir string) {
	for _, name := range []string{"DirectML.dll", "dxil.dll", "dxcompiler.dll"} {
		// A missing library is no error here: the provider that needs it reports it.
		_, _ = syscall.LoadLibrary(filepath.Join(dir, name))
	}
}
