//go:build !js

package model

import (
	"kosumi/nn"
	"kosumi/nn/onnxgo"
)

// inPage is true in a browser page, where only the kernels can run networks.
const inPage = false

// onnxgoRunner runs graphs in pure Go.
func onnxgoRunner(why string) runner {
	return runner{OnnxGo, why, func(w work) (nn.Backend, error) {
		data, err := w.marshal()
		if err != nil {
			return nil, err
		}
		return onnxgo.Open(data, w.spec, w.maxBatch)
	}}
}
