package cluster

import (
	"fmt"
	"os"
	"sync"

	"kosumi/nn"
)

// judge is a network that the server asks again.
type judge struct {
	sha256 string
	eval   nn.Evaluator
	close  func()
	users  sync.WaitGroup

	once sync.Once
	want answers
	err  error
}

// retire closes the network once nobody uses it.
func (j *judge) retire() {
	go func() {
		j.users.Wait()
		j.close()
	}()
}

// keptJudges is how many networks stay open: games of earlier ones still come in.
const keptJudges = 3

// judges holds the networks of a server: the file of the present one, which workers
// fetch, and the newest ones open, to be asked again about games.
type judges struct {
	open func(path string) (e nn.Evaluator, close func(), err error)

	mu   sync.Mutex
	file []byte // of the present network
	sha  string
	list []*judge // newest last
}

// offer takes up the network that plays from now on.
func (js *judges) offer(path, sha string) error {
	if _, now := js.present(); sha == now {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	j := &judge{sha256: sha}
	if j.eval, j.close, err = js.open(path); err != nil {
		return fmt.Errorf("opening %s to check games with: %w", path, err)
	}
	js.mu.Lock()
	defer js.mu.Unlock()
	js.file, js.sha, js.list = data, sha, append(js.list, j)
	if len(js.list) > keptJudges {
		js.list[0].retire()
		js.list = js.list[1:]
	}
	return nil
}

// present is the file of the present network and its sha256.
func (js *judges) present() (file []byte, sha string) {
	js.mu.Lock()
	defer js.mu.Unlock()
	return js.file, js.sha
}

// of finds the judge of a network; users.Done ends its use.
func (js *judges) of(sha string) *judge {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, j := range js.list {
		if j.sha256 == sha && sha != "" {
			j.users.Add(1)
			return j
		}
	}
	return nil
}

// close closes all networks.
func (js *judges) close() {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, j := range js.list {
		j.close()
	}
	js.list = nil
}
