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

// addOperators makes the operators of the domain "kosumi" known to a session that is
// made with these options. The caller frees the result after the session.
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

// enterDomain makes a first session on the CPU. It enters the operators' domain into the
// table of the whole process, which onnxruntime does without a lock: of two sessions that
// do it at once, one fails. Those that come later are made side by side.
var enterDomain = sync.OnceValue(func() error {
	lib, _ := Loaded()
	first, err := Config{}.withDefaults().session(lib, copierModel(), []string{copyFrom}, []string{copyTo})
	if err == nil {
		err = first.Destroy()
	}
	return err
})

func (o *operators) drop() { C.operators_drop((*C.operators)(o)) }
