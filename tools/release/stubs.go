package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// appleStubs writes stubs of three macOS libraries that Go links and zig lacks. The linker only
// needs the names of the libraries and of their functions. Both stand in Go's own sources, in lines such as
//
//	//go:cgo_import_dynamic local_name function "/path/of/the/library"
//
// The stubs are text files (.tbd). appleStubs returns their folder, for the options -F and -L.
func appleStubs(ctx context.Context, dir string) (string, error) {
	root, err := output(exec.CommandContext(ctx, goTool(), "env", "GOROOT"))
	if err != nil {
		return "", err
	}
	imports, err := dynamicImports(filepath.Join(root, "src"))
	if err != nil {
		return "", err
	}
	for file, path := range map[string]string{
		"CoreFoundation.framework/CoreFoundation.tbd": "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation",
		"Security.framework/Security.tbd":             "/System/Library/Frameworks/Security.framework/Versions/A/Security",
		"libresolv.tbd":                               "/usr/lib/libresolv.9.dylib",
	} {
		if len(imports[path]) == 0 {
			return "", fmt.Errorf("Go's sources import nothing from %s", path)
		}
		to := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, stub(path, imports[path]), 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

var dynamicImport = regexp.MustCompile(`(?m)^//go:cgo_import_dynamic \S+ (\w+) "(/[^"]+)"`)

// dynamicImports collects the functions that Go's sources import from libraries, by the library's
// path on macOS.
func dynamicImports(src string) (map[string][]string, error) {
	all := map[string][]string{}
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range dynamicImport.FindAllSubmatch(data, -1) {
			all[string(m[2])] = append(all[string(m[2])], string(m[1]))
		}
		return nil
	})
	for path := range all {
		slices.Sort(all[path])
		all[path] = slices.Compact(all[path])
	}
	return all, err
}

// stub is a library's text-based stub.
func stub(path string, functions []string) []byte {
	return fmt.Appendf(nil, "--- !tapi-tbd\ntbd-version: 4\ntargets: [ arm64-macos ]\ninstall-name: '%s'\nexports:\n  - targets: [ arm64-macos ]\n    symbols: [ _%s ]\n...\n",
		path, strings.Join(functions, ", _"))
}
