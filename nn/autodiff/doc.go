// Package autodiff turns inference graphs into training graphs: reverse-mode
// differentiation over nn/onnx graphs, and optimizers as graph nodes. It runs nothing.
//
// A training graph is made in four steps.
//
//  1. [Prepare] takes a network as it is stored, fixes the batch, makes its
//     weights inputs of the graph, and gives BatchNormalization its training
//     form. [Prepared.Params] says what was made trainable.
//  2. The caller extends the prepared model (onnx.Extend) by targets and a
//     scalar loss.
//  3. [Gradients] appends the derivatives of the loss, by one rule for each operator.
//  4. [Optimizer.Apply] appends the update. New weights and new optimizer state
//     are outputs of the graph, to be fed back as inputs in the next step.
//
// Conventions. Every dimension in a training graph is a known number: the batch is fixed. Gradients
// are float32, as values are. A derivative that is constant along an axis may have size 1 there
// ("narrow") until an operator needs it in full. At points without a derivative: Relu has 0 at 0,
// Abs has 0 at 0, equal maxima share the derivative evenly.
//
// Invariant: equal models and options give byte-identical graphs.
package autodiff
