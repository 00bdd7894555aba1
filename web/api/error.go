package api

import (
	"errors"
	"fmt"
	"syscall"
)

// Error is the answer to a command that was refused. Text is English; Code and
// Args are what a page translates.
type Error struct {
	// Code is bad_request, unauthorised, unsupported, not_found, stale, illegal,
	// busy, limit, engine_failed, not_saved or internal.
	Code string `json:"code"`
	Text string `json:"text"`
	// Args say more: for illegal "ko", "superko", "suicide", "occupied", "over",
	// "playing", "turn" or "board"; for not_saved "full" if the disk is full.
	Args []string `json:"args,omitempty"`
	// Say is the page's sentence in its own language; nil: the sentence for the code.
	Say *Say `json:"say,omitempty"`
	// Cause is the page's sentence that replaces Text within the sentence for the code.
	Cause *Say `json:"cause,omitempty"`
	// Retry says that nothing was done, and that the same command may work later.
	Retry bool `json:"retry,omitempty"`
}

// Error returns the text: a refusal is an error too.
func (e Error) Error() string { return e.Text }

// Refuse returns a refusal; an error among args is its cause.
func Refuse(code, format string, args ...any) error {
	e := Error{Code: code, Text: fmt.Sprintf(format, args...)}
	for _, a := range args {
		if err, ok := a.(error); ok {
			e.Cause = Cause(err)
		}
	}
	return e
}

// RefuseWith returns a refusal whose argument is more precise than its code.
func RefuseWith(code, arg, text string) error {
	return Error{Code: code, Text: text, Args: []string{arg}}
}

// NotSaved refuses a change that cannot be written to disk. The state is unchanged, and the
// command may be repeated.
func NotSaved(err error) error {
	e := Error{Code: "not_saved", Text: fmt.Sprintf("this is not saved: %v", err), Cause: Cause(err), Retry: true}
	if errors.Is(err, syscall.ENOSPC) {
		e.Args = []string{"full"}
	}
	return e
}

// BadRequest converts an error to a refusal with code bad_request. It returns nil and refusals as they
// are.
func BadRequest(err error) error {
	if err == nil || errors.As(err, new(Error)) {
		return err
	}
	return Refuse("bad_request", "%v", err)
}

// AsError returns err as a refusal. If err neither is nor wraps one, the refusal is new, with code internal.
func AsError(err error) *Error {
	var e Error
	if !errors.As(err, &e) {
		e = Error{Code: "internal", Text: err.Error(), Cause: Cause(err)}
	}
	return &e
}
