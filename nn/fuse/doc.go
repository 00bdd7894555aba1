// Package fuse rewrites a network's graph for the kernels of package kernel: its
// convolutions become nodes Conv of the domain "kosumi", which include the operators
// around them.
//
// With s = conv(x, weights) + bias + residual a node computes
//
//	y = activation(scale*s + shift)    and, if needed, sum = s
//
// from inputs in this order: x, weights [out,in,k,k], bias [out] or [N,out], residual, scale [out],
// shift [out]; all but the first two may be left out, and all but x, bias and residual are
// constant. Attributes: activation and precision (the numbers of package kernel), epsilon, and
// planes, 1 where x is the network's input [N,in,H,W]; elsewhere boards are [N,H,W,channels] from
// one node to the next. A node also serves as the product of tokens [N,S,in] by a matrix. If
// epsilon is above 0, the tokens are divided by the root of their mean square first. With the
// activation SwiGLU the result is silu(first half of the outputs) * second half.
//
// A node Attention, which package katago writes, reads the tokens' projections [N,S,queries, keys and values of all
// heads] and, for rotation by position, cosines and sines [S,kv_heads,q_dim/2] of pairs of
// queries and keys. Attributes: heads, kv_heads, q_dim, v_dim and precision, which [Rewrite] adds.
//
// Values are transposed back for other nodes, except for global pooling. Inputs and outputs of the
// graph keep their layout.
//
// [Half] rewrites a graph in 16-bit floats, for GPUs.
package fuse
