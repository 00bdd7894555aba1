package main

import (
	"context"
	"fmt"
	"math"

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

// FinalStatus translates the fate of every point.
func (s *seat) FinalStatus(ctx context.Context) ([]gtp.Status, error) {
	all, err := s.Engine.FinalStatus(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]gtp.Status, len(all))
	for i, v := range all {
		out[i] = statuses[v]
	}
	return out, nil
}

// Estimate translates an opinion about the game.
func (s *seat) Estimate(ctx context.Context) (*gtp.Estimate, error) {
	e, err := s.Engine.Estimate(ctx)
	return (*gtp.Estimate)(e), err
}

var statuses = [...]gtp.Status{
	engine.Alive: gtp.StatusAlive, engine.Dead: gtp.StatusDead, engine.Seki: gtp.StatusSeki,
	engine.BlackTerritory: gtp.StatusBlackTerritory, engine.WhiteTerritory: gtp.StatusWhiteTerritory,
	engine.Dame: gtp.StatusDame,
}

// Evaluate asks the network about the position on the board.
func (s *seat) Evaluate(ctx context.Context, r gtp.RawRequest) (*gtp.RawOutput, error) {
	var raw *engine.RawOutput
	var err error
	if r.Human {
		raw, err = s.RawHuman(ctx, r.Color, int8(r.Symmetry))
	} else {
		raw, err = s.RawNetwork(ctx, r.Color, int8(r.Symmetry), float32(r.Optimism))
	}
	if err != nil {
		return nil, err
	}
	out := &gtp.RawOutput{
		Win: raw.Win, Loss: raw.Loss, NoResult: raw.NoResult,
		Lead: raw.Lead, ScoreSelfplay: raw.ScoreMean, ScoreSelfplaySq: raw.ScoreMeanSq,
		VarTimeLeft: raw.VarTimeLeft, ShorttermWinlossError: raw.ErrWinLoss, ShorttermScoreError: raw.ErrScore,
		Policy: raw.Policy[:len(raw.Policy)-1], PolicyPass: raw.Policy[len(raw.Policy)-1], Ownership: raw.Ownership,
	}
	for i, p := range out.Policy {
		if p < 0 {
			out.Policy[i] = float32(math.NaN())
		}
	}
	return out, nil
}

// Models lists the networks in use.
func (s *seat) Models() []gtp.ModelInfo {
	return s.net.infos(s.Game().Size(), s.opts.batchSize())
}
