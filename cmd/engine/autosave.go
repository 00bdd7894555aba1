package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/gtp"
	"kosumi/internal/file"
	"kosumi/thinking"
)

// autosave keeps the record of every game that the engine plays in a folder, one
// file a game, written anew after each move, so that nothing is lost however the
// game ends. A nil autosave keeps nothing.
type autosave struct {
	dir   string
	log   *slog.Logger
	name  string       // of the present file; empty before the first move
	moves []board.Move // that the file holds
	size  board.Size
	last  []byte
}

// newAutosave makes the folder; an empty name of one is no autosave.
func newAutosave(dir string, log *slog.Logger) (*autosave, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--autosave: %w", err)
	}
	return &autosave{dir: dir, log: log}, nil
}

// save writes the game on the board, if the engine has a part in it. A file that
// cannot be written costs a warning and not the game.
func (a *autosave) save(ctx context.Context, e *engine.Engine) {
	if a == nil {
		return
	}
	if black, white := e.Chose(); !black && !white {
		return
	}
	data, err := e.SaveSGF(ctx)
	if err == nil && !bytes.Equal(data, a.last) {
		err = a.write(e.Game(), data)
	}
	if err != nil {
		a.log.Warn("the game could not be saved", "error", err)
	}
}

// write puts the record into the file that there is while the game goes on, or where a
// client has sent it anew move by move, else into a new one. After an error
// it is tried again with the next move.
func (a *autosave) write(g *board.Game, data []byte) error {
	moves := g.Moves()
	common := 0
	for common < min(len(moves), len(a.moves)) && moves[common] == a.moves[common] {
		common++
	}
	// Moves that were taken back are part of the game; another beginning is not.
	goesOn := a.name != "" && a.size == g.Size() && common > 0 && common >= len(a.moves)/2
	a.moves, a.size = slices.Clone(moves), g.Size()
	a.last = nil
	if goesOn {
		err := file.WriteBytes(a.name, data)
		if err == nil {
			a.last = data
		}
		return err
	}
	a.name = ""
	base := filepath.Join(a.dir, fmt.Sprintf("%s-%s", time.Now().Format("2006-01-02-150405"), g.Size()))
	name := base + ".sgf"
	for i := 2; ; i++ {
		err := file.WriteNew(name, data)
		if err == nil {
			a.name, a.last = name, data
		}
		if !errors.Is(err, file.ErrExists) {
			return err
		}
		name = fmt.Sprintf("%s-%d.sgf", base, i)
	}
}

// savingSeat is a seat whose games are saved.
type savingSeat struct {
	*seat
	to *autosave
}

var _ gtp.Engine = (*savingSeat)(nil)

// Play saves the game after a move of the client.
func (s *savingSeat) Play(c board.Color, p board.Point) error {
	err := s.seat.Play(c, p)
	if err == nil {
		s.to.save(context.Background(), s.Engine)
	}
	return err
}

// GenMove saves the game after a move of the engine.
func (s *savingSeat) GenMove(ctx context.Context, r thinking.MoveRequest) (thinking.Decision, error) {
	m, err := s.seat.GenMove(ctx, r)
	if err == nil && !r.Keep {
		s.to.save(ctx, s.Engine)
	}
	return m, err
}

// FinalScore saves the game, whose result is known now.
func (s *savingSeat) FinalScore(ctx context.Context) (float64, error) {
	score, err := s.seat.FinalScore(ctx)
	if err == nil {
		s.to.save(ctx, s.Engine)
	}
	return score, err
}

// FinalStatus saves the game, whose dead stones are known now.
func (s *savingSeat) FinalStatus(ctx context.Context) ([]thinking.Status, error) {
	all, err := s.seat.FinalStatus(ctx)
	if err == nil {
		s.to.save(ctx, s.Engine)
	}
	return all, err
}
