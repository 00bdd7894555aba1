package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/level"
)

// autoLevel is the level that finds the player's.
const autoLevel = "auto"

// levelFile is where the levels of the player are kept.
func (c *Config) levelFile() (string, error) {
	if c.LevelFile != "" {
		return c.LevelFile, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no folder to keep the player's level in, name a file with --level-file: %w", err)
	}
	return filepath.Join(dir, "kosumi", "levels.json"), nil
}

// mostLevels bounds the file of levels; a real one has some kilobytes.
const mostLevels = 1 << 20

// Finders reads what is known of the player, and names the file; nothing is known
// where there is none.
func (c *Config) Finders() (level.Finders, string, error) {
	name, err := c.levelFile()
	if err != nil {
		return nil, "", err
	}
	data, err := file.Read(name, mostLevels)
	if errors.Is(err, fs.ErrNotExist) {
		return level.Finders{}, name, nil
	}
	if err != nil {
		return nil, name, err
	}
	all, err := level.ParseFinders(data)
	if err != nil {
		return nil, name, fmt.Errorf("%s: %w", name, err)
	}
	return all, name, nil
}

// TryLevelFile tells, before a game is played for it, whether the file that is
// named for the player's levels holds some, or none yet, and can be written. The one
// in the user's own folder is not looked at: games are played without it too.
func (c *Config) TryLevelFile() error {
	if c.LevelFile == "" {
		return nil
	}
	if _, _, err := c.Finders(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.LevelFile), 0o777); err != nil {
		return err
	}
	return file.Try(c.LevelFile, true)
}

// autoRank is the rank of this game, found when it begins.
func (e *Engine) autoRank() (level.Rank, error) {
	if e.auto.rank == nil {
		all, _, err := e.cfg.Finders()
		if err != nil {
			return 0, err
		}
		f := all.On(e.game.Size())
		r := f.Next()
		e.auto.rank = &r
		e.log.Info("level " + f.Explain(e.game.Size()))
	}
	return *e.auto.rank, nil
}

// autoGame is what --level auto knows of the game on the board.
type autoGame struct {
	rank     *level.Rank // played at now; nil before the first move
	ranks    int         // sum of the ranks of our moves
	moves    int         // ours
	changed  int         // when the rank last changed, in moves of the game
	resigned bool        // by us
	counted  bool
}

// followPlayer changes the rank in the middle of a game that turns out one-sided. lead
// is ours. It says so.
func (e *Engine) followPlayer(game *board.Game, lead float64) {
	a := &e.auto
	if e.cfg.Level != autoLevel || a.rank == nil {
		return
	}
	a.ranks, a.moves = a.ranks+int(*a.rank), a.moves+1
	if game.NumMoves() < a.changed+level.FollowEvery {
		return
	}
	ahead := e.headStart() // of Black
	if game.ToMove() == board.Black {
		ahead = -ahead
	}
	r := level.Follow(game.Size(), *a.rank, game.NumMoves(), -lead, ahead)
	if r == *a.rank {
		return
	}
	who, points := "you are", -lead
	if lead > 0 {
		who, points = "the engine is", lead
	}
	e.log.Info(fmt.Sprintf("level %s about %.0f points ahead: it goes on at %s instead of %s", who, points, r, *a.rank))
	*a.rank, a.changed = r, game.NumMoves()
}

// meanRank is the rank that the game was played at on the whole.
func (a *autoGame) meanRank() level.Rank {
	if a.moves == 0 {
		return *a.rank
	}
	return level.Rank((a.ranks + a.moves/2) / a.moves)
}

// countGame takes a finished game into account, once: one that we played one side
// of at a level found by ourselves, and that went on for a while.
func (e *Engine) countGame() {
	a := &e.auto
	lost := abandonedLost(e.values, e.game.Size())
	if e.cfg.Level != autoLevel || a.rank == nil || a.counted || len(e.values) == 0 ||
		!a.resigned && !e.game.Ended() && !lost || e.game.NumMoves() < e.game.Size().Area()*3/10 {
		return
	}
	us := e.values[0].color
	for _, v := range e.values {
		if v.color != us {
			return // it played both sides
		}
	}
	a.counted = true
	points := 1.0 // of the player
	switch {
	case a.resigned:
	case !e.game.Ended():
		points = 0
	default:
		white, err := e.FinalScore(context.Background())
		if err != nil {
			e.log.Warn("the game does not count for the player's level", "error", err)
			return
		}
		points = playersPoints(white, us)
	}
	all, name, err := e.cfg.Finders()
	if err == nil {
		f := all.On(e.game.Size())
		ahead := e.headStart() // of Black
		if us == board.Black {
			ahead = -ahead
		}
		f.Played(a.meanRank(), level.HandicapElo(e.game.Size(), ahead), points, 1, time.Now())
		e.log.Info("level " + f.Explain(e.game.Size()))
		err = SaveFinders(name, all)
	}
	if err != nil {
		e.log.Warn("the player's level could not be kept", "error", err)
	}
}

// abandonedLost reports whether a game that its player leaves unfinished is lost for
// them, so that leaving it is to resign, which GTP has no word for: at our last own
// moves, 5 on 9x9 and 10 on 19x19, we had 95 chances of winning in 100 or more.
func abandonedLost(values []ownValue, size board.Size) bool {
	turns := (size.W+size.H)/4 + 1
	if len(values) < turns {
		return false
	}
	for _, v := range values[len(values)-turns:] {
		if v.value < 0.9 {
			return false
		}
	}
	return true
}

// playersPoints is what a score, White's view, gives our opponent.
func playersPoints(white float64, us board.Color) float64 {
	switch {
	case white == 0:
		return 0.5
	case (white > 0) == (us == board.White):
		return 0
	}
	return 1
}

// SaveFinders writes what is known of the player.
func SaveFinders(name string, all level.Finders) error {
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return file.WriteBytes(name, append(data, '\n'))
}
