package kernel

import (
	"fmt"
	"os"
	"syscall/js"
	"testing"
)

func TestMain(m *testing.M) {
	module, err := os.ReadFile("../../bin/page/kernel.wasm")
	if err != nil {
		fmt.Fprintln(os.Stderr, "make kernel-wasm first:", err)
		os.Exit(1)
	}
	bytes := js.Global().Get("Uint8Array").New(len(module))
	js.CopyBytesToJS(bytes, module)
	if err := Start(Workers{Count: 2, Module: bytes, Script: "./kernel-worker.js"}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	Stop()
	os.Exit(code)
}
