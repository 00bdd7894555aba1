package model

import (
	"fmt"

	"kosumi/nn"
)

// inPage is true in a browser page, where only the kernels can run networks.
const inPage = true

func onnxgoRunner(why string) runner {
	return runner{OnnxGo, why, func(work) (nn.Backend, error) {
		return nil, fmt.Errorf("%w: onnx-go is not part of a page", ErrProvider)
	}}
}
