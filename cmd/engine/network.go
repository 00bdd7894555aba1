package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/thinking"
)

// network is the network that the flags name: it loads in the background, so
// that a GTP client gets its first answers at once, and whoever needs it waits.
type network struct {
	ready  chan struct{} // closed when the rest is settled
	model  *model.Model
	server *nn.Server
	conf   nn.ServerConfig
	log    *slog.Logger
	err    error
	close  sync.Once
	// humans is the network of human moves beside this one; nil if there is none.
	humans *network
}

// openNetwork starts to load the network and to open sessions for boards of one size.
func openNetwork(s *settings, size board.Size, log *slog.Logger) *network {
	n := &network{ready: make(chan struct{}), conf: s.serverConfig(), log: log}
	if s.HumanModel != "" {
		n.humans = openHumans(s, size, log)
	}
	go func() {
		defer close(n.ready)
		// That a file is missing is known before the other one is loaded.
		if _, err := os.Stat(s.HumanModel); n.humans != nil && err != nil {
			n.err = fmt.Errorf("--human-model: %w", err)
			return
		}
		if n.err = n.load(s, s.Model, size); n.err == nil {
			n.err = n.awaitHumans(s, size)
		}
	}()
	return n
}

func (n *network) load(s *settings, file string, size board.Size) (err error) {
	if n.model, err = s.openModelAs(file, n.log); err != nil {
		return err
	}
	if n.server, err = nn.NewServer(n.model, n.conf); err != nil {
		return err
	}
	if n.model.Serves(size) != nil {
		return nil // another size may be asked for
	}
	return n.server.Warm(size)
}

// openModel opens the network that the flags name.
func (s *settings) openModel(log *slog.Logger) (*model.Model, error) {
	return s.openModelAs(s.Model, log)
}

func (s *settings) openModelAs(file string, log *slog.Logger) (*model.Model, error) {
	m, err := model.Open(file, s.modelConfig(log))
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
func (n *network) info(size board.Size, maxBatch int) (thinking.ModelInfo, bool) {
	if n.wait() != nil {
		return thinking.ModelInfo{}, false
	}
	d := n.model.Describe()
	info := thinking.ModelInfo{Name: d.File, InternalName: d.Name, MaxBatchSize: maxBatch, FP16: strconv.FormatBool(d.Precision == "fp16")}
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
	return n.server.Evaluate(ctx, q, out)
}

// Submit implements nn.Submitter.
func (n *network) Submit(ctx context.Context, j *nn.Job) {
	if j.Err = n.wait(); j.Err != nil {
		j.Err = fmt.Errorf("the network could not be loaded: %w", j.Err)
		j.Done()
		return
	}
	n.server.Submit(ctx, j)
}

// Stats returns what the network has done so far.
func (n *network) Stats() nn.Stats {
	select {
	case <-n.ready:
		if n.err == nil {
			return n.server.Stats()
		}
	default:
	}
	return nn.Stats{}
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

// warnOf says that the board of the beginning is none for the network, once that is
// loaded: the client may ask for another one.
func (n *network) warnOf(size board.Size) {
	if n.wait() != nil {
		return
	}
	if err := n.model.Serves(size); err != nil {
		n.log.Warn(err.Error())
	}
}

// ClearCache forgets evaluated positions.
func (n *network) ClearCache() {
	if n.wait() == nil {
		n.server.ClearCache()
		if n.humans != nil {
			n.humans.ClearCache()
		}
	}
}

// Close waits for the network to be loaded and lets go of it.
func (n *network) Close() (err error) {
	if n.humans != nil {
		defer n.humans.Close()
	}
	if n.wait() != nil {
		return nil
	}
	n.close.Do(func() { err = errors.Join(n.server.Close(), n.model.Close()) })
	return err
}
