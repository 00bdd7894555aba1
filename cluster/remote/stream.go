// Package remote lets a program use an engine on another machine as if it were
// its own: lines go there and back over TLS, through a stream that outlives the
// connections that carry it.
package remote

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

const (
	maxWaiting = 4 << 20 // limit on the unconfirmed bytes, and on the unread bytes, of one side
	maxFrame   = 64 << 10
	alive      = 15 * time.Second // time between signs of life; a connection silent for three times as long is dead
)

// Kinds of frames: data, the number of bytes that the sender has received, and the end of the
// sender's output.
const (
	frameData = 'D'
	frameAck  = 'A'
	frameEnd  = 'E'
)

var errClosed = errors.New("the stream is closed")

// stream carries bytes both ways, in order and exactly once, over one connection after another:
// each side keeps what it has sent until the other has confirmed it.
type stream struct {
	mu       sync.Mutex
	wake     sync.Cond
	in       []byte // received, not read yet
	received uint64
	out      []byte // unconfirmed bytes; base is the position of the first
	base     uint64
	ended    bool // end was called: nothing more is written
	endSent  bool // the end was written to a connection
	inEnded  bool // the other side has ended its output
	closed   bool
	conn     net.Conn // current connection; may be nil
	since    time.Time
	most     int // limit on unconfirmed bytes, beyond which Write waits
}

func newStream() *stream {
	s := &stream{since: time.Now(), most: maxWaiting}
	s.wake.L = &s.mu
	return s
}

// Read implements io.Reader. It waits for data, also while there is no connection.
func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.in) == 0 && !s.closed && !s.inEnded {
		s.wake.Wait()
	}
	if len(s.in) > 0 {
		n := copy(p, s.in)
		s.in = s.in[n:]
		s.wake.Broadcast()
		return n, nil
	}
	if s.closed {
		return 0, errClosed
	}
	return 0, io.EOF
}

// Write implements io.Writer. It waits only if the other side is far behind.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.out) > s.most && !s.closed {
		s.wake.Wait()
	}
	if s.closed || s.ended {
		return 0, errClosed
	}
	s.out = append(s.out, p...)
	s.wake.Broadcast()
	return len(p), nil
}

func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.wake.Broadcast()
}

// drained waits, for a limited time, until the other side has confirmed everything and the end is
// sent, because a client that misses the end would connect again.
func (s *stream) drained(patience time.Duration) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		done := len(s.out) == 0 && s.endSent || s.closed
		s.mu.Unlock()
		if done {
			return
		}
	}
}

// close ends the stream on this side.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.conn != nil {
		s.conn.Close()
	}
	s.wake.Broadcast()
}

// state reports whether the other side has yet to confirm something, and whether it has ended.
func (s *stream) state() (unsent, inEnded bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.out) > 0, s.inEnded
}

// position is how many bytes have been received.
func (s *stream) position() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.received
}

// idle is how long the stream has had no connection.
func (s *stream) idle() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		return 0
	}
	return time.Since(s.since)
}

// carry uses a connection until it breaks or the stream is closed. theirs is how
// much the other side has received.
func (s *stream) carry(conn net.Conn, r *bufio.Reader, theirs uint64) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosed
	}
	if theirs < s.base || theirs > s.base+uint64(len(s.out)) {
		defer s.mu.Unlock()
		return fmt.Errorf("the other side has %d bytes, this one sent %d to %d", theirs, s.base, s.base+uint64(len(s.out)))
	}
	if s.conn != nil {
		s.conn.Close() // the new connection replaces it
	}
	s.conn = conn
	s.confirm(theirs)
	s.wake.Broadcast()
	s.mu.Unlock()
	done := make(chan error, 1)
	go func() { done <- s.sendOver(conn, theirs) }()
	err := s.receiveOver(conn, r)
	conn.Close()
	s.mu.Lock()
	if s.conn == conn {
		s.conn, s.since = nil, time.Now()
	}
	s.wake.Broadcast()
	s.mu.Unlock()
	<-done
	return err
}

// confirm drops the bytes that the other side has received. The caller holds mu.
func (s *stream) confirm(theirs uint64) {
	if theirs > s.base && theirs <= s.base+uint64(len(s.out)) {
		s.out = append(s.out[:0:0], s.out[theirs-s.base:]...)
		s.base = theirs
		s.wake.Broadcast()
	}
}

// sendOver writes frames: data as it comes, confirmations, a sign of life.
func (s *stream) sendOver(conn net.Conn, at uint64) error {
	beat := time.AfterFunc(alive, s.wake.Broadcast)
	defer beat.Stop()
	var frame []byte
	told, tellsEnd, last := uint64(0), false, time.Now()
	for {
		s.mu.Lock()
		for s.conn == conn && !s.closed && at == s.base+uint64(len(s.out)) && told == s.received && tellsEnd == s.ended && time.Since(last) < alive {
			s.wake.Wait()
		}
		if s.conn != conn || s.closed {
			s.mu.Unlock()
			conn.Close()
			return errClosed
		}
		frame = frame[:0]
		if told != s.received || time.Since(last) >= alive {
			told = s.received
			frame = binary.BigEndian.AppendUint64(append(frame, frameAck), told)
		}
		at = max(at, s.base)
		data := s.out[at-s.base:]
		data = data[:min(len(data), maxFrame)]
		if len(data) > 0 {
			frame = binary.BigEndian.AppendUint32(append(frame, frameData), uint32(len(data)))
			frame = append(frame, data...)
			at += uint64(len(data))
		} else if s.ended && !tellsEnd {
			frame, tellsEnd = append(frame, frameEnd), true
		}
		s.mu.Unlock()
		last = time.Now()
		beat.Reset(alive)
		conn.SetWriteDeadline(last.Add(3 * alive))
		if _, err := conn.Write(frame); err != nil {
			conn.Close()
			return err
		}
		if tellsEnd {
			s.mu.Lock()
			s.endSent = true
			s.mu.Unlock()
		}
	}
}

// receiveOver reads frames until the connection breaks.
func (s *stream) receiveOver(conn net.Conn, r *bufio.Reader) error {
	var head [8]byte
	buf := make([]byte, maxFrame)
	for {
		conn.SetReadDeadline(time.Now().Add(3 * alive))
		kind, err := r.ReadByte()
		if err != nil {
			return err
		}
		switch kind {
		case frameAck:
			if _, err := io.ReadFull(r, head[:]); err != nil {
				return err
			}
			s.mu.Lock()
			s.confirm(binary.BigEndian.Uint64(head[:]))
			s.mu.Unlock()
		case frameData:
			if _, err := io.ReadFull(r, head[:4]); err != nil {
				return err
			}
			n := binary.BigEndian.Uint32(head[:4])
			if n > maxFrame {
				return fmt.Errorf("a frame of %d bytes", n)
			}
			if _, err := io.ReadFull(r, buf[:n]); err != nil {
				return err
			}
			s.mu.Lock()
			for len(s.in) > maxWaiting && !s.closed && s.conn == conn {
				s.wake.Wait()
			}
			if s.conn != conn {
				s.mu.Unlock()
				return errClosed // the other side sends this data again over the newer connection
			}
			s.in = append(s.in, buf[:n]...)
			s.received += uint64(n)
			s.wake.Broadcast()
			s.mu.Unlock()
		case frameEnd:
			s.mu.Lock()
			s.inEnded = true
			s.wake.Broadcast()
			s.mu.Unlock()
		default:
			return fmt.Errorf("a frame of kind %q", kind)
		}
	}
}
