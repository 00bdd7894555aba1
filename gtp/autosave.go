package gtp

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
	"kosumi/internal/file"
	"kosumi/search/thinking"
)

type SavableEngine interface {
	Engine
	// Chose reports for which sides the engine has chosen moves in the present game.
	Chose() (black, white bool)
}

// Autosave writes each game to a separate file in a folder, and writes it again after each move. A
// nil Autosave writes nothing. Not safe for concurrent use.
type Autosave struct {
	dir   string
	log   *slog.Logger
	name  string       // current file; empty before the first move
	moves []board.Move // moves in the file
	size  board.Size
	last  []byte
}

// OpenAutosave makes the folder; for an empty name it returns nil.
func OpenAutosave(dir string, log *slog.Logger) (*Autosave, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return &Autosave{dir: dir, log: log}, nil
}

// Save wraps an engine so that its games are saved here.
func (f *Autosave) Save(e SavableEngine) Engine {
	if f == nil {
		return e
	}
	return &saved{e, f}
}

// write puts the record of a game into the present file if the game continues or a client has
// set it up again move by move, else into a new file. After an error the next move tries again.
func (f *Autosave) write(g *board.Game, data []byte) error {
	if bytes.Equal(data, f.last) {
		return nil
	}
	moves := g.Moves()
	common := 0
	for common < min(len(moves), len(f.moves)) && moves[common] == f.moves[common] {
		common++
	}
	// Moves may have been taken back; a different opening is another game.
	goesOn := f.name != "" && f.size == g.Size() && common > 0 && common >= len(f.moves)/2
	f.moves, f.size = slices.Clone(moves), g.Size()
	f.last = nil
	var err error
	if goesOn {
		err = file.WriteBytes(f.name, data)
	} else {
		f.name, err = f.writeNew(data)
	}
	if err == nil {
		f.last = data
	}
	return err
}

// writeNew writes a record into a new file and returns the file's name, which is empty after an
// error.
func (f *Autosave) writeNew(data []byte) (string, error) {
	base := filepath.Join(f.dir, fmt.Sprintf("%s-%s", time.Now().Format("2006-01-02-150405"), f.size))
	name := base + ".sgf"
	for i := 2; ; i++ {
		err := file.WriteNew(name, data)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, file.ErrExists) {
			return "", err
		}
		name = fmt.Sprintf("%s-%d.sgf", base, i)
	}
}

// saved is an engine whose games are saved after each move and each count of the score.
type saved struct {
	SavableEngine
	to *Autosave
}

// save writes the game on the board, if the engine chose moves in it. If the file cannot be
// written, it logs a warning and the game continues.
func (s *saved) save(ctx context.Context) {
	if black, white := s.Chose(); !black && !white {
		return
	}
	data, err := s.SaveSGF(ctx)
	if err == nil {
		err = s.to.write(s.Game(), data)
	}
	if err != nil {
		s.to.log.Warn("the game could not be saved", "error", err)
	}
}

func (s *saved) Play(c board.Color, p board.Point) error {
	err := s.SavableEngine.Play(c, p)
	if err == nil {
		s.save(context.Background())
	}
	return err
}

func (s *saved) GenMove(ctx context.Context, r thinking.MoveRequest) (thinking.Decision, error) {
	m, err := s.SavableEngine.GenMove(ctx, r)
	if err == nil && !r.Keep {
		s.save(ctx)
	}
	return m, err
}

func (s *saved) FinalScore(ctx context.Context) (float64, error) {
	score, err := s.SavableEngine.FinalScore(ctx)
	if err == nil {
		s.save(ctx)
	}
	return score, err
}

func (s *saved) FinalStatus(ctx context.Context) ([]thinking.Status, error) {
	all, err := s.SavableEngine.FinalStatus(ctx)
	if err == nil {
		s.save(ctx)
	}
	return all, err
}
