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
// empty warning says that it is the file as it was, data.
func forProcessor(m *onnx.Model, data []byte, here quant.Processor) (out []byte, warning string, err error) {
	written := writtenFor(m)
	if m.Metadata[MetaPrecision] != int8Precision || written.Serves(here) {
		return data, "", nil
	}
	exact, err := quant.Exact(m)
	if err != nil {
		return nil, "", err
	}
	if out, err = exact.Marshal(); err != nil {
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
