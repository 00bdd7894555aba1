package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// target is a system that a release supports.
type target struct {
	os, arch string // as Go names them
	zig      string // zig's name of the system, with its oldest supported version
	ort      string // the onnxruntime library that the archive holds, as nn/ort/fetch-onnxruntime.sh names it; "": the program fetches its own
	library  string // file name of the onnxruntime library
	python   string // as Python's packages name it
}

// targets are all supported systems, with the oldest versions that onnxruntime supports: glibc 2.28
// and macOS 14. Archives for Linux lack onnxruntime: networks run without it, and npm or pip fetches it
// when something needs it. A Mac needs it for CoreML, and Windows has no shell to fetch it.
var targets = []target{
	{os: "linux", arch: "amd64", zig: "x86_64-linux-gnu.2.28", python: "manylinux_2_28_x86_64"},
	{os: "linux", arch: "arm64", zig: "aarch64-linux-gnu.2.28", python: "manylinux_2_28_aarch64"},
	{os: "windows", arch: "amd64", zig: "x86_64-windows-gnu", ort: "win32/x64", library: "onnxruntime.dll", python: "win_amd64"},
	{os: "windows", arch: "arm64", zig: "aarch64-windows-gnu", ort: "win32/arm64", library: "onnxruntime.dll", python: "win_arm64"},
	{os: "darwin", arch: "arm64", zig: "aarch64-macos.14.0", ort: "darwin/arm64", library: "libonnxruntime.dylib", python: "macosx_14_0_arm64"},
}

func (t target) String() string { return t.os + "/" + t.arch }

// name is the target's name in file names.
func (t target) name() string {
	if t.os == "darwin" {
		return "macos-" + t.arch
	}
	return t.os + "-" + t.arch
}

func (t target) program() string {
	if t.os == "windows" {
		return "engine.exe"
	}
	return "engine"
}

// suffix is the suffix of the target's archive, of a kind that the system opens by itself.
func (t target) suffix() string {
	if t.os == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

// choose returns the targets of a list such as linux/amd64,windows/arm64.
func choose(only string) ([]target, error) {
	if only == "" {
		return targets, nil
	}
	var all []target
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.String() == name || t.name() == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no target %q: %v", name, targets)
		}
		all = append(all, targets[i])
	}
	return all, nil
}

// build compiles the program for one system.
func (r *release) build(t target, program string) error {
	fmt.Printf("building for %s\n", t)
	// Go's build ID depends on the cache, not only on the sources.
	link := fmt.Sprintf("-s -w -buildid= -X main.version=%s -X main.commit=%s", r.version, r.commit)
	cc := fmt.Sprintf("'%s' cc -target %s", r.tools.zig, t.zig)
	if t.os == "darwin" {
		stubs, err := appleStubs(r.ctx, filepath.Join(r.work, "apple"))
		if err != nil {
			return err
		}
		cc += fmt.Sprintf(" '-F%s' '-L%s'", stubs, stubs)
	} else {
		link += " -extldflags=-Wl,--strip-all" // debug data would contain names of temporary files
	}
	cmd := exec.CommandContext(r.ctx, goTool(), "build", "-trimpath", "-buildvcs=false", "-ldflags", link, "-o", program, "./cmd/engine")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOOS="+t.os, "GOARCH="+t.arch, "CC="+cc)
	return do(cmd)
}

// libraries fetches the libraries for the archive: onnxruntime, and on Windows the Visual C++
// runtime that it needs.
func (r *release) libraries(t target) ([]string, error) {
	if t.ort == "" {
		return nil, nil
	}
	dir := filepath.Join(r.tools.cache, "onnxruntime", t.name())
	if err := do(exec.CommandContext(r.ctx, "nn/ort/fetch-onnxruntime.sh", "--from", "pip", "--platform", t.ort, "--dir", dir)); err != nil {
		return nil, err
	}
	all := []string{filepath.Join(dir, t.library)}
	if t.os != "windows" {
		return all, nil
	}
	dir = filepath.Join(r.tools.cache, "msvc", t.name())
	if err := r.tools.install(r.ctx, dir, "msvc-runtime", "--platform", t.python, "--python-version", "3.11", "--abi", "cp311"); err != nil {
		return nil, err
	}
	for _, name := range []string{"msvcp140.dll", "msvcp140_1.dll", "vcruntime140.dll", "vcruntime140_1.dll"} {
		found, err := find(dir, name)
		if err != nil {
			return nil, err
		}
		all = append(all, found)
	}
	return all, nil
}
