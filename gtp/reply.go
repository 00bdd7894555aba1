package gtp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// output is the only writer to the client. Safe for concurrent use; the text of one call is sent
// as a whole.
type output struct {
	ctx    context.Context // context of the session
	texts  chan []byte     // texts for the goroutine that writes
	wrote  chan error      // result of each write
	failed func()          // called once, without the lock, when writing fails
	mu     struct {
		sync.Mutex
		text []byte // owned by the writing goroutine during a write
		err  error  // first write error; nothing is written after it
	}
}

// lastWrite is how long a write may take once the session is over: a client that reads gets its
// last reply, one that does not is abandoned.
const lastWrite = 250 * time.Millisecond

// newOutput starts the goroutine that writes to w; close ends it.
func newOutput(ctx context.Context, w io.Writer, failed func()) *output {
	o := &output{ctx: ctx, texts: make(chan []byte), wrote: make(chan error, 1), failed: failed}
	go func() {
		for text := range o.texts {
			_, err := w.Write(text)
			o.wrote <- err
		}
	}()
	return o
}

// close ends the goroutine that writes, or abandons it if it is writing. No write may follow.
func (o *output) close() { close(o.texts) }

// write sends text and does not retain it. After a failure it only returns the first error.
func (o *output) write(text []byte) error {
	o.mu.Lock()
	if o.mu.err != nil {
		defer o.mu.Unlock()
		return o.mu.err
	}
	o.mu.text = append(o.mu.text[:0], text...)
	o.texts <- o.mu.text
	err := o.wait()
	o.mu.err = err
	o.mu.Unlock()
	if err != nil {
		o.failed()
	}
	return err
}

// wait returns the result of the write, or errNotTaken if the write outlasts the session.
func (o *output) wait() error {
	select {
	case err := <-o.wrote:
		return err
	case <-o.ctx.Done():
	}
	timeout := time.NewTimer(lastWrite)
	defer timeout.Stop()
	select {
	case err := <-o.wrote:
		return err
	case <-timeout.C:
		return errNotTaken
	}
}

// errNotTaken ends a session whose client does not read.
var errNotTaken = errors.New("the client does not read")

func (o *output) err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.mu.err
}

// errReplyClosed is the error of writes after the command has ended.
var errReplyClosed = errors.New("the reply has ended")

// Reply takes the answer to one command. All that is written to it is sent
// when the handler returns, unless Stream was called: then each write
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

func (r *Reply) Print(args ...any) error {
	_, err := fmt.Fprint(r, args...)
	return err
}

func (r *Reply) Printf(format string, args ...any) error {
	_, err := fmt.Fprintf(r, format, args...)
	return err
}

// PrintJSON writes a value as JSON on one line, without escaping <, > and &.
func (r *Reply) PrintJSON(v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	return r.Print(strings.TrimSpace(b.String()))
}

// Stream opens the reply: "=" and the id are sent on a separate line. After that the command cannot
// fail any more.
func (r *Reply) Stream() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.streaming || r.mu.closed {
		return nil
	}
	r.mu.streaming = true
	return r.out.write([]byte("=" + r.id + "\n"))
}

// close ends the reply with the handler's result. It reports whether a failure could still be
// sent.
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

// frame formats a reply: status, id, one space, text, one empty line. Empty lines within the text
// and line ends at its end are removed. A text that begins with a line end keeps it, so that the
// first line ends after the space. A later line that looks like the start of a reply is indented by
// one column.
func frame(status byte, id, text string) []byte {
	b := make([]byte, 0, len(id)+len(text)+8)
	b = append(b, status)
	b = append(b, id...)
	b = append(b, ' ')
	if status == '?' {
		text = strings.ReplaceAll(strings.Trim(text, "\r\n"), "\n", " ")
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
