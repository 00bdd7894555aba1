// Package search is the Monte Carlo tree search: it decides where to play, using
// a neural network's evaluations of single positions.
//
// # Terms
//
// A playout is one descent from the root with its backup. A visit is a playout
// counted on a node or an edge; a node's visits include its own evaluation, and
// a root that was kept from an earlier search brings its visits along. An edge
// is a move from a node; its edge visits count how often this parent took it.
// The prior is the network's probability of a move. Utility is what a node is
// worth: win minus loss, plus terms for the expected score. Weight is how much
// an evaluation counts. FPU (first-play urgency) is the utility that a move
// without visits is assumed to have. A virtual loss makes an edge look worse
// while an evaluation below it is under way.
//
// # Whose view
//
// Every stored value, utility and score is White's: +1 is a won game for White,
// scores are White minus Black. The network answers for the side to move; the
// sign is turned once, right after the evaluation. A [Result] is for the side to
// move at the root: its sign is turned once, when it is made.
//
// # Invariants
//
//   - One goroutine at a time owns a tree: the one inside Search, or the caller of
//     Reset, Advance and Search. It alone touches nodes, so nodes have no locks.
//     If sessions keep all cores busy, the goroutines that answer evaluations take turns
//     as the owner (see combiner); otherwise each of them sees only the slot that it
//     answers. [Tree.Snapshot] may be called at any time; it reads what the owner
//     published.
//   - After each Search no virtual loss is left and no evaluation is under way.
//   - The arenas hold no pointers, so the garbage collector never scans a tree;
//     indices are 32 bits and 0 means none. Nothing is allocated per playout.
//   - With one worker a search is a function of its position, parameters and
//     seed; with more it also depends on the order in which evaluations finish.
//   - A node stands for the whole path to it, or, with graph search, for a
//     position whose history cannot matter. So moves that were legal when the
//     node was evaluated stay legal, under superko too.
//
// # Parts
//
// A [Tree] wires together: the position at the root; the nodes; the rules that apply at
// the root only; a selector, which picks the move to descend through; playouts, which go
// down to a leaf and up again; a run, which is one search, with its tally and timing; a
// chooser, which weighs moves for the final choice; and a report. The cycle of select,
// evaluate, expand and back up is one function, run.iterate.
//
// # Workers
//
// More evaluations in flight fill the network's batches and scatter the search. Two batches for
// each session of the network, one that runs and one that fills, keep a CPU busy; fewer, down to
// one batch, cost a little speed. The bounds in Params.Parallel keep small searches below two
// batches, whatever the number of workers: one evaluation in flight for 8 playouts of a limited
// search. With 200 visits on 9x9 at most 2.3 % of the descents of 1 to 32 workers collided. A
// Stats.CollisionRate above a fifth means too many workers.
//
// # Techniques
//
// Each technique is a setting (see Settings) and can be switched off; Plain has
// nearly all of them off.
//
// # Sources
//
// PUCT: Rosin 2011; Silver et al. 2017 (AlphaGo Zero), Methods, "Select". Visit-scaled and
// variance-scaled exploration, FPU, score utility, uncertainty weighting, noise pruning, value
// weighting, subtree value bias, LCB and graph search: KataGo, github.com/lightvector/KataGo,
// docs/KataGoMethods.md and docs/GraphSearch.md, and "Accelerating Self-Play Learning in Go", arXiv
// 1902.10565. Play against mirror Go, shaped noise, averages of ownership, the expected utility of
// a score, shares of a focus, obvious moves, and most defaults: KataGo, cpp/search,
// cpp/neuralnet/nninputs.cpp and cpp/program/setup.cpp. Settings that KataGo has too have KataGo's
// names. Virtual loss: Chaslot, Winands and van den Herik 2008. Flat combining: Hendler, Incze,
// Shavit and Tzafrir 2010.
package search
