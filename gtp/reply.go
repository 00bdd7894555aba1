package gtp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
)

// output is the one place that writes to the client. Its methods may be called
// from any goroutine; what one call writes is flushed as a whole.
type output struct {
	mu struct {
		sync.Mutex
		w   *bufio.Writer
		err error // the first failure to write; nothing is written after it
	}
	failed func() // called once, without the lock, when writing fails
}

func newOutput(w io.Writer, failed func()) *output {
	o := &output{failed: failed}
	o.mu.w = bufio.NewWriter(w)
	return o
}

// write sends text and flushes. After a failure it does nothing but return the
// first error.
func (o *output) write(text []byte) error {
	o.mu.Lock()
	if o.mu.err != nil {
		defer o.mu.Unlock()
		return o.mu.err
	}
	_, err := o.mu.w.Write(text)
	if err == nil {
		err = o.mu.w.Flush()
	}
	o.mu.err = err
	o.mu.Unlock()
	if err != nil {
		o.failed()
	}
	return err
}

func (o *output) err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.mu.err
}

// errReplyClosed is what a Reply returns after its command has ended.
var errReplyClosed = errors.New("the reply has ended")

// Reply takes the answer to one command. What is written becomes the text of
// the reply when the handler returns, unless Stream was called: then each write
// is sent at once. A Reply may be used from any goroutine while its handler
// runs; later writes are dropped.
type Reply struct {
	out *output
	id  string
	mu  struct {
		sync.Mutex
		text      bytes.Buffer
		streaming bool
		closed    bool
	}
}

// Write adds to the reply. In a stream it sends the bytes at once: they should
// be whole lines, with line ends.
func (r *Reply) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.mu.closed:
		return 0, errReplyClosed
	case r.mu.streaming:
		if err := r.out.write(p); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	return r.mu.text.Write(p)
}

// WriteString is Write for a string.
func (r *Reply) WriteString(s string) (int, error) { return r.Write([]byte(s)) }

// Stream opens the reply: "=" and the id are sent on a line of their own. After
// that the command cannot fail any more.
func (r *Reply) Stream() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.streaming || r.mu.closed {
		return nil
	}
	r.mu.streaming = true
	return r.out.write([]byte("=" + r.id + "\n"))
}

// close ends the reply with the handler's result. It tells whether the failure,
// if there is one, could still be said.
func (r *Reply) close(err error) (said bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.closed = true
	switch {
	case r.mu.streaming:
		r.out.write([]byte("\n")) // the error is kept in out and ends the session
		return false
	case err != nil:
		r.out.write(frame('?', r.id, failureText(err)))
	default:
		r.out.write(frame('=', r.id, r.mu.text.String()))
	}
	return true
}

// frame puts text into a reply: status, id, one space, text, one empty line.
// Empty lines inside the text and line ends at its end are left out; a
// text that begins with a line end keeps it, which leaves the first line empty
// but for the space. A later line that looks like the start of a reply is moved
// one column to the right.
func frame(status byte, id, text string) []byte {
	b := make([]byte, 0, len(id)+len(text)+8)
	b = append(b, status)
	b = append(b, id...)
	b = append(b, ' ')
	if status == '?' {
		text = strings.TrimSpace(strings.ReplaceAll(text, "\n", " "))
	}
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r", ""), "\n") {
		if i > 0 {
			if line == "" {
				continue
			}
			b = append(b, '\n')
			if line[0] == '=' || line[0] == '?' {
				b = append(b, ' ')
			}
		}
		b = append(b, line...)
	}
	return append(b, '\n', '\n')
}
