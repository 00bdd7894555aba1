package gtp

import (
	"context"
	"strconv"
	"strings"

	"kosumi/internal/file"
)

// recordCommands load and save games.
func (s *Server) recordCommands() []handler {
	return []handler{
		{name: "loadsgf", run: s.loadSGF},
		{name: "printsgf", run: s.printSGF},
	}
}

// loadSGF takes FILE [MOVE]. The record is read up to the position before that
// move.
func (s *Server) loadSGF(_ context.Context, c Command, _ *Reply) error {
	name, before, err := fileAndMove(c.Rest)
	if err != nil {
		return err
	}
	data, err := file.Read(name, s.opts.MaxSGF)
	if err != nil {
		return because(errCannotLoad, err)
	}
	if err := s.ready(); err != nil {
		return err
	}
	return orFail(errCannotLoad, s.engine.LoadSGF(data, before))
}

// fileAndMove splits a file name, quoted or not, from the number after it.
// Clients send names with blanks although the protocol forbids them, so without
// quotes everything before a last number is the name.
func fileAndMove(rest string) (name string, move int, err error) {
	number := ""
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		name, number, ok = strings.Cut(quoted, `"`)
		if number = strings.TrimSpace(number); !ok {
			return "", 0, errSyntax
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
		return "", 0, errSyntax
	}
	if number != "" {
		if move, err = parseInt(number); err != nil || move < 0 {
			return "", 0, errSyntax
		}
	}
	return name, move, nil
}

// printSGF takes [FILE]; without it, or with "-", the record is the reply.
func (s *Server) printSGF(ctx context.Context, c Command, r *Reply) error {
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
	return orFail(errCannotSave, file.WriteBytes(name, data))
}
