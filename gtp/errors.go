package gtp

import (
	"errors"
	"fmt"
	"strings"
)

// Failure is an error whose text begins the reply, as the protocol or clients expect it. A handler
// may wrap a Failure in an error with the cause, which follows in the reply.
type Failure string

func (f Failure) Error() string { return string(f) }

func Failf(format string, args ...any) error { return Failure(fmt.Sprintf(format, args...)) }

// Failures of the protocol.
const (
	ErrSyntax         = Failure("syntax error")
	ErrSize           = Failure("unacceptable size")
	ErrKomi           = Failure("unacceptable komi")
	ErrIllegalMove    = Failure("illegal move")
	ErrCannotScore    = Failure("cannot score")
	errUnknownCommand = Failure("unknown command")
	errCannotUndo     = Failure("cannot undo")
	errCannotLoad     = Failure("cannot load file")
	errCannotSave     = Failure("cannot save file")
	errNotEmpty       = Failure("board not empty")
	errStoneCount     = Failure("invalid number of stones")
	errVertexList     = Failure("bad vertex list")
	errInternal       = Failure("internal error")
	errLineTooLong    = Failure("line too long")
)

// errUnusable is wrapped by errors of an engine that cannot work at all, for instance without a
// network. Every command is then answered with the cause.
var errUnusable = errors.New("the engine cannot be used")

// Because joins a failure with its cause; it returns nil if that is nil.
func Because(failure, cause error) error {
	if cause == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", failure, cause)
}

// failureText returns the reply to a command that failed. An illegal move has no cause there, since
// referees such as gomill compare the whole text.
func failureText(err error) string {
	if errors.Is(err, ErrIllegalMove) {
		return string(ErrIllegalMove)
	}
	text := err.Error()
	if first, rest, ok := strings.Cut(text, ": "); ok && strings.HasPrefix(rest, first) {
		return rest // the cause begins with the failure's words
	}
	return text
}
