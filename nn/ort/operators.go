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

	ort "github.com/yalue/onnxruntime_go"

	"kosumi/nn/kernel"
)

// addOperators adds the operators of the domain "kosumi" to a session's options. The caller
// frees the result after the session.
func addOperators(o *ort.SessionOptions, lib Library, threads int) (*operators, error) {
	isa, _ := kernel.Best()
	var why *C.char
	ops := C.operators_make(lib.api, optionsOf(o), kernel.Table(), C.int(isa), C.int(threads), &why)
	if ops == nil {
		return nil, fmt.Errorf("%w: operators: %s", ErrLoad, C.GoString(why))
	}
	return (*operators)(ops), nil
}

// operators belong to one session.
type operators C.operators

// enterDomain makes the first session, on the CPU. With it onnxruntime enters the operators' domain
// into a table of the process, without a lock: if two sessions did that at once, one would fail.
// Later sessions can be made concurrently.
var enterDomain = sync.OnceValue(func() error {
	lib, _ := Loaded()
	model, err := copierModel()
	if err != nil {
		return err
	}
	first, err := Config{}.withDefaults().session(lib, model, []string{copyFrom}, []string{copyTo})
	if err == nil {
		err = first.Destroy()
	}
	return err
})

func (o *operators) drop() { C.operators_drop((*C.operators)(o)) }
