package main

import (
	"fmt"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/gtp"
)

// seat lets an engine sit behind the GTP server: the two know nothing of each
// other, so their values are translated here.
type seat struct {
	*engine.Engine
	net  *network
	opts *settings
}

var _ gtp.Engine = (*seat)(nil)

// Name is the engine's name. It carries no version, and it begins with no
// engine's name that makes clients speak a dialect of their own.
func (*seat) Name() string { return "Kosumi" }

// Version returns three dotted integers.
func (*seat) Version() string { return version }

// NewGame also says what is wrong with the network, if something is.
func (s *seat) NewGame(size board.Size) error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.Engine.NewGame(size)
}

// LoadSGF also says what is wrong with the network, if something is.
func (s *seat) LoadSGF(data []byte, before int) error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.Engine.LoadSGF(data, before)
}

// usable waits for the network and returns why it cannot be used.
func (s *seat) usable() error {
	if err := s.net.wait(); err != nil {
		return fmt.Errorf("%w: %w", gtp.ErrUnusable, err)
	}
	return nil
}

// Models lists the networks in use.
func (s *seat) Models() []gtp.ModelInfo {
	return s.net.infos(s.Game().Size(), s.opts.batchSize())
}
