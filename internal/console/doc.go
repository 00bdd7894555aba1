// Package console is how the program speaks to people beside its replies: progress as
// bars or lines, one readable line for each message of a log, and errors in their
// words. The commands write to standard error through it.
package console
