// Package arch builds fresh networks as ONNX graphs with weights.
//
// There are two families. "mini" is the dual head of the AlphaGo Zero tutorials: 7 planes,
// post-activation residual blocks, policy and value. "bNcM" is the network of their chapter on
// KataGo's architecture: 22 planes, N pre-activation residual blocks of M channels with a global
// pooling block after every sixth, and heads for policy, value, score and ownership. The dense
// layers of the heads are as large as the board, so each network serves one board size.
//
// Graphs have a symbolic batch "N", one input "planes" and BatchNormalization nodes in their
// inference form. Training needs these nodes; [onnx.Simplify] merges them into the convolutions.
// Values are for the side to move.
//
// Invariant: equal configuration and seed give equal bytes, on every machine.
package arch
