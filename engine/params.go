package engine

import (
	"fmt"
	"slices"

	"kosumi/search/setting"
)

// params are the settings that may change while the engine runs.
var params = settings.Changeable()

// Params lists all parameters in a fixed order, by their GTP names.
func (e *Engine) Params() []setting.Param { return params.Params(&e.cfg) }

// SetParams sets some parameters, all or none. Pondering that is under way keeps the old values.
func (e *Engine) SetParams(values map[string]string) error {
	next := e.cfg
	if err := params.Apply(&next, values, params.SetParam); err != nil {
		return fmt.Errorf("%w: %w", ErrParam, err)
	}
	if err := next.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrParam, err)
	}
	if err := CheckHuman(e.net, changedFrom(params.Params(&e.cfg), params.Params(&next)), next.Search.Human); err != nil {
		return err
	}
	if next.Level != e.cfg.Level {
		if err := e.rank.refusal(next.Level, e.game.Size()); err != nil {
			return fmt.Errorf("%w: %w", ErrParam, err)
		}
	}
	return e.Configure(next)
}

// changedFrom returns the names of the parameters whose values differ, sorted.
func changedFrom(before, after []setting.Param) (names []string) {
	for i := range after {
		if before[i].Value != after[i].Value {
			names = append(names, after[i].Name)
		}
	}
	slices.Sort(names)
	return names
}

func (e *Engine) Config() Config { return e.cfg }

// Configure replaces everything that may change while the engine runs: all but the game on the
// board.
func (e *Engine) Configure(next Config) error {
	if err := next.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrParam, err)
	}
	e.Stop()
	if err := e.thinker.tree.SetParams(next.Search); err != nil {
		return fmt.Errorf("%w: %w", ErrParam, err)
	}
	next.Size, next.Rules, next.Game = e.cfg.Size, e.cfg.Rules, e.cfg.Game
	e.cfg = next
	return nil
}
