package model

import (
	"fmt"

	"kosumi/nn/onnx"
	"kosumi/nn/quant"
)

// writtenFor returns the processor that an integer network of ours was written
// for. Older files do not say; their sums may have to be exact.
func writtenFor(m *onnx.Model) quant.Processor {
	p, err := quant.ParseProcessor(m.Metadata[MetaFor])
	if err != nil || m.Metadata[MetaFor] == "" {
		return quant.VNNI
	}
	return p
}

// forProcessor returns an integer network of ours as here computes it rightly. An
// empty warning says that it is the network as it was.
func forProcessor(m *onnx.Model, here quant.Processor) (out *onnx.Model, warning string, err error) {
	written := writtenFor(m)
	if m.Metadata[MetaPrecision] != int8Precision || written.Serves(here) {
		return m, "", nil
	}
	if out, err = quant.Exact(m); err != nil {
		return nil, "", err
	}
	return out, fmt.Sprintf("the network was written for other processors (%v): here it needs longer sums and is little faster than fp32; engine quantize --for %v writes a faster one", written, here), nil
}

// exactHere returns an integer network, written for some processor, as this one
// computes it rightly.
func exactHere(m *onnx.Model, written quant.Processor) (*onnx.Model, error) {
	if written.Serves(quant.Here()) {
		return m, nil
	}
	return quant.Exact(m)
}
