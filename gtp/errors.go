package gtp

import (
	"errors"
	"fmt"
)

// Failures whose text the protocol or its clients fix. A handler may wrap one
// to add detail for the log; the reply is the sentinel's text alone.
var (
	errUnknownCommand = errors.New("unknown command")
	errSyntax         = errors.New("syntax error")
	errSize           = errors.New("unacceptable size")
	errKomi           = errors.New("unacceptable komi")
	errIllegalMove    = errors.New("illegal move")
	errCannotUndo     = errors.New("cannot undo")
	errCannotScore    = errors.New("cannot score")
	errCannotLoad     = errors.New("cannot load file")
	errCannotSave     = errors.New("cannot save file")
	errNotEmpty       = errors.New("board not empty")
	errStoneCount     = errors.New("invalid number of stones")
	errVertexList     = errors.New("bad vertex list")
	errInternal       = errors.New("internal error")
	errLineTooLong    = errors.New("line too long")
)

// errUnusable is wrapped where the engine can do nothing at all, as without its
// network: the reply says why, whatever the command was.
var errUnusable = errors.New("the engine cannot be used")

// ready waits until the engine can play.
func (s *Server) ready() error {
	if err := s.opts.Ready(); err != nil {
		return because(errUnusable, err)
	}
	return nil
}

// fixedTexts are the failures above.
var fixedTexts = []error{
	errUnknownCommand, errSyntax, errSize, errKomi, errIllegalMove, errCannotUndo, errCannotScore,
	errCannotLoad, errCannotSave, errNotEmpty, errStoneCount, errVertexList, errInternal, errLineTooLong,
}

// because joins a failure with its cause: the reply shows the failure, the log
// both.
func because(failure, cause error) error {
	return fmt.Errorf("%w: %w", failure, cause)
}

// kataError is a failure in KataGo's words.
type kataError string

// Error implements error.
func (e kataError) Error() string { return string(e) }

func kataErrorf(format string, args ...any) error { return kataError(fmt.Sprintf(format, args...)) }

// inKataGosWords puts an error into KataGo's words where it has such.
func inKataGosWords(err error) error {
	var e interface{ KataGo() string }
	if errors.As(err, &e) {
		return kataError(e.KataGo())
	}
	return err
}

// failureText is the text of the reply for an error.
func failureText(err error) string {
	if errors.Is(err, errUnusable) {
		return err.Error()
	}
	for _, fixed := range fixedTexts {
		if errors.Is(err, fixed) {
			return fixed.Error()
		}
	}
	var kata kataError
	if errors.As(err, &kata) {
		return string(kata)
	}
	return err.Error()
}

// orFail is nil if the cause is, else the failure because of it.
func orFail(failure, cause error) error {
	if cause == nil {
		return nil
	}
	return because(failure, cause)
}
