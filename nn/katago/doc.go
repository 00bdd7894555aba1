// Package katago reads, writes, builds and converts the network files of
// KataGo (.bin.gz, .txt.gz and their unpacked forms), model versions 3 to 17.
//
// # Terms
//
// A Network is the content of such a file as plain values: a Header, the Trunk
// (input layers, blocks, tip), the PolicyHead and the ValueHead. Weights keep
// the order and the exact bits of the file, so reading and writing again gives
// the same bytes.
//
//   - ordinary block: norm, activation, convolution, twice, added to the trunk.
//   - pooling block (gpool): part of the first convolution's output is pooled over the board
//     (mean, mean scaled by the board's size, maximum) and added to the rest as one bias per
//     channel.
//   - nested bottleneck: a 1x1 convolution down, inner blocks, a 1x1 up.
//   - attention and feed-forward blocks: the two halves of a transformer layer.
//   - norm: a batch-norm record. Networks trained without batch statistics store
//     mean 0, variance 1 and an epsilon of 1e-20, so that only scale and bias act.
//   - tip: the normalisation and activation at the end of the trunk.
//
// # Graphs
//
// Build turns a Network into an ONNX graph for one exact board size. The graph needs no mask, and
// its pooling factors and position tables are constants. There are three forms:
//
//   - FormRun folds norms and scales into convolutions and matrix products. It
//     is what an inference session should load; it is not meant to be edited.
//   - FormKernels is FormRun for the kernels of package kernel, with attention as one node.
//   - FormExact keeps one named initializer for each block of numbers in the KataGo file
//     ("blocks.3.conv1.weight", "policy.p2.weight"), all of them independent of the board's size,
//     and carries the rest of the file as text in its metadata. FromONNX restores the network from such
//     a graph, also after its initializers were trained further. Conversions write this form.
//
// To play a converted network, FromONNX restores it, then Build makes FormRun or
// FormKernels for the board's size.
//
// # Invariants
//
//   - A Network from Read or FromONNX has passed Check: neighbouring layers fit
//     each other, and every number is finite.
//   - Reading takes memory in proportion to the bytes that have arrived, not to
//     the counts that the file claims.
//   - Raw outputs are for the side to move; softmax, tanh, scaling and legality
//     are left to the caller.
//
// The format, the arithmetic and the names of layers are those of KataGo
// (github.com/lightvector/KataGo, MIT licence), read from its documentation and
// behaviour; the code is our own.
package katago
