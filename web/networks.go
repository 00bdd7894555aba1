package web

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/web/api"
)

// Network is one that a server plays and analyses with. It may still be loading:
// whoever evaluates waits for it.
type Network interface {
	nn.Evaluator
	nn.Submitter
	Serves(board.Size) error
	BatchSize() int
	Stats() nn.Stats
	SHA256() string // of its file; waits for it
	// Humans is the network of human moves beside it, nil where there is none.
	Humans(board.Size) (nn.Evaluator, bool)
	// Status says how it is, without waiting for it; Name is its own. The identity,
	// empty until it is loaded, tells apart what was searched with it.
	Status() (st api.Engine, identity string)
	Wait() error // returns once it is loaded, or why it cannot be
	Close() error
}

// NetworksConfig says which networks there are.
type NetworksConfig struct {
	File   string // to begin with; "" is the one inside the program
	Folder string // with more; "" is none
	Human  bool   // a network of human moves stands beside each
	Open   func(file string) Network
}

// Networks lets the page play with one network and change to others, between
// searches. It is a [Backend].
type Networks struct {
	conf NetworksConfig

	mu        sync.Mutex
	cur       Network
	name      string  // of its file
	next      Network // takes over when no search is under way
	nextName  string
	searching int
}

// NewNetworks begins to load the first one.
func NewNetworks(c NetworksConfig) *Networks {
	b := &Networks{conf: c, name: filepath.Base(c.File), cur: c.Open(c.File)}
	if c.File == "" {
		b.name = embeddedName
	}
	return b
}

const embeddedName = "kosumi-9x9 (built in)"

func (b *Networks) now() Network {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cur
}

// Evaluate implements nn.Evaluator.
func (b *Networks) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	return b.now().Evaluate(ctx, q, out)
}

// Submit implements nn.Submitter.
func (b *Networks) Submit(ctx context.Context, j *nn.Job) { b.now().Submit(ctx, j) }

// SHA256 is that of the network's file, by which its levels are found; "" while it
// loads.
func (b *Networks) SHA256() string {
	if b.Status().State != "ready" {
		return ""
	}
	return b.now().SHA256()
}

// Identity implements Backend.
func (b *Networks) Identity() (name, identity string) {
	st, identity := b.now().Status()
	return st.Name, identity
}

// Humans returns the network of human moves, see --human-model.
func (b *Networks) Humans(size board.Size) (nn.Evaluator, bool) { return b.now().Humans(size) }

// Stats returns what the network has done so far.
func (b *Networks) Stats() nn.Stats { return b.now().Stats() }

// BatchSize returns the most positions in one network call.
func (b *Networks) BatchSize() int { return b.now().BatchSize() }

// Serves returns nil if boards of that size can be evaluated.
func (b *Networks) Serves(size board.Size) error { return b.now().Serves(size) }

// SearchBegins implements Backend.
func (b *Networks) SearchBegins(board.Size) (ends func()) {
	b.mu.Lock()
	b.searching++
	b.mu.Unlock()
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.searching--
		b.turn()
	}
}

// turn lets the next network take over if no search is under way. The caller
// holds mu.
func (b *Networks) turn() {
	if b.next == nil || b.searching > 0 {
		return
	}
	old := b.cur
	b.cur, b.name, b.next = b.next, b.nextName, nil
	go old.Close()
}

// Status implements Backend.
func (b *Networks) Status() api.Engine {
	b.mu.Lock()
	net, name := b.cur, b.name
	b.mu.Unlock()
	st, _ := net.Status()
	st.Name = name
	return st
}

// Networks implements Backend.
func (b *Networks) Networks() []api.Network {
	b.mu.Lock()
	name := b.name
	b.mu.Unlock()
	var all []api.Network
	for n := range b.files() {
		net := api.Network{Name: n, Sizes: "any", InUse: n == name, Human: b.conf.Human}
		if n == embeddedName {
			net.Weak = "9x9"
		}
		all = append(all, net)
	}
	slices.SortFunc(all, func(x, y api.Network) int { return strings.Compare(x.Name, y.Name) })
	return all
}

// files returns the networks that can be chosen, by name: nothing else that a
// page says is ever a path.
func (b *Networks) files() map[string]string {
	all := map[string]string{embeddedName: ""}
	if b.conf.File != "" {
		all[filepath.Base(b.conf.File)] = b.conf.File
	}
	entries, _ := os.ReadDir(b.conf.Folder) // no folder: nothing more
	for _, e := range entries {
		for _, ext := range []string{".bin.gz", ".txt.gz", ".onnx"} {
			if strings.HasSuffix(e.Name(), ext) && !e.IsDir() {
				all[e.Name()] = filepath.Join(b.conf.Folder, e.Name())
			}
		}
	}
	return all
}

// Use implements Backend.
func (b *Networks) Use(name string) error {
	path, ok := b.files()[name]
	if !ok {
		return errors.New("there is no network of that name")
	}
	net := b.conf.Open(path)
	if err := net.Wait(); err != nil {
		net.Close()
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		go b.next.Close()
	}
	b.next, b.nextName = net, name
	b.turn()
	return nil
}

// Close lets go of the networks.
func (b *Networks) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		b.next.Close()
	}
	return b.cur.Close()
}
