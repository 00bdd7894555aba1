// Package model opens network files: it recognises the format, describes what the network
// computes, makes one graph for each exact board size, and runs it on the best provider that
// works here.
//
// A file may be KataGo's (.bin.gz, .txt.gz, .bin, .txt), an ONNX file that Kosumi wrote, whose
// metadata is complete, or a foreign ONNX file, whose nature is inferred from shapes and
// operators. A file that stays ambiguous is refused with an error that names the setting to give.
//
// On the CPU a graph is rewritten for the kernels of this program, in 16-bit integers or in
// float32, each time it is opened: that takes less time than reading the file.
package model
