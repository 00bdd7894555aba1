package main

import (
	"errors"
	"fmt"
	"log/slog"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/nn/open"
	"kosumi/search"
)

// openNetwork starts to load the networks named by flags, and opens sessions for boards of one
// size.
func openNetwork(s *settings, size board.Size, log *slog.Logger) *open.Network {
	s.Settle(size, log)
	_, profile := s.Play.Search.Human.Meta()
	c := open.Config{
		Open: func(file string) (nn.Model, error) { return s.openModel(file, log) },
		File: s.Model, HumanFile: s.HumanModel, Server: s.ServerConfig(s.Play.Seed), Size: size, Profile: profile, Log: log,
	}
	if s.kataGo {
		c.Log = nil // katago reports the loading in its own words
	}
	return open.Start(c)
}

// lateNetwork is a network that is opened when it is first needed.
type lateNetwork struct {
	s   *settings
	net *open.Network
}

// wait opens the network, with sessions for boards of a size, and waits until it is loaded.
func (l *lateNetwork) wait(size board.Size) error {
	if l.net == nil {
		l.net = openNetwork(l.s, size, l.s.stderr)
	}
	if err := l.net.Wait(); err != nil {
		return fmt.Errorf("%w: %w", errNoNetwork, err)
	}
	return nil
}

func (l *lateNetwork) close() {
	if l.net != nil {
		l.net.Close()
	}
}

func (s *settings) openModel(file string, log *slog.Logger) (*model.Model, error) {
	m, err := model.Open(file, s.Config(log))
	if errors.Is(err, model.ErrPrecision) {
		return nil, usageError{err}
	}
	return m, err
}

// warnOf waits for the network and warns if it does not support boards of a size. That is not an
// error: the client may ask for another size.
func warnOf(n *open.Network, size board.Size, log *slog.Logger) {
	if n.Wait() != nil {
		return
	}
	if err := n.Serves(size); err != nil {
		log.Warn(err.Error())
	}
}

// checkHuman refuses settings of human-like play if no network uses them.
func (s *settings) checkHuman() error {
	h, none := s.Play.Search.Human, search.Defaults().Human
	if h.Profile = ""; s.HumanModel == "" && h != none {
		return errors.New("the humanSL settings, but for humanSLProfile, need a network of human moves: name one with --human-model")
	}
	return nil
}
