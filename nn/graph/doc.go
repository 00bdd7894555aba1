// Package graph runs networks on the kernels of package kernel alone, with no library.
//
// It takes the graph that package fuse makes. The graph is planned for each number of rows
// that are computed together, with all shapes known: every value has its memory, and every
// node is a step of a program that the kernels run in one call:
//
//   - layers and attention, which take nearly all of the time; a product by a constant
//     matrix is a layer too;
//   - small steps: functions of one and two values, reductions, softmax, copies;
//   - no step for operators that only change shapes.
//
// A graph with any other operator is refused ([ErrOperator]); onnxruntime runs it.
//
// # Memory
//
// A session has one piece of memory: inputs, outputs, constants (each content once), and
// an arena in which a value lives from the step that writes it to the last one that reads
// it. A step may overwrite an input that no later step reads. Run
// allocates nothing.
//
// # Batches
//
// A batch is computed some rows at a time, so that values between layers stay in the cache
// (rowsTogether). The results of a row do not depend on other rows.
//
// Invariants: a session has one caller at a time; any number of sessions may run at
// once, and share packed weights.
package graph
