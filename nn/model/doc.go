// Package model opens network files: it finds out what a file is, says what the
// network computes, makes one graph for each exact board size, and runs it on
// the best provider that works here.
//
// A file may be KataGo's (.bin.gz, .txt.gz, .bin, .txt), an ONNX file that
// Kosumi wrote, whose metadata says all there is to know, or a foreign ONNX
// file, whose nature is inferred from shapes and operators. What stays
// ambiguous is refused with an error that names the setting to give.
//
// Graphs that onnxruntime has rewritten for this machine are kept in a cache
// folder, by the sha256 of the source, board size, provider, precision, library
// version and processor, so that a second start is fast.
package model
