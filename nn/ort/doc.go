// Package ort runs networks with Microsoft's onnxruntime library: on the CPU,
// or on whatever execution provider the library at hand offers.
//
// The library is not linked but found and loaded when the first session is
// opened ([Find] describes the places, [Candidates] returns why each
// library was refused). [Fetch] downloads it. One process loads one
// library. [Open] makes a session, an nn.Backend. Without cgo the package
// compiles to stubs that return [ErrNoCgo]; [Find] works all the same.
//
// Terms: a provider executes a graph or a part of it ("cpu", "cuda", ...); a binding ties a session
// to tensors once, so that a run need not name them; intra-op threads share the work of one
// operator.
//
// Invariants. A session's memory belongs to the session, is pinned and never
// moves; tensors of n rows lie at its beginning. On the CPU, Run allocates
// nothing once it has seen a batch size. A session has one caller at a time;
// any number of sessions may run at once.
//
// # Settings, measured
//
// Measured with onnxruntime 1.30 on two cores of a Zen 4 server, float32
// networks with random weights: A is 4 blocks of 64 channels on 9x9, B 6 blocks
// of 96 on 19x19; positions per second, in batches of 8 unless stated.
//
//   - One thread per session and one session per core: A 2,100 with one session, 4,200 with two;
//     B 148 and 295. One session with two threads makes A 3,960 and B 156 to 290, depending on
//     what else runs.
//   - Batches: A 3,700 to 4,000 at batch 1, 4,400 at 16; B 276, 289 and 284 at
//     1, 8 and 16. Two sessions each.
//   - Threads that spin while they wait: A rises from 2,280 to 2,880 at batch 1, but falls
//     from 3,960 to 1,520 at batch 8, since spinning takes the core from other threads. So
//     the threads of sessions do not spin.
//   - Optimization "all" against "extended": A 2,127 against 1,225, B 147
//     against 117: the memory layout for the processor's vectors matters.
//   - Arena, memory patterns, flushing of denormals: no difference.
//   - Binding against passing tensors to each run: no measurable difference in
//     time, but no allocations instead of five.
package ort
