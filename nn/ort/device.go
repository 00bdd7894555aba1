//go:build cgo

package ort

/*
#cgo CFLAGS: -I${SRCDIR}/../kernel
#include <stdlib.h>
#include "device.h"
#include "operators.h"
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"

	"kosumi/nn/onnx"
)

// Device is memory of a provider. Tensors stay there between runs: outputs of one graph
// that are inputs of another are not copied to the host. Close it after its tensors. One
// caller at a time may use it.
type Device struct {
	c        C.device
	provider string
	copier   *native // copies one tensor of any shape, from and to either memory
}

// deviceMemory names the memory of a provider as onnxruntime does.
var deviceMemory = map[string]string{CPU: "Cpu", "cuda": "Cuda", "tensorrt": "Cuda"}

// HasDevice reports whether [OpenDevice] supports a provider's memory. The CPU's memory is the
// host's, so only tests need it.
func HasDevice(provider string) bool { return deviceMemory[provider] != "" }

const (
	copyFrom = "from"
	copyTo   = "to"
)

// copierModel is an ONNX graph that copies a tensor of any shape.
var copierModel = sync.OnceValues((&onnx.Model{IRVersion: 8, Opset: 17, Graph: &onnx.Graph{Name: "copy",
	Nodes:   []*onnx.Node{{OpType: "Identity", Inputs: []string{copyFrom}, Outputs: []string{copyTo}}},
	Inputs:  []onnx.ValueInfo{{Name: copyFrom, Type: onnx.Float}},
	Outputs: []onnx.ValueInfo{{Name: copyTo, Type: onnx.Float}},
}}).Marshal)

// OpenDevice opens the memory of the configured provider, for which [HasDevice] is true.
func OpenDevice(c Config) (*Device, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	lib, err := Load(c.Library)
	if err != nil {
		return nil, err
	}
	d := &Device{provider: c.Provider}
	model, err := copierModel()
	if err == nil {
		d.copier, err = c.open(model, []string{copyFrom}, []string{copyTo})
	}
	if err != nil {
		return nil, err
	}
	memory := C.CString(deviceMemory[c.Provider])
	defer C.free(unsafe.Pointer(memory))
	if err := failure(C.device_open(lib.api, sessionOf(d.copier), memory, &d.c)); err != nil {
		_ = d.copier.Destroy()
		return nil, fmt.Errorf("%w: memory of %s: %w", ErrProvider, c.Provider, err)
	}
	return d, nil
}

// failure turns a C string into an error.
func failure(why *C.char) error {
	if why == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(why))
	return fmt.Errorf("onnxruntime: %s", C.GoString(why))
}

func (d *Device) Close() error {
	if d == nil || d.copier == nil {
		return nil
	}
	C.device_close(&d.c)
	err := d.copier.Destroy()
	d.copier = nil
	return err
}

// NewTensor makes a tensor of zeros in the device's memory. Data is a copy on the host: call
// [Tensor.Changed] after writing to it, and [Tensor.Fetch] to read what a graph has written.
func (d *Device) NewTensor(dims ...int64) (*Tensor, error) {
	t, err := NewTensor(dims...)
	if err != nil {
		return nil, err
	}
	if err := failure(C.device_tensor(&d.c, (*C.int64_t)(unsafe.Pointer(&t.Dims[0])), C.size_t(len(t.Dims)), &t.there)); err != nil {
		t.Close()
		return nil, fmt.Errorf("%w: %w", ErrGraph, err)
	}
	t.device, t.newer = d, onHost
	return t, nil
}

// newer says which copy of a tensor was written last.
type newer uint8

const (
	alike    newer = iota
	onHost         // Data must be sent before a graph reads the tensor
	onDevice       // Data is outdated
)

// Changed marks Data as written by the caller.
func (t *Tensor) Changed() {
	if t.device != nil {
		t.newer = onHost
	}
}

// Fetch copies to Data what graphs have written on the device.
func (t *Tensor) Fetch() error {
	if t.newer != onDevice {
		return nil
	}
	return t.copy(func(b *ort.IoBinding) error {
		if err := t.bind(b, copyFrom, true); err != nil {
			return err
		}
		return b.BindOutput(copyTo, t.val)
	})
}

func (t *Tensor) send() error {
	if t.newer != onHost {
		return nil
	}
	return t.copy(func(b *ort.IoBinding) error {
		if err := b.BindInput(copyFrom, t.val); err != nil {
			return err
		}
		return t.bind(b, copyTo, false)
	})
}

func (t *Tensor) copy(bind func(*ort.IoBinding) error) error {
	b, err := t.device.copier.CreateIoBinding()
	if err != nil {
		return err
	}
	defer b.Destroy()
	if err := bind(b); err != nil {
		return fmt.Errorf("%w: %w", ErrGraph, err)
	}
	if err := t.device.copier.RunWithBinding(b); err != nil {
		return fmt.Errorf("%w: copy of a tensor: %w", ErrGraph, err)
	}
	t.newer = alike
	return nil
}

func (t *Tensor) bind(b *ort.IoBinding, name string, input bool) error {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	binding := bindingOf(b)
	if input {
		return failure(C.device_bind_input(&t.device.c, binding, n, t.there))
	}
	return failure(C.device_bind_output(&t.device.c, binding, n, t.there))
}

// leave frees the memory on the device.
func (t *Tensor) leave() {
	if t.there != nil && t.device.copier != nil {
		C.device_drop(&t.device.c, t.there)
	}
	t.there = nil
}
