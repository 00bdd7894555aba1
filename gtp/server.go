package gtp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"kosumi/thinking"
)

// Options are the choices of a Server. The zero value is the default.
type Options struct {
	// Version is the program's, "a.b.c", at most 40 characters. "" means "0.0.0".
	Version string
	// Ready, if not nil, waits until the engine can play, and returns why it cannot: then
	// no game begins, and the reply says why.
	Ready func() error
	// Models, if not nil, lists the networks in use.
	Models func() []thinking.ModelInfo
	// Strict refuses moves in play that break ko, superko or suicide rules. By
	// default they are played with a warning, since a server that allows them
	// would otherwise play a different game.
	Strict bool
	// MaxLine is the longest input line in bytes; longer ones fail. 0 means 16 MiB.
	MaxLine int
	// MaxQueue is how much is read ahead of the command at work, in bytes of
	// memory; when it is full, the client has to wait. 0 means 16 MiB.
	MaxQueue int
	// MaxSGF is the largest game record that loadsgf reads in bytes. 0 means 16 MiB.
	MaxSGF int64
	// KataGo, if not nil, makes the server answer as KataGo does.
	KataGo *KataGo
	// Chat, if not nil, gets a line about every move that was searched, which
	// bridges to game servers post to the game's chat.
	Chat func(line string)
	// Life, if not nil, judges the life of stones.
	Life LifeJudge
	// Terminal, if not nil, makes the server kind to a person who types.
	Terminal *Terminal
}

// programName is the program's name. It carries no version, and it begins with no
// engine's name that makes clients speak a dialect of their own.
const programName = "Kosumi"

func (o *Options) fill() {
	o.Version = cmp.Or(o.Version, "0.0.0")
	if o.MaxLine <= 0 {
		o.MaxLine = 16 << 20
	}
	if o.MaxQueue <= 0 {
		o.MaxQueue = 16 << 20
	}
	if o.Ready == nil {
		o.Ready = func() error { return nil }
	}
	if o.Models == nil {
		o.Models = func() []thinking.ModelInfo { return nil }
	}
	if o.MaxSGF <= 0 {
		o.MaxSGF = 16 << 20
	}
}

// HandlerFunc carries out a command and writes the text of its reply to r. An
// error becomes the failure reply, its text on one line; what r got is then
// dropped. ctx ends when the command should hurry: on "# interrupt", when the
// client leaves, and, for commands that input ends, at the next line.
type HandlerFunc func(ctx context.Context, c Command, r *Reply) error

// handler is an entry of the command table.
type handler struct {
	name    string
	run     HandlerFunc
	hidden  bool // works but is not listed
	byInput bool // any input line ends it
}

// Server answers GTP commands for one Engine. It serves one client at a time.
type Server struct {
	engine  Engine
	log     *slog.Logger
	opts    Options
	order   []string // names in the order of list_commands
	table   map[string]handler
	thought time.Duration // spent on generating moves
	person  *person       // who types, or nil
}

// NewServer returns a Server with every command of this package.
func NewServer(e Engine, log *slog.Logger, opts Options) *Server {
	opts.fill()
	s := &Server{engine: e, log: log, opts: opts, table: make(map[string]handler)}
	for _, group := range [][]handler{
		s.adminCommands(), s.positionCommands(), s.handicapCommands(), s.moveCommands(), s.clockCommands(),
		s.scoringCommands(), s.recordCommands(), s.analysisCommands(), s.rulesCommands(), s.paramCommands(),
		s.networkCommands(), s.goguiCommands(), s.lifeCommands(), s.kgsCommands(),
	} {
		for _, h := range group {
			s.add(h)
		}
	}
	if opts.KataGo != nil {
		newKataServer(s)
	}
	if opts.Terminal != nil {
		newPerson(s, opts.Terminal)
	}
	return s
}

func (s *Server) add(h handler) {
	if _, known := s.table[h.name]; !known {
		s.order = append(s.order, h.name)
	}
	s.table[h.name] = h
}

// Handle adds a command, or replaces one. It must not be called while Serve
// runs.
func (s *Server) Handle(name string, f HandlerFunc) { s.add(handler{name: name, run: f}) }

// HandleStream is Handle for a command that any input line ends.
func (s *Server) HandleStream(name string, f HandlerFunc) {
	s.add(handler{name: name, run: f, byInput: true})
}

// ErrOutput is wrapped by the error of Serve when the client no longer takes
// output.
var ErrOutput = errors.New("cannot write to the GTP client")

// Serve answers commands from in on out until quit or the end of in (the result
// is nil), until out fails (the error wraps ErrOutput) or until ctx ends (the
// result is its cause). A read from in that is under way when out fails or ctx
// ends is left behind; it ends with in.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	o := newOutput(ctx, out, func() { stop(ErrOutput) })
	defer o.close()
	q := newQueue(s.opts.MaxQueue)
	go q.read(ctx, in, s.opts.MaxLine)
	for {
		l, ok := q.pop(ctx)
		if !ok {
			break
		}
		if quit := s.answer(ctx, q, o, l); quit {
			break
		}
	}
	if err := o.err(); err != nil {
		return fmt.Errorf("%w: %w", ErrOutput, err)
	}
	return context.Cause(ctx)
}

// answer carries out one line.
func (s *Server) answer(ctx context.Context, q *queue, o *output, l line) (quit bool) {
	c, _ := Parse(l.text)
	if s.opts.KataGo != nil {
		var fault string
		if c, fault = parseKataGo(l.text); fault != "" {
			o.write([]byte(fault)) // an error is kept in o and ends the session
			return false
		}
	}
	if s.person != nil {
		c = s.person.complete(c)
	}
	r := &Reply{out: o, id: c.ID}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h, err := s.lookUp(c, l)
	if err == nil {
		q.start(&running{line: l, cancel: cancel, byInput: h.byInput})
		err = s.run(ctx, h, c, r)
		if s.opts.KataGo != nil {
			err = inKataGosWords(err)
		}
		q.done()
	}
	said := r.close(err)
	if s.person != nil {
		o.write(s.person.after(c, err)) // an error is kept in o and ends the session
	}
	switch {
	case err == nil:
	case said:
		s.log.Debug("command failed", "command", c.Name, "error", err)
	default:
		s.log.Warn("analysis failed", "command", c.Name, "error", err)
	}
	return err == nil && c.Name == "quit"
}

func (s *Server) lookUp(c Command, l line) (handler, error) {
	switch h, known := s.table[c.Name]; {
	case l.tooLong:
		return h, errLineTooLong
	case c.Name == "":
		return h, errSyntax
	case !known:
		return h, errUnknownCommand
	default:
		return h, nil
	}
}

// run calls the handler and turns a panic into an error.
func (s *Server) run(ctx context.Context, h handler, c Command, r *Reply) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("a command panicked", "command", c.Name, "panic", p, "stack", string(debug.Stack()))
			err = errInternal
		}
	}()
	return h.run(ctx, c, r)
}
