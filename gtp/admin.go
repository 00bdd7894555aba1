package gtp

import (
	"context"
	"slices"
	"strings"
)

// adminCommands returns the commands about the program itself. They never wait for a network to
// load.
func (s *handlers) adminCommands() []Handler {
	return []Handler{
		{Name: "protocol_version", Run: Text("2"), usage: usage{"", "the version of the protocol: 2", standard}}, // some clients look for protocol_version in the first line of list_commands
		{Name: "name", Run: Text(programName), usage: usage{"", "the program's name", standard}},
		{Name: "version", Run: Text(s.opts.Version), usage: usage{"", "its version: three dotted integers", standard}},
		{Name: "known_command", Run: s.knownCommand, usage: usage{"COMMAND", "true or false", standard}},
		{Name: "list_commands", Run: s.listCommands, usage: usage{"", "every command, one a line", standard}},
		{Name: "quit", Run: Text(""), usage: usage{"", "ends the session; a search under way is given up", standard}},
		{Name: "cputime", Run: s.cpuTime, usage: usage{"", "seconds that moves have taken so far", byGNUGo}},
		{Name: "gomill-cpu_time", Run: s.cpuTime, usage: usage{"", "as cputime", byGomill}},
		{Name: "stop", Run: does(s.engine.Stop), usage: usage{"", "ends pondering and analysis", byLeela}},
		{Name: "clear_cache", Run: does(s.engine.ClearCache), usage: usage{"", "forgets evaluated positions and the search tree", byKataGo}},
	}
}

// Text is a handler that always gives the same reply.
func Text(reply string) HandlerFunc {
	return func(_ context.Context, _ Command, r *Reply) error {
		return r.Print(reply)
	}
}

func (s *handlers) knownCommand(_ context.Context, c Command, r *Reply) error {
	return r.Print(len(c.Args) > 0 && slices.Contains(s.table.Listed(), c.Args[0]))
}

func (s *handlers) listCommands(_ context.Context, _ Command, r *Reply) error {
	return r.Print(strings.Join(s.table.Listed(), "\n"))
}

func (s *handlers) cpuTime(_ context.Context, _ Command, r *Reply) error {
	return r.Printf("%.6f", s.mover.Thought().Seconds())
}

func does(work func()) HandlerFunc {
	return func(context.Context, Command, *Reply) error {
		work()
		return nil
	}
}
