// Package learn trains networks: any that package model opens and whose operators package autodiff
// knows. It runs on onnxruntime; forward pass, losses, gradients and update are one graph, and
// weights are not copied between steps.
//
// [Run] is all that `engine train` does: streams, measurements on games held back, checkpoints,
// metrics, curves and the report. A killed run resumes from its newest checkpoint and ends with
// the same bytes as an undisturbed one. [Steps] is the loop of steps, which self-play loops use
// too. A [Learner] takes single steps:
//
//	l, err := learn.New(learn.Config{Model: "net.bin.gz", Batch: 256, Rate: 1e-3})
//	opts := rows.Options{Batch: 256, Encoding: l.Encoding(), Wants: l.Wants()}
//	for {
//		err = stream.Next(&batch)
//		res, err := l.Step(&batch)       // one step; res.Loss, res.Terms
//		...
//	}
//	path, err := l.Save(dir, learn.Extra{"stream": state}) // atomic, fsynced
//	err = l.Export("out.bin.gz", "", true)                  // or .onnx; the averaged weights
//	l.Close()
//
//	l, extra, err := learn.Resume(dir, cfg)                // newest checkpoint that is whole
//
// Terms. A step is one update of the weights by one batch. A sample is one row used once. A term is
// one loss of one head; the loss of a step is the sum over terms and rows of coefficient * row
// weight * term, divided by the rows of a full batch. So the learning rate of KataGo's trainer,
// which sums over the batch instead, corresponds to rate * batch here (spec: lr 3e-5 a sample is
// 7.7e-3 at batch 256).
//
// Board sizes. Each batch is of one exact board size. A graph is built for each
// size on first use; all of them share the same weights. Networks with dense
// layers over the board serve one size only.
//
// Determinism. The same model, configuration and batches give the same weights,
// bit for bit, on the same machine with the same library and number of threads, also
// if training was interrupted and resumed.
package learn
