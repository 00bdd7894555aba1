package engine

import (
	"errors"
	"time"

	"kosumi/board"
	"kosumi/engine/level"
)

// autoLevel is the level that finds the player's.
const autoLevel = "auto"

// ratings reads what is known of the player.
func (r *rank) ratings() (level.PlayerRatings, error) {
	if r.cfg.LevelFile == "" {
		return nil, errors.New("no file keeps the player's level: name one with --level-file")
	}
	return level.ReadPlayerRatings(r.cfg.LevelFile)
}

// autoRank is the rank of this game, found when it begins.
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

// within is the rank that is played where one is wanted: the network may not serve it.
func (r *rank) within(size board.Size, at level.Rank) (level.Rank, error) {
	if r.knowsPeople() && at >= lowestImitated {
		return at, nil
	}
	s, err := r.find(size, at)
	return s.Served, err
}

// autoGame is what --level auto knows of the game on the board.
type autoGame struct {
	rank     *level.Rank // nil before the first move
	resigned bool        // by us
	counted  bool
}

// playersAhead is by how many points our opponent began ahead, given Black's head start.
func playersAhead(headStart float64, us board.Color) float64 {
	if us == board.Black {
		return -headStart
	}
	return headStart
}

// countGame takes a finished game into account, once: one that we played one side
// of at a level found by ourselves, and that went on for a while. score is White's.
func (r *rank) countGame(game *board.Game, values *ownValues, score func() (float64, error)) {
	a, size := &r.auto, game.Size()
	us, oneSide := values.side()
	if r.cfg.Level != autoLevel || a.rank == nil || a.counted || !oneSide ||
		!a.resigned && !game.Ended() && !values.abandonedWon(size) || game.NumMoves() < size.Area()*3/10 {
		return
	}
	a.counted = true
	points := 1.0 // of the player
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
		f.Played(*a.rank, level.HandicapElo(size, playersAhead(headStart(game), us)), points, 1, time.Now())
		r.log.Info("level " + f.Explain(size))
		err = all.Write(r.cfg.LevelFile)
	}
	if err != nil {
		r.log.Warn("the player's level could not be kept", "error", err)
	}
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
