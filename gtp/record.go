package gtp

import (
	"context"
	"strconv"
	"strings"

	"kosumi/internal/file"
)

func (s *handlers) recordCommands() []Handler {
	return []Handler{
		{Name: "loadsgf", Run: s.loadSGF, usage: usage{"FILE [N]", "a game record, up to the position before move N", standard}},
		{Name: "printsgf", Run: s.printSGF, usage: usage{"[FILE]", "the game as SGF, into a file or as the reply", byGNUGo}},
	}
}

func (s *handlers) loadSGF(_ context.Context, c Command, _ *Reply) error {
	name, before, err := FileAndMove(c.Rest)
	if err != nil {
		return err
	}
	data, err := file.Read(name, s.opts.MaxSGF)
	if err != nil {
		return Because(errCannotLoad, err)
	}
	if err := s.ready(); err != nil {
		return err
	}
	return Because(errCannotLoad, s.engine.LoadSGF(data, before))
}

// FileAndMove splits a file name, quoted or not, from the number after it.
// Clients send names with blanks although the protocol forbids them, so without
// quotes everything before a last number is the name.
func FileAndMove(rest string) (name string, move int, err error) {
	number := ""
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		name, number, ok = strings.Cut(quoted, `"`)
		if number = strings.TrimSpace(number); !ok {
			return "", 0, ErrSyntax
		}
	} else {
		name = strings.TrimSpace(rest)
		if i := strings.LastIndexByte(name, ' '); i >= 0 {
			if _, err := strconv.Atoi(name[i+1:]); err == nil {
				name, number = strings.TrimRight(name[:i], " "), name[i+1:]
			}
		}
	}
	if name == "" {
		return "", 0, ErrSyntax
	}
	if number != "" {
		if move, err = parseInt(number); err != nil || move < 0 {
			return "", 0, ErrSyntax
		}
	}
	return name, move, nil
}

// printSGF takes [FILE]; without it, or with "-", the record is the reply.
func (s *handlers) printSGF(ctx context.Context, c Command, r *Reply) error {
	data, err := s.engine.SaveSGF(ctx)
	if err != nil {
		return err
	}
	if c.Rest == "" || c.Rest == "-" {
		_, err = r.Write(data)
		return err
	}
	name := strings.TrimSpace(c.Rest)
	if quoted, ok := strings.CutPrefix(name, `"`); ok {
		name = strings.TrimSuffix(quoted, `"`)
	}
	return Because(errCannotSave, file.WriteBytes(name, data))
}
