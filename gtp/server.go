package gtp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	"kosumi/search/thinking"
)

// Options are the choices of a Server. The zero value is the default.
type Options struct {
	// Version is the program's version, "a.b.c", at most 40 characters. "" means "0.0.0".
	Version string
	// Ready, if not nil, waits until the engine can play. Its error, which says why the engine
	// cannot, becomes the reply to commands that begin a game.
	Ready func() error
	// Models, if not nil, lists the networks in use.
	Models func() []thinking.ModelInfo
	// Strict refuses played moves that break ko, superko or suicide rules. By
	// default they are played with a warning, since a game server may allow
	// them, and its game would then differ from this one.
	Strict bool
	// MaxLine is the longest input line in bytes; longer ones fail. 0 means 16 MiB.
	MaxLine int
	// MaxQueue is how much input is read ahead of the running command, in bytes of memory; beyond
	// that the client has to wait. 0 means 16 MiB.
	MaxQueue int
	// MaxSGF is the size in bytes of the largest game record that loadsgf reads. 0 means 16 MiB.
	MaxSGF int64
	// Dialect is how lines are read and failures worded; nil: as the protocol has it.
	Dialect *Dialect
	// Chat gets a line about each searched move.
	Chat Chat
	// Life, if not nil, judges the life of stones.
	Life LifeJudge
	// Terminal, if not nil, adapts the server to a person who types.
	Terminal *Terminal
}

// programName is the reply to the command name. The reply has no version, and does not begin with
// the name of an engine for which clients use a special dialect.
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
	if o.Dialect == nil {
		o.Dialect = &protocol
	}
}

// Dialect is how a server that replaces another program parses lines and phrases failures.
type Dialect struct {
	// Parse reads one line. ok is false if the line has no reply; fault, if not empty, is the
	// whole reply. Parse is called from another goroutine than the handlers.
	Parse func(line string) (c Command, fault string, ok bool)
	// Fail words an error as the replaced program does.
	Fail func(error) error
}

// protocol is the dialect of a server that replaces no other program: plain GTP.
var protocol = Dialect{
	Parse: func(line string) (c Command, fault string, ok bool) {
		c, ok = Parse(line)
		return c, "", ok
	},
	Fail: func(err error) error { return err },
}

// Server answers GTP commands for one Engine: it reads lines, finds the handler of each
// in its table and writes the reply. It serves one client at a time.
type Server struct {
	log      *slog.Logger
	opts     Options
	table    *Table
	mover    *Mover
	terminal *terminal // nil unless a person is typing
}

// NewServer returns a Server with every command of this package.
func NewServer(e Engine, log *slog.Logger, opts Options) *Server {
	opts.fill()
	table, mover := &Table{}, &Mover{engine: e, chat: &opts.Chat}
	s := &Server{log: log, opts: opts, table: table, mover: mover}
	ready := func() error { return Because(errUnusable, opts.Ready()) }
	k, position := &handlers{e, log, &opts, ready, table, mover}, &positionCommands{e, log, ready, opts.Strict}
	for _, group := range [][]Handler{
		k.adminCommands(), position.list(), k.handicapCommands(), mover.list(), k.clockCommands(), k.scoringCommands(), k.recordCommands(),
		(&analysisCommands{e, mover}).list(), k.ruleCommands(), k.paramCommands(), k.networkCommands(), (&goguiCommands{e, position}).list(),
		lifeCommands(opts.Life, e), k.kgsCommands(),
	} {
		table.Add(group...)
	}
	if opts.Terminal != nil {
		s.terminal = newTerminal(e, table, mover, opts.Terminal)
	}
	return s
}

// handlers carry out the commands that need nothing but these fields.
type handlers struct {
	engine Engine
	log    *slog.Logger
	opts   *Options
	ready  func() error // returns an error if the engine cannot be used
	table  *Table
	mover  *Mover
}

// Table returns the commands, which may be changed before Serve.
func (s *Server) Table() *Table { return s.table }

// Mover returns the chooser of moves that all commands share.
func (s *Server) Mover() *Mover { return s.mover }

// ErrOutput is wrapped by the error of Serve when the client no longer takes
// output.
var ErrOutput = errors.New("cannot write to the GTP client")

// Serve reads commands from in and writes replies to out. It returns nil after quit
// or the end of the input, an error that wraps ErrOutput if writing fails, and the cause if ctx
// ends. In the latter two cases a pending read is abandoned; its goroutine ends with the input.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	o := newOutput(ctx, out, func() { stop(ErrOutput) })
	defer o.close()
	q := newQueue(s.opts.MaxQueue, s.opts.Dialect.Parse)
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

func (s *Server) answer(ctx context.Context, q *queue, o *output, l line) (quit bool) {
	if l.fault != "" {
		o.write([]byte(l.fault)) // an error is kept in o and ends the session
		return false
	}
	c := l.command
	if s.terminal != nil {
		c = s.terminal.complete(c)
	}
	r := &Reply{out: o, id: c.ID}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h, err := s.lookUp(c, l)
	reply := err
	if err == nil {
		q.start(&running{line: l, cancel: cancel, byInput: h.ByInput})
		if err = s.run(ctx, h, c, r); err != nil {
			reply = s.opts.Dialect.Fail(err)
		}
		q.done()
	}
	said := r.close(reply)
	if s.terminal != nil {
		o.write(s.terminal.after(c, err)) // an error is kept in o and ends the session
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

func (s *Server) lookUp(c Command, l line) (Handler, error) {
	switch h, known := s.table.Find(c.Name); {
	case l.tooLong:
		return h, errLineTooLong
	case c.Name != "" && !known:
		return h, errUnknownCommand
	case c.Name == "", h.args > 0 && len(c.Args) != h.args:
		return h, ErrSyntax
	default:
		return h, nil
	}
}

// run calls the handler and turns a panic into an error.
func (s *Server) run(ctx context.Context, h Handler, c Command, r *Reply) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("a command panicked", "command", c.Name, "panic", p, "stack", string(debug.Stack()))
			err = errInternal
		}
	}()
	return h.Run(ctx, c, r)
}
