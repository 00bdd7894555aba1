package web

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"kosumi/review"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/reviews"
	"kosumi/web/wire"
)

// Limits of connections.
const (
	maxMessage  = 64 << 10
	helloWithin = 5 * time.Second
	writeWithin = 10 * time.Second
	maxQueue    = 256 // events that wait for a client
	silence     = 45 * time.Second
)

// WebSocket codes for the reasons to close a connection.
const (
	closeNormal    = 1000
	closeGoingAway = 1001
	closeUnread    = 1003
	closePolicy    = 1008
	closeTryAgain  = 1013
	closeNoToken   = 4401
)

// Socket carries messages, which are JSON texts, to and from one page. One goroutine reads
// and another one writes.
type Socket interface {
	// Read waits for the next message; an error ends the connection.
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, message []byte) error
	// Close ends the connection. The client gets the reason as a WebSocket code and in words.
	Close(code int, reason string)
}

// conn is the connection of one tab.
type conn struct {
	s      *Server
	sock   Socket
	from   string // the address of the client's machine
	client string
	ctx    context.Context
	cancel context.CancelFunc
	events chan api.Event // events, sent reliably and in order
	frames *frames
	slow   sync.WaitGroup  // commands performed in parallel
	run    *run            // the analysis; nil before the first
	drill  reviews.Attempt // the problem asked last
	life   *engines.Asker

	mu     sync.Mutex
	topics []string
	code   int // the WebSocket code to close the connection with
	reason string
}

// Attend serves a connection until it ends: it waits for hello, then answers commands. from is the
// address of the client's machine.
func (s *Server) Attend(sock Socket, from string) {
	s.jobs.Add(1)
	defer s.jobs.Done()
	c := &conn{s: s, sock: sock, from: from, events: make(chan api.Event, maxQueue), frames: newFrames(), code: closeNormal}
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	defer c.cancel()
	c.life = s.proofs.Asker(c.ctx, c.Post)
	s.newcomers.welcome(c)
	known := c.greet()
	if s.newcomers.forget(c); known {
		c.serve()
	}
}

// greet reads the hello and answers it. It returns true if the connection was added to the
// hub.
func (c *conn) greet() bool {
	ctx, done := context.WithTimeout(c.ctx, helloWithin)
	defer done()
	var cmd api.Command
	var hello api.Hello
	data, err := c.sock.Read(ctx)
	if err != nil {
		return false
	}
	if json.Unmarshal(data, &cmd) != nil || cmd.T != "hello" || json.Unmarshal(cmd.D, &hello) != nil {
		c.sock.Close(closeNoToken, "say hello first")
		return false
	}
	if !c.s.access.Keys.Admit(hello.Token, hello.Key) {
		c.s.warnings.Warn("refused a connection without the right key: open the address that engine web prints", "key")
		select {
		case <-time.After(c.s.access.Keys.Penalty()):
		case <-ctx.Done():
		}
		c.sock.Close(closeNoToken, "the token is missing or wrong")
		return false
	}
	if len(hello.API) > 0 && !slices.Contains(hello.API, api.Version) {
		c.sock.Close(closePolicy, "this server speaks version 1 only")
		return false
	}
	c.client = wire.Shown(hello.Client, 64)
	welcome := c.s.welcome()
	if hello.Key != "" {
		welcome.Token = c.s.access.Keys.Token
	}
	if !c.s.hub.Enter(c) {
		c.sock.Close(closeTryAgain, "too many connections")
		return false
	}
	if c.write(api.Event{T: "welcome", Re: cmd.ID, D: welcome}) != nil {
		c.s.hub.Leave(c)
		return false
	}
	return true
}

func (s *Server) welcome() api.Welcome {
	w := api.Welcome{API: api.Version, Version: s.conf.Version, Build: s.page.Build(), Networks: s.engines.Networks.List(), Engine: s.engines.Networks.Status(),
		Features: []string{"review", "drills", "life", "networks"}, Loss: review.ClassBounds, Levels: s.games.levels.List(), Fits: s.games.levels.Fits(), Said: s.games.levels.Said(), Rules: wire.RuleSets(), Folder: s.conf.Folder}
	if s.conf.Training != nil {
		w.Features = append(w.Features, "training")
	}
	if len(w.Levels) > 0 {
		w.Features = append(w.Features, "levels")
	}
	return w
}

// errNotText is the error of [Socket].Read for a message that is not text.
var errNotText = errors.New("not a text")

// serve reads commands until the connection ends.
func (c *conn) serve() {
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.writeAll()
	}()
	for c.ctx.Err() == nil {
		ctx, done := context.WithTimeout(c.ctx, silence)
		data, err := c.sock.Read(ctx)
		done()
		if errors.Is(err, errNotText) {
			c.close(closeUnread, "text only")
		}
		if err != nil {
			break
		}
		c.command(data)
	}
	c.s.hub.Leave(c)
	c.cancel()
	if c.run != nil {
		c.run.close()
	}
	c.life.Close()
	<-written
	c.slow.Wait()
	c.mu.Lock()
	code, reason := c.code, c.reason
	c.mu.Unlock()
	c.sock.Close(code, reason)
}

// close ends the connection and tells its client the reason.
func (c *conn) close(code int, reason string) {
	c.mu.Lock()
	if c.reason == "" {
		c.code, c.reason = code, reason
	}
	c.mu.Unlock()
	c.cancel()
}

// command performs the command in a message. The answer is ok or err; without an ID, only err is sent.
func (c *conn) command(data []byte) {
	var cmd api.Command
	if err := json.Unmarshal(data, &cmd); err != nil || cmd.T == "" || len(cmd.ID) > 64 {
		var named struct {
			ID any `json:"id"`
		}
		_ = json.Unmarshal(data, &named) // a message that is not an object has no ID
		id, _ := named.ID.(string)
		c.Post(api.Event{T: "err", Re: id, D: api.Error{Code: "bad_request", Text: "not a command: want {\"t\",\"id\",\"d\"}, with an id of at most 64 bytes"}})
		return
	}
	h := c.s.protocol.commands[cmd.T]
	if h == nil {
		c.Post(api.Event{T: "err", Re: cmd.ID, D: api.Error{Code: "unsupported", Text: "unknown command " + wire.Shown(cmd.T, 40)}})
		return
	}
	switch {
	case h.way == beside:
		c.slow.Go(func() { c.answer(&cmd, h) })
	case h.way == once && cmd.ID != "":
		c.Post(c.s.answers.once(c.client+" "+cmd.ID, func() api.Event { return c.perform(&cmd, h) }))
	default:
		c.answer(&cmd, h)
	}
}

func (c *conn) answer(cmd *api.Command, h *command) {
	if e := c.perform(cmd, h); cmd.ID != "" || e.T == "err" {
		c.Post(e)
	}
}

func (c *conn) perform(cmd *api.Command, h *command) api.Event {
	d, err := h.do(c, cmd.D)
	if err != nil {
		return api.Event{T: "err", Re: cmd.ID, D: *api.AsError(err)}
	}
	return api.Event{T: "ok", Re: cmd.ID, D: d}
}

// Post implements [wire.Client]: it queues an event. A client that reads too slowly is
// disconnected; it gets the whole state when it reconnects.
func (c *conn) Post(e api.Event) {
	select {
	case c.events <- e:
	default:
		c.close(closeTryAgain, "the client reads too slowly")
	}
}

// writeAll is the only writer of the connection.
func (c *conn) writeAll() {
	defer c.cancel()
	var sent time.Time
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case e := <-c.events:
			if c.write(e) != nil {
				return
			}
		case <-c.frames.woken:
		case <-timer.C:
		}
		e, wait := c.frames.next(sent)
		switch {
		case e != nil:
			sent = time.Now()
			if c.write(*e) != nil {
				return
			}
		case wait > 0:
			timer.Reset(wait)
		}
	}
}

func (c *conn) write(e api.Event) error {
	data, err := json.Marshal(e)
	if err != nil {
		c.s.conf.Log.Error("an event cannot be written", "event", e.T, "error", err)
		return err
	}
	ctx, done := context.WithTimeout(c.ctx, writeWithin)
	defer done()
	return c.sock.Write(ctx, data)
}

// Watches implements [wire.Client].
func (c *conn) Watches(topic string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.topics, topic)
}

// Topics implements [wire.Client].
func (c *conn) Topics() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.topics)
}

// maxTopics is the maximum number of topics that one connection watches.
const maxTopics = 32

func (c *conn) watch(topic string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.topics, topic) {
		return nil
	}
	if len(c.topics) >= maxTopics {
		return api.Refuse("limit", "too many things are watched")
	}
	c.topics = append(c.topics, topic)
	return nil
}

func (c *conn) unwatch(w *api.Watch) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.topics = slices.DeleteFunc(c.topics, func(t string) bool { return t == w.What })
	return nil
}
