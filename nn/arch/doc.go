// Package arch builds fresh networks as ONNX graphs with weights, and describes
// networks that others made.
//
// Two families are its own. "mini" is the dual head of the tutorial: 7 planes,
// post-activation residual blocks, policy and value. "bNcM" is the network of
// the chapter on KataGo's architecture: 22 planes, N pre-activation residual
// blocks of M channels with a global pooling block after every sixth, and heads
// for policy, value, score and ownership. The dense layers of both heads are as
// large as the board, so every board size has a network of its own. Further
// families are added with [Register].
//
// Graphs have a symbolic batch "N", one input "planes" and BatchNormalization
// nodes in their inference form, as training wants them; [onnx.Simplify] merges
// those into the convolutions. Values are those for the side to move.
//
// Invariant: equal configuration and seed give equal bytes, on every machine.
package arch
