package quant

import (
	"fmt"

	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
)

// writtenFor returns the processor that an integer network of ours was written
// for. Older files do not say; their sums may have to be exact.
func writtenFor(m *onnx.Model) Processor {
	p, err := ParseProcessor(m.Metadata[meta.For])
	if err != nil || m.Metadata[meta.For] == "" {
		return VNNI
	}
	return p
}

// Fit returns an integer network of ours, as its metadata say what it is, in a form
// that a processor computes rightly. An empty warning says that it is the network as
// it was, as it is for networks in floats.
func Fit(m *onnx.Model, here Processor) (out *onnx.Model, warning string, err error) {
	written := writtenFor(m)
	if m.Metadata[meta.Precision] != "int8" || written.Serves(here) {
		return m, "", nil
	}
	if out, err = Exact(m); err != nil {
		return nil, "", err
	}
	return out, fmt.Sprintf("the network was written for other processors (%v): here it needs longer sums and is little faster than fp32; engine quantize --for %v writes a faster one", written, here), nil
}
