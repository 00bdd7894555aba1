package analysis

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/search/thinking"
)

// Config is the server's settings. Start from [Defaults].
type Config struct {
	Search      search.Params // parameters of each search
	Limits      search.Limits // limits of a query that sets none
	Threads     int           // positions searched at the same time
	PVLen       int           // default length of a variation after its first move
	MaxSize     int           // longest side of a board; 0: board.MaxSize
	Perspective board.Color   // numbers are from the view of this side by default; Empty: of the side to move
	// QuitWithoutWaiting drops waiting queries when the input ends.
	QuitWithoutWaiting bool
	Version            string                      // such as "1.2.3"
	Models             func() []thinking.ModelInfo // answers query_models; nil: none
	MaxLine            int                         // longest input line in bytes; 0: 16 MiB
	// MaxQueue bounds the memory of waiting queries, in bytes. When it is full, the server stops
	// reading until there is room. 0: 64 MiB.
	MaxQueue int64
	// Overrides reads the overrideSettings of queries; nil: every name is unknown.
	Overrides Overrides
	// ModelNames names the networks in messages; "": by their files.
	ModelNames string
	// SupportedRules returns the nearest rules that the network was trained under; nil: it knows
	// all rules.
	SupportedRules func(board.Rules) board.Rules
	NetworksLeads  bool // report leads as the network gives them, uncorrected, as KataGo does
	WarnUnused     bool // warn about unknown fields
	// Game has the options of all analysed games; the rules of a query do not include them.
	Game board.GameOptions
	// Faulty, if not nil, is called with every error and warning, as JSON.
	Faulty func(warning bool, text string)
}

// MaxThreads bounds Config.Threads.
const MaxThreads = 16384

// Defaults returns KataGo's defaults for analysis: wide root noise, and no history before the
// analysed position.
func Defaults() Config {
	p := search.Defaults()
	p.Root.WideNoise = 0.04
	p.Pass.IgnorePreRootHistory = true
	p.Pass.FillDameBefore, p.AntiMirror = false, false
	return Config{Search: p, Limits: search.Limits{Visits: 500}, Threads: 4, PVLen: 15, Version: "0.0.0", WarnUnused: true,
		Game: board.GameOptions{PreventEncore: true, StartBlackMovesAreHandicap: true}}
}

// Server answers queries. Make one with [New].
type Server struct {
	conf  Config
	net   nn.Network
	log   *slog.Logger
	queue *queue
	out   output
	seed  uint64 // of the random numbers by which levels misjudge moves and choose among them
}

// New returns a server for one client.
func New(c Config, net nn.Network, log *slog.Logger) (*Server, error) {
	if err := c.Search.Validate(); err != nil {
		return nil, err
	}
	if c.Threads < 1 || c.Threads > MaxThreads {
		return nil, fmt.Errorf("analysis threads %d: must be 1 to %d", c.Threads, MaxThreads)
	}
	if c.Models == nil {
		c.Models = func() []thinking.ModelInfo { return nil }
	}
	c.MaxLine, c.MaxSize, c.MaxQueue = cmp.Or(c.MaxLine, 16<<20), cmp.Or(c.MaxSize, board.MaxSize), cmp.Or(c.MaxQueue, 64<<20)
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	return &Server{conf: c, net: net, log: log, queue: newQueue(c.MaxQueue), seed: cmp.Or(c.Search.Seed, rand.Uint64())}, nil
}

// leaveWithin bounds how long Serve waits for running searches after the client has gone.
const leaveWithin = 500 * time.Millisecond

// Serve answers queries until the input ends, then finishes the waiting ones unless
// QuitWithoutWaiting is set. It also returns, without waiting and without error, when the client
// stops reading or ctx ends; a pending read or write then ends only when its file is closed.
// Serve can be called once.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.out.w, s.out.failed = out, cancel
	lines := make(chan []byte)
	readErr := make(chan error, 1)
	go func() {
		readErr <- s.readLines(ctx, in, lines)
		close(lines)
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serve(ctx, cancel, lines)
	}()
	s.log.Info("ready to begin handling requests")
	select {
	case <-done:
	case <-ctx.Done():
		select {
		case <-done:
		case <-time.After(leaveWithin): // a write may be stuck, because the client does not read
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return <-readErr
}

// serve answers lines until there are no more, then waits for the workers.
func (s *Server) serve(ctx context.Context, cancel context.CancelFunc, lines <-chan []byte) {
	var workers sync.WaitGroup
	for range s.conf.Threads {
		workers.Go(func() { s.work(ctx) })
	}
	s.handleLines(ctx, lines)
	if s.conf.QuitWithoutWaiting {
		cancel()
	}
	// If ctx ends first, the waiting tasks are dropped and the running ones stopped.
	defer context.AfterFunc(ctx, func() {
		_, stop := s.queue.terminate(func(*task) bool { return true })
		stop()
	})()
	s.queue.close()
	workers.Wait()
}

// handleLines answers one line at a time, when the queue has room, until there are no more lines or
// ctx ends.
func (s *Server) handleLines(ctx context.Context, lines <-chan []byte) {
	for s.queue.awaitRoom(ctx) {
		select {
		case <-ctx.Done():
			return
		case line, ok := <-lines:
			if !ok {
				return
			}
			s.handle(line)
		}
	}
}

// readLines cuts the input into lines. A line that is too long is answered with an error and skipped.
func (s *Server) readLines(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	r := bufio.NewReaderSize(in, 1<<16)
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > s.conf.MaxLine {
			tooLong, line = true, nil
		} else if !tooLong {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong {
			s.write(map[string]any{"error": fmt.Sprintf("a line of more than %d bytes", s.conf.MaxLine)})
		} else if len(bytes.TrimSpace(line)) > 0 {
			select {
			case lines <- bytes.Clone(line):
			case <-ctx.Done():
				return nil
			}
		}
		line, tooLong = line[:0], false
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading queries: %w", err)
		}
	}
}

// output writes messages, one line each. Safe for concurrent use.
type output struct {
	w      io.Writer
	failed func() // called when a write fails
	mu     sync.Mutex
	err    error // first write error; nothing is written after it
}

func (o *output) line(text []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	if _, o.err = o.w.Write(text); o.err != nil {
		o.failed()
	}
}

func (s *Server) write(v any) {
	text, err := encode(v)
	if err != nil {
		s.log.Error("a message could not be written", "error", err)
		return
	}
	s.out.line(text)
}

// encode writes a value as JSON on one line, without escaping <, > and &.
func encode(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return text.Bytes(), err
}
