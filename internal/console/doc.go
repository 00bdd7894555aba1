// Package console writes messages for people to standard error: progress as bars or lines, log
// messages as one line each, and errors in plain words.
package console
