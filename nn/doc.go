// Package nn evaluates positions by neural networks.
//
// A [Query] goes in, an [Output] comes out. Between them are an encoder
// (package features), a [Backend] that runs the network, and the
// post-processing that masks illegal moves and turns raw numbers into
// probabilities and points. [Server] puts these together for any number of
// callers: a cache, one queue for each board size, and sessions that compute
// the queued queries in batches.
//
// Terms: a backend is one session of one network at one exact board size; a
// model opens backends; a row is one position in a batch; raw outputs are what
// the network computes before post-processing.
//
// Invariants. Every number of an Output is for the side to move. Points are in
// board order whatever orientation the network was shown. Policy sums to 1 over
// the legal moves, is -1 elsewhere, and is never NaN, whatever the network
// returned.
//
// The post-processing of KataGo's networks follows its nneval.cpp
// (github.com/lightvector/KataGo); symmetries and evaluation in random
// orientation follow Silver et al., "Mastering the game of Go without human
// knowledge", Nature 2017.
package nn
