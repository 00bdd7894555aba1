package katago

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"kosumi/katago/config"
)

// Log writes KataGo's log to a file, stderr or stdout, each line with the time if the config asks
// for it. Safe for concurrent use.
type Log struct {
	mu     sync.Mutex
	conf   config.Log
	file   *os.File // nil: no file
	stderr io.Writer
}

// OpenLog opens the log. Failure to open the file is only a warning.
func OpenLog(conf config.Log, c *config.Config) *Log {
	l := &Log{conf: conf, stderr: os.Stderr}
	path := conf.File
	stamp := time.Now().Format("20060102-150405")
	switch {
	case conf.Dir != "":
		path = filepath.Join(conf.Dir, fmt.Sprintf("%s-%08X.log", stamp, rand.Uint32()))
	case conf.DirDated != "":
		path = filepath.Join(conf.DirDated, stamp, fmt.Sprintf("%08X.log", rand.Uint32()))
	}
	if path != "" && path != conf.File {
		os.MkdirAll(filepath.Dir(path), 0o755) // if this fails, so does opening the file
	}
	if path != "" {
		var err error
		if l.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644); err != nil {
			l.file = nil
			l.Both("WARNING: could not open file for logging: Could not write to file " + path + " - invalid path or permissions?")
		}
	}
	if conf.Contents {
		l.Write("Running with following config:\n" + strings.Join(c.Lines(), "\n") + "\n")
	}
	return l
}

func (l *Log) Write(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conf.TimeStamp {
		line = time.Now().Format("2006-01-02 15:04:05-0700") + ": " + line
	}
	line += "\n"
	if l.file != nil {
		io.WriteString(l.file, line) // a full disk must not stop a game
	}
	if l.conf.ToStderr {
		io.WriteString(l.stderr, line)
	}
	if l.conf.ToStdout {
		io.WriteString(os.Stdout, line)
	}
}

// Say writes a line to the log, and to stderr if the log does not go there.
func (l *Log) Say(line string) {
	l.Write(line)
	if !l.conf.ToStderr {
		l.tell(line)
	}
}

// Both writes a line to the log and to stderr, wherever the log goes.
func (l *Log) Both(line string) {
	l.Write(line)
	l.tell(line)
}

// tell writes a line to stderr alone.
func (l *Log) tell(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	io.WriteString(l.stderr, line+"\n")
}

func (l *Log) Close() {
	if l.file != nil {
		l.file.Close()
	}
}

// Messages returns a writer for the engine's own messages, one per line: warnings and errors also
// go to stderr.
func (l *Log) Messages() io.Writer {
	return &lines{pass: func(line string) {
		if strings.HasPrefix(line, "warning: ") || strings.HasPrefix(line, "error: ") {
			l.Say(line)
		} else {
			l.Write(line)
		}
	}}
}

// Copy logs the lines that a client sends and receives, each kind with a prefix.
func (l *Log) Copy(in io.Reader, sent string, out io.Writer, got string) (io.Reader, io.Writer) {
	logged := func(prefix string) *lines {
		return &lines{pass: func(line string) {
			if line != "" {
				l.Write(prefix + line)
			}
		}}
	}
	if sent != "" {
		in = io.TeeReader(in, logged(sent))
	}
	if got != "" {
		out = io.MultiWriter(out, logged(got))
	}
	return in, out
}

// lines is a writer that passes on whole lines. It never fails, and is safe for concurrent use.
type lines struct {
	pass func(line string)
	mu   sync.Mutex
	rest []byte // start of an unfinished line
}

func (w *lines) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		line, rest, ended := bytes.Cut(w.rest, []byte("\n"))
		if !ended {
			return len(p), nil
		}
		w.rest = rest
		w.pass(strings.TrimRight(string(line), "\r"))
	}
}
