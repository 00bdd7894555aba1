// Package nntest is what tests around networks share: models that need no network
// file ([Uniform], [HashModel]), the suite that every nn.Backend has to pass,
// whatever runs the network, and the small networks that it passes them on.
//
// The networks carry weights drawn from a seed and mean nothing. Package onnxref
// computes what they should answer.
package nntest
