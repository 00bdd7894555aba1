//go:build cgo

package ort

import (
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"
)

// native is onnxruntime's session with the operators that it calls.
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

// The pointers of onnxruntime that onnxruntime_go keeps to itself: its options, its binding
// and its session's part are structs that begin with them, which a test pins.

func optionsOf(o *ort.SessionOptions) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(o)) }

func bindingOf(b *ort.IoBinding) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(b)) }

func sessionOf(n *native) unsafe.Pointer {
	return **(**unsafe.Pointer)(unsafe.Pointer(n.DynamicAdvancedSession))
}
