package ort

import "errors"

// Errors of finding and loading the library. Test with errors.Is.
var (
	// ErrNoLibrary says that no usable onnxruntime library was found.
	ErrNoLibrary = errors.New("no usable onnxruntime library was found")
	// ErrNotFound says that a place was searched and holds nothing.
	ErrNotFound = errors.New("not found")
	// ErrNotLibrary says that a file is not an onnxruntime library.
	ErrNotLibrary = errors.New("not an onnxruntime library")
	// ErrNotPlugin says that a file is not a plugin of onnxruntime's.
	ErrNotPlugin = errors.New("not a plugin of onnxruntime")
	// ErrWrongPlatform says that a library is for another system or processor.
	ErrWrongPlatform = errors.New("for another platform")
	// ErrLibraryTooOld says that a library lacks the interface that is needed.
	ErrLibraryTooOld = errors.New("too old")
	// ErrLoad says that the system could not load a library that looked right.
	ErrLoad = errors.New("the library cannot be loaded")
	// ErrOtherLibrary says that the process has loaded another library already.
	ErrOtherLibrary = errors.New("another onnxruntime library is loaded already")
	// ErrHangs says that a call into a library, plugin or driver does not return.
	ErrHangs = errors.New("it hangs")
	// ErrNoCgo says that this program was built without cgo and cannot load
	// the library at all.
	ErrNoCgo = errors.New("this program was built without cgo and cannot use onnxruntime: use the onnx-go provider, or build with CGO_ENABLED=1 and a C compiler")
)

// Errors of sessions. Test with errors.Is.
var (
	// ErrProvider says that an execution provider is unknown or that the
	// library or the machine does not offer it.
	ErrProvider = errors.New("execution provider not available")
	// ErrPlugin says that a library of execution providers cannot be used.
	ErrPlugin = errors.New("plugin not usable")
	// ErrModel says that onnxruntime refuses the model.
	ErrModel = errors.New("onnxruntime cannot load the model")
	// ErrBatch marks a number of rows outside 1 to MaxBatch.
	ErrBatch = errors.New("bad number of rows")
	// ErrGraph marks tensors that do not fit a graph's inputs and outputs.
	ErrGraph = errors.New("tensor does not fit the graph")
	// ErrClosed is returned by Run after Close.
	ErrClosed = errors.New("the session is closed")
)
