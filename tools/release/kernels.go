package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
)

// kernelSources are the C sources of the kernels' WebAssembly module.
var kernelSources = []string{"layer.c", "program.c", "training.c", "simd128_wasm.c", "module_wasm.c"}

// makeKernels builds the WebAssembly module of nn/kernel, which the workers of a page load.
func makeKernels(ctx context.Context, file string) error {
	var t tools
	if err := t.fetchZig(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	args := []string{"cc", "-target", "wasm32-wasi", "-mexec-model=reactor", "-O3", "-msimd128", "-Wall", "-Werror", "-Wl,--strip-all", "-o", file}
	for _, name := range kernelSources {
		args = append(args, filepath.Join("nn", "kernel", name))
	}
	if err := do(exec.CommandContext(ctx, t.zig, args...)); err != nil {
		return err
	}
	return os.Chmod(file, 0o644)
}
