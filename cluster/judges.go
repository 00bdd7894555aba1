package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"kosumi/internal/file"
	"kosumi/nn"
	"kosumi/train/selfplay"
)

// judge is a network with which the server checks games.
type judge struct {
	exam    Exam
	path    string
	changed time.Time // modification time of the file
	eval    nn.Evaluator
	answers func() (answers, error) // the network's own answers to its exam
	close   func()
	users   sync.WaitGroup
}

// keptJudges is the maximum number of networks that stay open: games of earlier networks still come in.
const keptJudges = 4

// judges holds the networks of the server's latest offers. They are open for checks of games, and
// workers fetch their files.
type judges struct {
	open func(path string) (e nn.Evaluator, close func(), err error)

	opening sync.Mutex // held while a network is opened
	mu      sync.Mutex
	list    []*judge // least recently used first
}

// offer opens the network in a file, unless it is already open. boards are the boards of the network's exam.
func (js *judges) offer(path string, boards []selfplay.BoardShare) (File, error) {
	js.opening.Lock()
	defer js.opening.Unlock()
	info, err := os.Stat(path)
	if err != nil {
		return File{}, err
	}
	if f, found := js.touch(path, info); found {
		return f, nil
	}
	j := &judge{path: path, changed: info.ModTime(), exam: Exam{Boards: boards}}
	j.exam.File = File{Name: filepath.Base(path), Bytes: info.Size()}
	if j.exam.SHA256, err = file.SHA256(path); err != nil {
		return File{}, err
	}
	if j.eval, j.close, err = js.open(path); err != nil {
		return File{}, fmt.Errorf("opening %s to check games with: %w", path, err)
	}
	j.answers = sync.OnceValues(func() (answers, error) { return answerExam(context.Background(), &j.exam, j.eval) })
	js.mu.Lock()
	defer js.mu.Unlock()
	js.list = append(js.list, j)
	if len(js.list) > keptJudges {
		old := js.list[0]
		go func() {
			old.users.Wait() // until nobody uses the network any more
			old.close()
		}()
		js.list = js.list[1:]
	}
	return j.exam.File, nil
}

// touch finds the open network of a file, and notes its use.
func (js *judges) touch(path string, info os.FileInfo) (f File, found bool) {
	js.mu.Lock()
	defer js.mu.Unlock()
	for i, j := range js.list {
		if j.path == path && j.exam.Bytes == info.Size() && j.changed.Equal(info.ModTime()) {
			js.list = append(append(js.list[:i:i], js.list[i+1:]...), j)
			return j.exam.File, true
		}
	}
	return File{}, false
}

// of finds the judge of a network. The caller ends its use with users.Done.
func (js *judges) of(sha string) *judge {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, j := range js.list {
		if j.exam.SHA256 == sha {
			j.users.Add(1)
			return j
		}
	}
	return nil
}

// exam returns the exam of a network; nil if the network is no longer open.
func (js *judges) exam(sha string) *Exam {
	j := js.of(sha)
	if j == nil {
		return nil
	}
	defer j.users.Done()
	return &j.exam
}

func (js *judges) close() {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, j := range js.list {
		j.close()
	}
	js.list = nil
}
