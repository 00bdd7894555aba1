package ort

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// lazyNeeds are the libraries that a provider loads only when it is used: the
// provider's file does not list them.
var lazyNeeds = map[string][]string{
	"onnxruntime_providers_cuda": {"libcudnn.so.9", "libcufft.so"},
}

// explainModule adds to err why the library of a provider could not be loaded, since
// onnxruntime does not say. It works on Linux only and looks only at files.
func explainModule(err error, module string, lib Library) error {
	if err == nil || module == "" || runtime.GOOS != "linux" {
		return err
	}
	dir := filepath.Dir(lib.Path)
	path := filepath.Join(dir, "lib"+module+".so")
	if _, missing := os.Stat(path); missing != nil {
		hint := "this library comes without it"
		if strings.HasSuffix(module, "_cuda") || strings.HasSuffix(module, "_tensorrt") {
			hint += ": where no other is named, --provider cuda fetches one that has it"
		}
		return fmt.Errorf("%s is not there; %s", path, hint)
	}
	needs := append(neededBy(path), lazyNeeds[module]...)
	absent := slices.DeleteFunc(needs, func(name string) bool { return onLoaderPath(name, dir) })
	if len(absent) == 0 {
		return err
	}
	return fmt.Errorf("%v; missing on the library path (docs/performance.md says how to get it): %s", err, strings.Join(absent, ", "))
}

// lacking returns an error if the system lacks the library p.needs. It returns nil if that library is
// found or p.needs is empty, and always on systems other than Linux.
func (p provider) lacking() error {
	if p.needs == "" || runtime.GOOS != "linux" || onLoaderPath(p.needs, "") {
		return nil
	}
	return fmt.Errorf("%s is missing on the library path", p.needs)
}

// neededBy lists the libraries that an ELF file asks the loader for.
func neededBy(path string) []string {
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.ImportedLibraries()
	return names
}

// onLoaderPath reports whether dir or a folder of the system's loader holds a file whose
// name begins with name.
func onLoaderPath(name, dir string) bool {
	if strings.HasPrefix(name, "ld-linux") {
		return true
	}
	for _, d := range append([]string{dir}, systemDirs()...) {
		if d == "" {
			continue
		}
		if found, _ := filepath.Glob(filepath.Join(globEscape(d), name+"*")); len(found) > 0 {
			return true
		}
	}
	return false
}
