// Package graph runs networks on the kernels of package kernel alone, with no library.
//
// It takes the graph that package fuse makes. For each number of rows that are computed
// together the graph is planned once: every shape is a number then, every value has its
// place, and every node is a step of a program that the kernels run in one call:
//
//   - layers and attention, which is where the time goes;
//   - small steps for what is left: functions of one and two values, reductions, softmax,
//     copies. A product by a constant matrix is a layer too;
//   - nothing at all for what only gives values another shape.
//
// A graph with any other operator is refused ([ErrOperator]); onnxruntime runs it.
//
// # Memory
//
// A session has one piece of memory: inputs, outputs, constants (each content once), and
// an arena in which a value lives from the step that writes it to the last one that reads
// it. A step that may write over what it reads does so where nobody else needs it. Run
// allocates nothing.
//
// # Batches
//
// A batch is computed some rows at a time, so that what is between the layers stays in
// the cache; see rowsTogether. No result depends on the other rows.
//
// Invariants: a session has one caller at a time; any number of sessions may run at
// once, and share packed weights.
package graph
