package open

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"kosumi/board"
	"kosumi/nn"
)

type Config struct {
	// Open opens a network file.
	Open func(file string) (nn.Model, error)
	// HumanFile is the human SL network; "": none.
	File, HumanFile string
	Server          nn.ServerConfig // configuration of each server; MaxBatch is required
	// Size is the board size whose sessions are opened right after loading.
	Size board.Size
	// Profile reports that the user has set a profile of the players.
	Profile bool
	// Log receives warnings about human SL networks; nil: silent.
	Log *slog.Logger
}

// Network is a network that loads in the background; most methods wait until it is loaded. Make one
// with [Start], and Close it. Any number of goroutines may use it.
type Network struct {
	conf   Config
	ready  chan struct{} // closed once the other fields are set
	model  nn.Model
	server *nn.Server
	err    error
	humans *Network // nil: none
	close  sync.Once
}

var _ nn.Network = (*Network)(nil)

func Start(c Config) *Network {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	n := &Network{conf: c, ready: make(chan struct{})}
	if c.HumanFile != "" {
		n.humans = &Network{conf: n.conf, ready: make(chan struct{})}
		go func() {
			defer close(n.humans.ready)
			if err := n.humans.load(c.HumanFile); err != nil {
				n.humans.err = fmt.Errorf("--human-model: %w", err)
			}
		}()
	}
	go func() {
		defer close(n.ready)
		// A missing human file is reported before the main one is loaded.
		if _, err := os.Stat(c.HumanFile); n.humans != nil && err != nil {
			n.err = fmt.Errorf("--human-model: %w", err)
			return
		}
		if n.err = n.load(c.File); n.err == nil {
			n.err = n.awaitHumans()
		}
	}()
	return n
}

func (n *Network) load(file string) (err error) {
	if n.model, err = n.conf.Open(file); err != nil {
		n.model = nil
		return err
	}
	if n.server, err = nn.NewServer(n.model, n.conf.Server); err != nil {
		return err
	}
	if n.server.Serves(n.conf.Size) != nil {
		return nil // not an error: the network may serve another size
	}
	return n.server.Warm(n.conf.Size)
}

// awaitHumans waits for the human SL network. It warns if that network takes no profile or no profile is
// set; without a human SL network, it warns if a profile is set but the main network takes none.
func (n *Network) awaitHumans() error {
	if n.humans == nil {
		if n.conf.Profile && !n.model.Describe().TakesProfile {
			n.conf.Log.Warn("humanSLProfile is set, but no network takes profiles: load one with --human-model or --model")
		}
		return nil
	}
	if err := n.humans.Wait(); err != nil {
		return err
	}
	switch takes := n.humans.Describe().TakesProfile; {
	case !takes:
		n.conf.Log.Warn("the network of --human-model was not trained to play by rank: its policy is the same for every profile")
	case !n.conf.Profile:
		n.conf.Log.Warn("--human-model is not used until there is a profile: --set humanSLProfile=rank_5k, or kata-set-param humanSLProfile rank_5k")
	}
	return nil
}

// Ready returns a channel that is closed once loading has ended, even if it failed.
func (n *Network) Ready() <-chan struct{} { return n.ready }

// Wait waits until loading has ended, and returns the reason if it failed.
func (n *Network) Wait() error {
	<-n.ready
	return n.err
}

// Loaded reports without waiting whether loading has ended, and why it failed.
func (n *Network) Loaded() (ended bool, err error) {
	select {
	case <-n.ready:
		return true, n.err
	default:
		return false, nil
	}
}

func (n *Network) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	if err := n.Wait(); err != nil {
		return fmt.Errorf("the network could not be loaded: %w", err)
	}
	return n.server.Evaluate(ctx, q, out)
}

func (n *Network) Submit(ctx context.Context, j *nn.Job) {
	if j.Err = n.Wait(); j.Err != nil {
		j.Err = fmt.Errorf("the network could not be loaded: %w", j.Err)
		j.Done()
		return
	}
	n.server.Submit(ctx, j)
}

func (n *Network) Submitter() nn.Submitter { return n }

// Humans waits for the human SL network and returns it; nil if there is none or loading failed.
func (n *Network) Humans() nn.Network {
	if n.humans == nil || n.Wait() != nil {
		return nil
	}
	return n.humans
}

func (n *Network) Serves(size board.Size) error {
	if err := n.Wait(); err != nil {
		return err
	}
	return n.server.Serves(size)
}

// Describe waits for the network and describes it; the zero value if it cannot be loaded.
func (n *Network) Describe() nn.Description {
	if n.Wait() != nil {
		return nn.Description{}
	}
	return n.model.Describe()
}

// Stats returns the network's counters. It does not wait: until the network is loaded, they are zero.
func (n *Network) Stats() nn.Stats {
	if ended, err := n.Loaded(); !ended || err != nil {
		return nn.Stats{}
	}
	return n.server.Stats()
}

// BatchSize is the maximum number of positions in one run; it does not wait.
func (n *Network) BatchSize() int { return n.conf.Server.MaxBatch }

// ClearCache empties the caches of the network and of the human SL network.
func (n *Network) ClearCache() {
	if n.Wait() != nil {
		return
	}
	n.server.ClearCache()
	if n.humans != nil {
		n.humans.ClearCache()
	}
}

// Pin implements [nn.Network]; the network never changes.
func (n *Network) Pin() (unpin func()) { return func() {} }

// Close waits until loading has ended and closes what was opened, also if loading failed.
func (n *Network) Close() (err error) {
	if n.humans != nil {
		defer n.humans.Close()
	}
	<-n.ready
	n.close.Do(func() {
		if n.server != nil {
			err = n.server.Close()
		}
		if n.model != nil {
			err = errors.Join(err, n.model.Close())
		}
	})
	return err
}
