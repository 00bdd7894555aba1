//go:build cgo

package ort

import (
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"
)

// native is a session of onnxruntime with its custom operators.
type native struct {
	*ort.DynamicAdvancedSession
	operators *operators
}

// Destroy frees the session, then the operators.
func (n *native) Destroy() error {
	err := n.DynamicAdvancedSession.Destroy()
	n.operators.drop()
	n.operators = nil
	return err
}

// onnxruntime_go does not export its pointers to onnxruntime's options, binding and session.
// They are the first fields of its structs, which a test checks.

func optionsOf(o *ort.SessionOptions) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(o)) }

func bindingOf(b *ort.IoBinding) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(b)) }

func sessionOf(n *native) unsafe.Pointer {
	return **(**unsafe.Pointer)(unsafe.Pointer(n.DynamicAdvancedSession))
}
