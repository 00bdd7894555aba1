//go:build js

package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"syscall/js"
)

// socket is a [web.Socket] over a MessagePort. A text is a message; a number ends the connection
// with that code, except that the server sends 0 to say that it listens.
type socket struct {
	port    js.Value
	receive js.Func
	once    sync.Once
	came    chan string
	full    bool          // too many messages were unread, which has ended the connection
	ended   chan struct{} // closed by whoever ends the connection
}

// Limits on the number of unread messages: mostWaiting from the page, mostLines from a GTP or
// analysis client, which may send all its messages at once.
const (
	mostWaiting = 1 << 10
	mostLines   = 1 << 16
)

func newSocket(port js.Value, most int) *socket {
	s := &socket{port: port, came: make(chan string, most), ended: make(chan struct{})}
	s.receive = function(func(args []js.Value) {
		data := args[0].Get("data")
		if data.Type() != js.TypeString {
			s.end()
			return
		}
		select {
		case s.came <- data.String():
		default:
			s.full = true
			s.end()
		}
	})
	port.Set("onmessage", s.receive)
	port.Call("postMessage", 0)
	return s
}

func (s *socket) end() { s.once.Do(func() { close(s.ended) }) }

func (s *socket) Read(ctx context.Context) ([]byte, error) {
	select {
	case text := <-s.came:
		return []byte(text), nil
	case <-s.ended:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *socket) Write(_ context.Context, message []byte) error {
	select {
	case <-s.ended:
		return errors.New("the page has gone")
	default:
		s.port.Call("postMessage", string(message))
		return nil
	}
}

func (s *socket) Close(code int, _ string) {
	s.end()
	s.port.Call("postMessage", code)
	s.port.Set("onmessage", js.Null())
	s.receive.Release()
}
