package engine

import (
	"errors"
	"time"

	"kosumi/board"
	"kosumi/engine/level"
)

// autoLevel is the level setting that adapts to the player.
const autoLevel = "auto"

func (r *rank) ratings() (level.PlayerRatings, error) {
	if r.cfg.LevelFile == "" {
		return nil, errors.New("no file keeps the player's level: name one with --level-file")
	}
	return level.ReadPlayerRatings(r.cfg.LevelFile)
}

// autoRank returns the adaptive rank for this game, chosen when the game begins.
func (r *rank) autoRank(size board.Size) (level.Rank, error) {
	if r.auto.rank == nil {
		all, err := r.ratings()
		if err != nil {
			return 0, err
		}
		f := all.On(size)
		next, err := r.within(size, f.Next())
		if err != nil {
			return 0, err
		}
		r.auto.rank = &next
		r.log.Info("level " + f.Explain(size))
	}
	return *r.auto.rank, nil
}

// within returns the rank nearest to the wanted one among those that the network can play on this board.
func (r *rank) within(size board.Size, at level.Rank) (level.Rank, error) {
	if r.knowsPeople() && at >= lowestImitated {
		return at, nil
	}
	s, err := r.find(size, at)
	return s.Served, err
}

// autoGame is the state of --level auto for the game on the board.
type autoGame struct {
	rank     *level.Rank // nil before the first move
	resigned bool        // the engine resigned
	counted  bool
	undone   bool // a move was taken back: the game does not count
}

// undo notes that a move was taken back.
func (r *rank) undo() {
	if r.cfg.Level == autoLevel && !r.auto.undone && !r.auto.counted {
		r.log.Info("a move is taken back: this game does not count for your level")
	}
	r.auto.undone = true
}

// countGame records a game in the player's ratings, at most once. The game must be over, or the
// player must have left it in a lost position. It must be long enough, without an undo, and the engine
// must have played one side at an adaptive level. score is White's.
func (r *rank) countGame(game *board.Game, values *ownValues, score func() (float64, error)) {
	a, size := &r.auto, game.Size()
	us, oneSide := values.side()
	if r.cfg.Level != autoLevel || a.rank == nil || a.counted || a.undone || !oneSide ||
		!a.resigned && !game.Ended() && !values.abandonedWon(size) || game.NumMoves() < size.Area()*3/10 {
		return
	}
	a.counted = true
	points := 1.0 // the player's result
	switch {
	case a.resigned:
	case !game.Ended():
		points = 0
	default:
		white, err := score()
		if err != nil {
			r.log.Warn("the game does not count for the player's level", "error", err)
			return
		}
		points = playersPoints(white, us)
	}
	all, err := r.ratings()
	if err == nil {
		f := all.On(size)
		f.Played(size, *a.rank, float64(sideSign(us))*headStart(game), points, 1, time.Now())
		r.log.Info("level " + f.Explain(size))
		err = all.Write(r.cfg.LevelFile)
	}
	if err != nil {
		r.log.Warn("the player's level could not be kept", "error", err)
	}
}

// playersPoints converts White's score to the opponent's result, 0 to 1; us is the engine's side.
func playersPoints(white float64, us board.Color) float64 {
	switch {
	case white == 0:
		return 0.5
	case (white > 0) == (us == board.White):
		return 0
	}
	return 1
}
