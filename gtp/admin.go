package gtp

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// adminCommands say who the engine is and what it can do. They call nothing of
// the engine that may have to wait for a network to load.
type adminCommands struct {
	version string
	engine  Engine
	table   *Table
	mover   *Mover
}

func (s *adminCommands) list() []Handler {
	return []Handler{
		{Name: "protocol_version", Run: Text("2")}, // some clients look for it in the first line of list_commands
		{Name: "name", Run: Text(programName)},
		{Name: "version", Run: Text(s.version)},
		{Name: "known_command", Run: s.knownCommand},
		{Name: "list_commands", Run: s.listCommands},
		{Name: "quit", Run: Text("")},
		{Name: "cputime", Run: s.cpuTime},
		{Name: "gomill-cpu_time", Run: s.cpuTime},
		{Name: "stop", Run: stop(s.engine)},
		{Name: "clear_cache", Run: s.clearCache},
	}
}

// Text is a handler that always gives the same reply.
func Text(reply string) HandlerFunc {
	return func(_ context.Context, _ Command, r *Reply) error {
		_, err := r.WriteString(reply)
		return err
	}
}

func (s *adminCommands) knownCommand(_ context.Context, c Command, r *Reply) error {
	_, err := fmt.Fprint(r, len(c.Args) > 0 && slices.Contains(s.table.Listed(), c.Args[0]))
	return err
}

func (s *adminCommands) listCommands(_ context.Context, _ Command, r *Reply) error {
	_, err := r.WriteString(strings.Join(s.table.Listed(), "\n"))
	return err
}

// cpuTime is the time spent on generating moves, in seconds.
func (s *adminCommands) cpuTime(_ context.Context, _ Command, r *Reply) error {
	_, err := fmt.Fprintf(r, "%.6f", s.mover.Thought().Seconds())
	return err
}

// stop is a handler that ends what the engine does in the background.
func stop(e Engine) HandlerFunc {
	return func(context.Context, Command, *Reply) error {
		e.Stop()
		return nil
	}
}

func (s *adminCommands) clearCache(context.Context, Command, *Reply) error {
	s.engine.ClearCache()
	return nil
}
