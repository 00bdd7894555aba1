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
	"sync"
	"sync/atomic"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"

	"kosumi/nn/kernel"
)

// addOperators makes the operators of the domain "kosumi" known to a session that is
// made with these options. The caller frees the result after the session.
func addOperators(o *ort.SessionOptions, lib Library, threads int) (*operators, error) {
	isa, _ := kernel.Best()
	base := apiBase(lib)
	if base == nil {
		return nil, fmt.Errorf("%w: %s is not the library that is loaded", ErrLoad, lib.Path)
	}
	// onnxruntime_go offers no way to custom operators. Its SessionOptions is a
	// struct of one pointer, which a test pins.
	options := *(*unsafe.Pointer)(unsafe.Pointer(o))
	var why *C.char
	ops := C.operators_make(base, options, kernel.Table(), C.int(isa), C.int(threads), &why)
	if ops == nil {
		return nil, fmt.Errorf("%w: operators: %s", ErrLoad, C.GoString(why))
	}
	return (*operators)(ops), nil
}

// operators belong to one session.
type operators C.operators

// domain guards the table of domains of the whole process. The first session with
// these operators enters theirs, which onnxruntime does without a lock: of two at
// once, one fails. Once it stands there, sessions are made side by side.
var domain struct {
	sync.Mutex
	entered atomic.Bool
}

// session makes a session with options that these operators were added to.
func (o *operators) session(model []byte, inputs, outputs []string, options *ort.SessionOptions) (*ort.DynamicAdvancedSession, error) {
	if !domain.entered.Load() {
		domain.Lock()
		defer domain.Unlock()
	}
	s, err := ort.NewDynamicAdvancedSessionWithONNXData(model, inputs, outputs, options)
	if err == nil {
		domain.entered.Store(true)
	}
	return s, err
}

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
