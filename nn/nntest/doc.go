// Package nntest is what tests around networks share: models that need no network
// file ([Uniform], [HashModel]), the suite that every nn.Backend has to pass,
// whatever runs the network, and the small networks that it passes them on.
//
// The networks carry weights drawn from a seed and mean nothing. Each comes
// with an evaluation of its own, written as plain loops in float64 straight
// from the definition of each operator, so that the suite needs no other
// backend and no stored numbers to know what is right.
package nntest
