//go:build !js

package model

import (
	"kosumi/nn"
	"kosumi/nn/onnxgo"
)

// inPage says that the program is one of a page in a browser: the kernels run networks
// there, and nothing else does.
const inPage = false

func (onnxgoRunner) open(w work) (nn.Backend, error) {
	data, err := w.marshal()
	if err != nil {
		return nil, err
	}
	return onnxgo.Open(data, w.spec, w.maxBatch)
}
