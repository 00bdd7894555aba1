// Package analysis speaks KataGo's JSON analysis protocol: one JSON object a line each way,
// queries answered in any order, many positions at once. KaTrain, Ogatak and scripts drive an
// engine this way.
//
// Every query asks for the analysis of one or more turns of a game; each turn becomes a task.
// Tasks wait in order of priority; each worker takes the first and searches it with a tree of its
// own. All workers share one evaluator, which fills its batches. For every turn exactly one
// message with isDuringSearch false is written, always the last for that turn. The queue is
// bounded (Config.MaxQueue): when it is full, the server reads no further lines, actions
// included, and the client has to wait.
//
// Reference: KataGo, docs/Analysis_Engine.md.
package analysis
