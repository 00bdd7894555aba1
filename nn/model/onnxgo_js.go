package model

import (
	"fmt"

	"kosumi/nn"
)

// inPage says that the program is one of a page in a browser: the kernels run networks
// there, and nothing else does.
const inPage = true

func (onnxgoRunner) open(work) (nn.Backend, error) {
	return nil, fmt.Errorf("%w: onnx-go is not part of a page", ErrProvider)
}
