//go:build cgo

package ort

/*
#cgo CFLAGS: -I${SRCDIR}/../kernel
#cgo linux LDFLAGS: -ldl
#include <stdlib.h>
#include "operators.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"

	"kosumi/nn/kernel"
)

// addOperators makes the operators of the domain "kosumi" known to a session that is
// made with these options. What it returns is freed after the session.
func addOperators(o *ort.SessionOptions, lib Library) (*operators, error) {
	isa, _ := kernel.Best()
	path := C.CString(lib.Path)
	defer C.free(unsafe.Pointer(path))
	base := C.find_api_base(path)
	if base == nil {
		return nil, fmt.Errorf("%w: %s is not the library that is loaded", ErrLoad, lib.Path)
	}
	// onnxruntime_go offers no way to custom operators. Its SessionOptions is a
	// struct of one pointer, which a test pins.
	options := *(*unsafe.Pointer)(unsafe.Pointer(o))
	var why *C.char
	ops := C.operators_make(base, options, kernel.Table(), C.int(isa), &why)
	if ops == nil {
		return nil, fmt.Errorf("%w: operators: %s", ErrLoad, C.GoString(why))
	}
	return (*operators)(ops), nil
}

// operators belong to one session.
type operators C.operators

func (o *operators) drop() { C.operators_drop((*C.operators)(o)) }

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
