// Package analysis speaks KataGo's JSON analysis protocol: one JSON object a
// line each way, queries answered in any order, many positions at once. KaTrain,
// Ogatak and scripts drive an engine this way.
//
// Every query asks for the analysis of one or more turns of a game; each turn
// becomes a task of its own. Tasks wait in order of priority, and each worker
// takes the first and searches it with a tree of its own; all share one
// evaluator, which is where full batches come from. For every turn exactly one
// message with isDuringSearch false is written, always the last for that turn.
// The queue is bounded (Config.MaxQueue): then no more is read, and a client that
// goes on writing has to wait, its actions too.
//
// Reference: KataGo, docs/Analysis_Engine.md.
package analysis
