package match

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Errors of a client, some of which are wrapped to add details.
var (
	// errGone: the process has ended, closed its output or cannot be written to.
	errGone = errors.New("program ended")
	errSlow = errors.New("no answer in time")
	// errFlood: more output than any answer needs.
	errFlood = errors.New("program floods its output")
	// errForeign: output that is not GTP.
	errForeign = errors.New("program does not speak GTP")
)

// Limits of a program's output.
const (
	maxReply  = 4 << 20  // bytes of one reply
	maxOutput = 32 << 20 // bytes of output between two commands
	maxLine   = 1 << 20  // bytes kept of a line
)

// reply is one answer of a program.
type reply struct {
	ok   bool
	id   int // -1 if absent
	text string
}

// client speaks GTP to one process. One goroutine may use it at a time, except
// that kill may be called from anywhere. close must be called.
type client struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *tail // all of standard output
	stderr *tail

	replies chan reply
	gone    chan struct{} // closed when no more replies can come
	goneErr error         // reason; valid after gone is closed

	output atomic.Int64 // bytes read since the last command
	useIDs bool
	lastID int

	mu struct {
		sync.Mutex
		reaped bool
	}
	readers  sync.WaitGroup // readers of stdout and stderr
	stop     chan struct{}  // closed when readers must end
	finished chan struct{}  // closed when process and goroutines are gone
}

// startClient starts a program. log gets a copy of its stderr and may be nil. An error says that
// the program does not exist or cannot run.
func startClient(argv []string, log io.Writer) (*client, error) {
	c := &client{
		cmd:     exec.Command(argv[0], argv[1:]...),
		stdout:  &tail{},
		stderr:  &tail{copyTo: log},
		replies: make(chan reply, 64),
		gone:    make(chan struct{}),
		lastID:  -1,

		stop: make(chan struct{}), finished: make(chan struct{}),
	}
	setGroup(c.cmd)
	var ends [6]*os.File
	var err error
	for i := 0; i < 6 && err == nil; i += 2 {
		ends[i], ends[i+1], err = os.Pipe()
	}
	if err == nil {
		// With files instead of exec's copying goroutines, Wait returns when the process ends,
		// even if a child still holds the pipes.
		c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = ends[0], ends[3], ends[5]
		err = c.cmd.Start()
	}
	for i, f := range ends {
		if childEnd := i == 0 || i == 3 || i == 5; f != nil && (childEnd || err != nil) {
			f.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", argv[0], err)
	}
	c.stdin = ends[1]
	stdout, stderr := ends[2], ends[4]
	c.readers.Go(func() { c.read(stdout) })
	c.readers.Go(func() { _, _ = io.Copy(c.stderr, stderr) })
	go c.wait(stdout, stderr)
	return c, nil
}

// wait reaps the process and then ends the readers, even if a child of the process still
// holds the pipes.
func (c *client) wait(pipes ...*os.File) {
	_ = c.cmd.Wait()
	c.mu.Lock()
	killGroup(c.cmd)
	c.mu.reaped = true
	c.mu.Unlock()
	done := make(chan struct{})
	go func() {
		c.readers.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
	close(c.stop)
	for _, f := range pipes {
		f.Close()
	}
	<-done
	close(c.finished)
}

// kill ends the process and all processes that it started.
func (c *client) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.mu.reaped {
		killGroup(c.cmd)
	}
}

// close sends quit, waits at most the time patience, and then kills the program. It returns when
// the process and the client's goroutines have ended.
func (c *client) close(patience time.Duration) {
	if patience > 0 {
		_ = c.stdin.SetWriteDeadline(time.Now().Add(patience))
		_, _ = io.WriteString(c.stdin, "quit\n")
	}
	c.stdin.Close()
	select {
	case <-c.finished:
	case <-time.After(patience):
		c.kill()
		<-c.finished
	}
}

// read reads replies from the program's output until it ends.
func (c *client) read(stdout io.Reader) {
	r := bufio.NewReaderSize(io.TeeReader(stdout, c.stdout), 64<<10)
	for {
		got, err := c.readReply(r)
		if err != nil {
			if errors.Is(err, errFlood) {
				c.kill()
			} else {
				err = errGone
			}
			c.goneErr = err
			close(c.gone)
			return
		}
		select {
		case c.replies <- got:
		case <-c.stop: // the program has ended
		}
	}
}

// readReply reads one reply: a line that starts with = or ?, and all lines up to an empty one. It
// skips earlier lines.
func (c *client) readReply(r *bufio.Reader) (reply, error) {
	var got reply
	var text strings.Builder
	inside := false
	for {
		line, err := c.readLine(r)
		if err != nil {
			return got, err
		}
		switch {
		case !inside:
			var first string
			if first, got, inside = replyStart(line); inside {
				text.WriteString(first)
			}
		case line == "":
			got.text = strings.TrimSpace(text.String())
			return got, nil
		default:
			text.WriteByte('\n')
			text.WriteString(line)
			if text.Len() > maxReply {
				return got, fmt.Errorf("%w: reply of more than %d bytes", errFlood, maxReply)
			}
		}
	}
}

// readLine reads a line and removes trailing white space. It keeps only the start of a very
// long line.
func (c *client) readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if c.output.Add(int64(len(part))) > maxOutput {
			return "", fmt.Errorf("%w: more than %d bytes without being asked", errFlood, maxOutput)
		}
		if len(line) < maxLine {
			line = append(line, part...)
		}
		if err == nil {
			return strings.TrimRight(string(line), " \t\r\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
}

// replyStart parses the first line of a reply: = or ?, an optional id, and, unless the line ends
// there, a blank and text.
func replyStart(line string) (text string, got reply, ok bool) {
	if line == "" || line[0] != '=' && line[0] != '?' {
		return "", got, false
	}
	rest := strings.TrimLeft(line[1:], "0123456789")
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", got, false
	}
	got = reply{ok: line[0] == '=', id: -1}
	if digits := line[1 : len(line)-len(rest)]; digits != "" {
		if id, err := strconv.Atoi(digits); err == nil {
			got.id = id
		}
	}
	return rest, got, true
}

// send sends a command and waits for its answer. The error is errGone, errSlow, errFlood or
// the context's; a failure response (?) is not an error.
func (c *client) send(ctx context.Context, command string, timeout time.Duration) (reply, error) {
	return c.ask(ctx, command, timeout, func(r reply) bool { return !c.useIDs || r.id == c.lastID })
}

// ask sends a command and returns the first answer that the function mine accepts.
func (c *client) ask(ctx context.Context, command string, timeout time.Duration, mine func(reply) bool) (reply, error) {
	for len(c.replies) > 0 {
		<-c.replies // an answer to an earlier command
	}
	c.output.Store(0)
	if c.useIDs {
		c.lastID++
		command = strconv.Itoa(c.lastID) + " " + command
	}
	start := time.Now()
	_ = c.stdin.SetWriteDeadline(start.Add(timeout))
	if _, err := io.WriteString(c.stdin, command+"\n"); errors.Is(err, os.ErrDeadlineExceeded) {
		return reply{}, fmt.Errorf("%w: it does not read its input", errSlow)
	}
	// After any other write error an answer may still arrive.
	return c.await(ctx, timeout-time.Since(start), mine)
}

// await returns the next answer that the function mine accepts, within the timeout.
func (c *client) await(ctx context.Context, timeout time.Duration, mine func(reply) bool) (reply, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		var r reply
		select {
		case r = <-c.replies:
		case <-c.gone:
			select {
			case r = <-c.replies:
			default:
				return reply{}, c.goneErr
			}
		case <-timer.C:
			return reply{}, errSlow
		case <-ctx.Done():
			return reply{}, context.Cause(ctx)
		}
		if mine(r) {
			return r, nil
		}
	}
}
