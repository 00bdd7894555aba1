package remote

import (
	"bufio"
	"errors"
	"io"
	"sync"
)

// client relays between the user and a remote engine.
type client struct {
	conf    ClientConfig
	out     io.Writer
	session string // random name of this run
	seat    string // name of the seat at the host; used by connect only

	mu     sync.Mutex
	stream *stream // stream to the current engine
	talk   talk
	ended  bool          // the user's input has ended
	over   chan struct{} // closed when ended is set
}

// state reports whether a request is unsent or unanswered, whether the input has ended, and
// whether the engine has ended.
func (r *client) state() (waits, ended, engineEnded bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	unsent, engineEnded := r.stream.state()
	return r.talk.waits() || unsent, r.ended, engineEnded
}

// clientStream returns a stream that buffers the user's input while disconnected.
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

// restart begins a stream to a new engine with the lines that restore the state of the old one.
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

// read sends the user's lines to the engine.
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

// write sends the lines of one engine after another to the user, until an engine ends its
// output.
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
