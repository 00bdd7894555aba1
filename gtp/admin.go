package gtp

import (
	"context"
	"fmt"
	"strings"
)

// adminCommands say who the engine is and what it can do. They call nothing of
// the engine that may have to wait for a network to load.
func (s *Server) adminCommands() []handler {
	return []handler{
		{name: "protocol_version", run: text("2")}, // some clients look for it in the first line of list_commands
		{name: "name", run: s.name},
		{name: "version", run: s.version},
		{name: "known_command", run: s.knownCommand},
		{name: "list_commands", run: s.listCommands},
		{name: "quit", run: text("")},
		{name: "cputime", run: s.cpuTime},
		{name: "gomill-cpu_time", run: s.cpuTime},
		{name: "stop", run: s.stop},
		{name: "clear_cache", run: s.clearCache},
	}
}

// text is a handler that always gives the same reply.
func text(reply string) HandlerFunc {
	return func(_ context.Context, _ Command, r *Reply) error {
		_, err := r.WriteString(reply)
		return err
	}
}

func (s *Server) name(_ context.Context, _ Command, r *Reply) error {
	_, err := r.WriteString(programName)
	return err
}

func (s *Server) version(_ context.Context, _ Command, r *Reply) error {
	_, err := r.WriteString(s.opts.Version)
	return err
}

func (s *Server) knownCommand(_ context.Context, c Command, r *Reply) error {
	known := false
	if len(c.Args) > 0 {
		h, ok := s.table[c.Args[0]]
		known = ok && !h.hidden
	}
	_, err := fmt.Fprint(r, known)
	return err
}

func (s *Server) listCommands(_ context.Context, _ Command, r *Reply) error {
	var names []string
	for _, name := range s.order {
		if !s.table[name].hidden {
			names = append(names, name)
		}
	}
	_, err := r.WriteString(strings.Join(names, "\n"))
	return err
}

// cpuTime is the time spent on generating moves, in seconds.
func (s *Server) cpuTime(_ context.Context, _ Command, r *Reply) error {
	_, err := fmt.Fprintf(r, "%.6f", s.thought.Seconds())
	return err
}

func (s *Server) stop(context.Context, Command, *Reply) error {
	s.engine.Stop()
	return nil
}

func (s *Server) clearCache(context.Context, Command, *Reply) error {
	s.engine.ClearCache()
	return nil
}
