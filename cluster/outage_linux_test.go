package cluster

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// weather is the state of a simulated network.
type weather struct {
	cut       bool          // connections break and new ones fail
	slow      time.Duration // delay of every message
	doubled   float64       // fraction of messages that arrive twice
	reordered float64       // fraction of messages that arrive after the next one
}

// proxy stands between a NATS server and its clients and delays, drops or passes messages
// according to the weather.
type proxy struct {
	to    string
	l     net.Listener
	mu    sync.Mutex
	conns map[net.Conn]bool
	now   weather
	draw  *rand.Rand // guarded by mu
	count struct{ doubled, reordered int }
}

func newProxy(t testing.TB, to string, seed uint64) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{to: to, l: l, conns: map[net.Conn]bool{}, draw: rand.New(rand.NewPCG(seed, 2))}
	t.Cleanup(func() { l.Close(); p.set(weather{cut: true}) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(c)
		}
	}()
	return p
}

func (p *proxy) set(w weather) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = w
	if w.cut {
		for c := range p.conns {
			c.Close()
		}
	}
}

func (p *proxy) pass(c net.Conn) {
	out, err := net.Dial("tcp", p.to)
	p.mu.Lock()
	if err != nil || p.now.cut {
		p.mu.Unlock()
		c.Close()
		if out != nil {
			out.Close()
		}
		return
	}
	p.conns[c], p.conns[out] = true, true
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.move(out, c) })
	both.Go(func() { p.move(c, out) })
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
	delete(p.conns, out)
}

func (p *proxy) move(dst, src net.Conn) {
	defer dst.Close()
	defer src.Close()
	frames := make(chan []byte, 64)
	go func() {
		defer close(frames)
		for r := bufio.NewReader(src); ; {
			frame, err := readFrame(r)
			if err != nil {
				return
			}
			frames <- frame
		}
	}()
	var held []byte // to be sent after the next message, or after a moment
	for {
		var wait <-chan time.Time
		if held != nil {
			wait = time.After(20 * time.Millisecond)
		}
		var send [][]byte
		select {
		case frame, open := <-frames:
			if !open {
				return
			}
			p.mu.Lock()
			now := p.now
			message := isMessage(frame)
			send = append(send, frame)
			switch {
			case message && p.draw.Float64() < now.doubled:
				p.count.doubled++
				send = append(send, frame)
			case message && held == nil && p.draw.Float64() < now.reordered:
				p.count.reordered++
				held, send = frame, nil
			}
			p.mu.Unlock()
			time.Sleep(now.slow)
			if held != nil && len(send) > 0 {
				send, held = append(send, held), nil
			}
		case <-wait:
			send, held = [][]byte{held}, nil
		}
		for _, frame := range send {
			if _, err := dst.Write(frame); err != nil {
				go func() { // so that the goroutine that reads frames does not block for ever
					for range frames {
					}
				}()
				return
			}
		}
	}
}

func isMessage(frame []byte) bool {
	verb, _, _ := bytes.Cut(frame, []byte(" "))
	switch strings.ToUpper(string(verb)) {
	case "PUB", "HPUB", "MSG", "HMSG":
		return true
	}
	return false
}

// readFrame reads a line of the NATS protocol with its payload.
func readFrame(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if err != nil || !isMessage(line) {
		return line, err
	}
	words := strings.Fields(string(line))
	n, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		return nil, err
	}
	frame := append(line, make([]byte, n+2)...)
	_, err = io.ReadFull(r, frame[len(line):])
	return frame, err
}
