package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"

	"kosumi/board"
	"kosumi/gtp"
	"kosumi/nn"
	"kosumi/nn/model"
)

// network is the network that the flags name: it loads in the background, so
// that a GTP client gets its first answers at once, and whoever needs it waits.
//
// With --precision auto the integer network may be prepared in the background as
// well. Its server then takes the place of the first one, between two searches.
type network struct {
	ready chan struct{}
	model *model.Model
	conf  nn.ServerConfig
	log   *slog.Logger
	err   error
	// humans is the network of human moves beside this one; nil if there is none.
	humans *network

	mu        sync.RWMutex // held for reading while a query is handed over
	server    *nn.Server
	past      nn.Stats   // of servers before
	next      *nn.Server // takes over when no search is under way
	searching int        // searches under way
	closed    bool
}

// openNetwork starts to load the network and to prepare boards of one size. With
// atOnce nobody waits for the integer network, else everybody does.
func openNetwork(s *settings, size board.Size, atOnce bool, log *slog.Logger) *network {
	n := &network{ready: make(chan struct{}), conf: s.serverConfig(), log: log}
	conf := s.modelConfig(log)
	if atOnce {
		conf.Later = n.prepared
	}
	if s.HumanModel != "" {
		n.humans = openHumans(s, size, log)
	}
	go func() {
		defer close(n.ready)
		if n.err = n.load(s, s.Model, conf, size); n.err == nil {
			n.err = n.awaitHumans(s.Play.Search.Human, size)
		}
	}()
	return n
}

func (n *network) load(s *settings, file string, conf model.Config, size board.Size) error {
	m, err := s.openModelAs(file, conf)
	if err != nil {
		return err
	}
	server, err := nn.NewServer(m, n.conf)
	if err != nil {
		return err
	}
	n.mu.Lock()
	n.model, n.server = m, server
	n.mu.Unlock()
	if m.Serves(size) == nil {
		if err := server.Warm(size); err != nil {
			return err
		}
	}
	return nil
}

// prepared is told that boards of a size can be evaluated in another precision
// now, and opens a server that does.
func (n *network) prepared(size board.Size) {
	if n.wait() != nil {
		return
	}
	server, err := nn.NewServer(n.model, n.conf)
	if err == nil {
		err = server.Warm(size)
	}
	if err != nil {
		n.log.Warn("int8 is ready but cannot be used", "error", err)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next != nil || n.closed {
		server.Close() // the one that waits will open the size in the new precision itself
		return
	}
	n.next = server
	n.turn()
}

// turn lets the next server take over if no search is under way. The caller holds
// mu.
func (n *network) turn() {
	if n.next == nil || n.searching > 0 || n.closed {
		return
	}
	old := n.server
	n.past = n.past.Add(old.Stats())
	n.server, n.next = n.next, nil
	n.log.Info("from now on the network computes in int8")
	go old.Close() // answers what it was asked
}

// SearchBegins tells that a search on boards of a size is under way until the
// function that it returns is called.
func (n *network) SearchBegins(size board.Size) (ends func()) {
	if n.wait() == nil {
		n.model.Searched(size)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.searching++
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.searching--
		n.turn()
	}
}

// openModel opens the network that the flags name.
func (s *settings) openModel(log *slog.Logger) (*model.Model, error) {
	return s.openModelAs(s.Model, s.modelConfig(log))
}

func (s *settings) openModelAs(file string, conf model.Config) (*model.Model, error) {
	m, err := model.Open(file, conf)
	if errors.Is(err, model.ErrPrecision) {
		return nil, usageError{err}
	}
	return m, err
}

func (s *settings) modelConfig(log *slog.Logger) model.Config {
	return model.Config{
		Provider: s.Provider, Precision: s.Precision, Library: s.OnnxRuntime, Log: log,
		Overrides: model.Overrides{Encoding: s.Encoder, Policy: s.Policy, Value: s.Value},
	}
}

func (s *settings) serverConfig() nn.ServerConfig {
	seed := s.Play.Seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	return nn.ServerConfig{
		Sessions: s.sessionCount(), MaxBatch: s.batchSize(),
		CacheBytes: s.Cache, Seed: seed,
	}
}

// info describes the network that serves boards of one size; false if none is
// loaded.
func (n *network) info(size board.Size, maxBatch int) (gtp.ModelInfo, bool) {
	if n.wait() != nil {
		return gtp.ModelInfo{}, false
	}
	d := n.model.DescribeAt(size)
	info := gtp.ModelInfo{Name: d.File, InternalName: d.Name, MaxBatchSize: maxBatch, FP16: d.Precision == "fp16"}
	if spec, err := n.model.Spec(size); err == nil {
		info.Version = spec.KataGo.Version
		info.HumanProfile = spec.KataGo.MetaEncoder > 0
	}
	return info, true
}

// wait returns once the network is loaded.
func (n *network) wait() error {
	<-n.ready
	return n.err
}

// failed returns why the network could not be loaded; nil while it still may be.
func (n *network) failed() error {
	select {
	case <-n.ready:
		return n.err
	default:
		return nil
	}
}

// Evaluate implements nn.Evaluator.
func (n *network) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	if err := n.wait(); err != nil {
		return fmt.Errorf("the network could not be loaded: %w", err)
	}
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.server.Evaluate(ctx, q, out)
}

// Submit implements nn.Submitter.
func (n *network) Submit(ctx context.Context, j *nn.Job) {
	if j.Err = n.wait(); j.Err != nil {
		j.Err = fmt.Errorf("the network could not be loaded: %w", j.Err)
		j.Done()
		return
	}
	n.mu.RLock()
	defer n.mu.RUnlock()
	n.server.Submit(ctx, j)
}

// Stats returns what the network has done so far.
func (n *network) Stats() nn.Stats {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if n.server == nil {
		return nn.Stats{}
	}
	return n.past.Add(n.server.Stats())
}

// BatchSize returns the most positions in one network call.
func (n *network) BatchSize() int { return n.conf.MaxBatch }

// Serves returns nil if boards of that size can be evaluated.
func (n *network) Serves(size board.Size) error {
	if err := n.wait(); err != nil {
		return err
	}
	return n.model.Serves(size)
}

// ClearCache forgets evaluated positions.
func (n *network) ClearCache() {
	if n.wait() == nil {
		n.mu.RLock()
		defer n.mu.RUnlock()
		n.server.ClearCache()
		if n.humans != nil {
			n.humans.ClearCache()
		}
	}
}

// Close waits for the network to be loaded and lets go of it.
func (n *network) Close() error {
	if n.humans != nil {
		defer n.humans.Close()
	}
	if n.wait() != nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil
	}
	n.closed = true
	err := n.server.Close()
	if n.next != nil {
		err = errors.Join(err, n.next.Close())
	}
	return errors.Join(err, n.model.Close())
}
