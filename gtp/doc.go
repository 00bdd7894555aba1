// Package gtp speaks the Go Text Protocol, version 2 (Gunnar Farnebäck's draft
// 2 of 2002), with the extensions of KataGo, Leela Zero, GoGui, GNU Go and KGS.
// It turns lines into calls of an Engine and results into replies; it knows
// vertices and colours, no tree and no network.
//
// # Terms
//
// A command is one input line that is neither blank nor only a comment. A reply
// is "=" or "?", the command's id if it had one, a space, text, and one empty
// line. A stream is a reply that grows while the engine thinks: "=" and id on a separate line, then
// lines that begin with "info " or "play ", then one empty line.
//
// # Parts
//
// A [Server] reads lines, finds the handler of each in its [Table] and writes the
// reply. Handlers come in groups and may be replaced. If the program stands in for another program,
// a [Dialect] parses the lines and phrases the failures as that program does. A [Mover] asks the
// engine for moves. A person at a terminal gets further commands.
//
// # Invariants
//
//   - Replies come in the order of the commands, one each.
//   - Text of a reply never contains an empty line, and no line of it other than
//     the first begins with "=" or "?".
//   - The output is flushed after each reply and each line of a stream.
//   - After a failure the state is what it was before the command.
//   - A panic of a handler becomes the reply "? internal error".
//
// # Life cycle
//
// Any line, blank ones included, ends lz-analyze, kata-analyze and the
// cancellable searches. No line disturbs a genmove except the raw line
// "# interrupt", which makes it answer at once. The command quit and the end of
// the input abort a genmove as well, unless they followed it without a pause
// between lines: then the input is a script, and its searches run in full,
// however long it is.
package gtp
