package nntest

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall/js"
	"testing"

	"kosumi/nn/kernel"
)

// Main runs the tests of a package in node, with two workers. `make kernel-wasm` makes their
// module.
func Main(m *testing.M) int {
	if err := start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer kernel.Stop()
	return m.Run()
}

func start() error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	for root != "/" {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		root = filepath.Dir(root)
	}
	module, err := os.ReadFile(filepath.Join(root, "bin", "page", "kernel.wasm"))
	if err != nil {
		return fmt.Errorf("make kernel-wasm first: %w", err)
	}
	bytes := js.Global().Get("Uint8Array").New(len(module))
	js.CopyBytesToJS(bytes, module)
	return kernel.Start(kernel.Workers{Count: 2, Module: bytes, Script: filepath.Join(root, "nn", "kernel", "kernel-worker.js")})
}
