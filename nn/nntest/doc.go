// Package nntest is shared by tests of networks: models that need no network file ([Uniform],
// [HashModel]), the suite that every nn.Backend has to pass, and the small networks of that
// suite.
//
// The networks have random weights drawn from a seed. Package onnxref computes the expected
// answers.
package nntest
