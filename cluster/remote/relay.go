package remote

import (
	"bufio"
	"errors"
	"io"
	"sync"
)

// client is one run of the program that stands in for the engine.
type client struct {
	conf    ClientConfig
	out     io.Writer
	session string // of this run
	seat    string // at the host; used by connect only

	mu     sync.Mutex
	stream *stream // to the engine of now
	talk   talk
	ended  bool          // the user has said everything
	over   chan struct{} // closed then
}

// waits reports whether a question is open or not even sent, and whether the user has said
// everything.
func (r *client) waits() (waits, ended bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.talk.waits() || r.stream.unsent(), r.ended
}

// clientStream takes whatever the user says, also while nothing is connected.
func clientStream() *stream {
	s := newStream()
	s.most = 1 << 30
	return s
}

func (r *client) current() *stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stream
}

// restart begins a new stream to a new engine with what brings it to where the old
// one was.
func (r *client) restart() *stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.stream
	r.stream = clientStream()
	r.stream.out = append(r.stream.out, r.talk.again()...)
	if r.ended {
		r.stream.end()
	}
	old.close()
	return r.stream
}

// read passes the user's lines on.
func (r *client) read(in io.Reader) {
	br := bufio.NewReaderSize(in, maxFrame)
	for {
		line, err := br.ReadBytes('\n')
		if len(line) > 0 {
			r.mu.Lock()
			s := r.stream
			r.talk.sent(line)
			s.Write(line)
			r.mu.Unlock()
		}
		if err != nil {
			r.mu.Lock()
			r.ended = true
			r.stream.end()
			r.mu.Unlock()
			close(r.over)
			return
		}
	}
}

// write passes the engine's lines on, of one engine after another, until one ends
// of its own accord.
func (r *client) write() error {
	for {
		s := r.current()
		br := bufio.NewReaderSize(s, maxFrame)
		for {
			line, err := br.ReadBytes('\n')
			r.mu.Lock()
			replaced := s != r.stream
			var give []byte
			if !replaced && len(line) > 0 && err == nil {
				give = r.talk.came(line)
			}
			r.mu.Unlock()
			if replaced {
				break
			}
			if len(give) > 0 {
				if _, werr := r.out.Write(give); werr != nil {
					return werr
				}
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
}
