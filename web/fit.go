package web

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/level"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// autoLevel stands for the level that fits the player.
const autoLevel = "auto"

// fittingLevel is the rank that the next game of the player's is played at, as far
// as the network serves it.
func (s *Server) fittingLevel(size board.Size) (string, error) {
	s.fit.Lock()
	defer s.fit.Unlock()
	all, _, err := s.conf.Engine.Finders()
	if err != nil {
		return "", err
	}
	ladders, err := level.Ladders()
	if err != nil {
		return "", err
	}
	at, err := level.Find(ladders, s.networkSHA(), size, all.On(size).Next())
	if err != nil {
		return "", err
	}
	return at.Served.String(), nil
}

// fits says what is known of the player, smallest board first.
func (s *Server) fits() []api.Fit {
	s.fit.Lock()
	defer s.fit.Unlock()
	fits := []api.Fit{}
	all, _, err := s.conf.Engine.Finders()
	if err != nil {
		s.complain(err.Error(), "fit")
		return fits
	}
	for _, name := range slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }) {
		if all[name].Games > 0 {
			fits = append(fits, wireFit(name, all[name]))
		}
	}
	return fits
}

func wireFit(size string, f *level.Finder) api.Fit {
	low, mid, high := f.Range()
	return api.Fit{Size: size, Low: low.String(), Mid: mid.String(), High: high.String(), Games: wire.Round(f.Games, 1)}
}

// networkSHA names the network to the ladders; "" while it loads.
func (s *Server) networkSHA() string {
	if n, ok := s.conf.Backend.(interface{ SHA256() string }); ok {
		return n.SHA256()
	}
	return ""
}

// countForLevel takes a finished game into account where the level was chosen to
// fit. What the player was helped with makes a won game count less. An error says
// that it is not written. The caller holds mu.
func (g *game) countForLevel() error {
	g.owed.level = false
	if !g.head.Seat.Auto || g.board.NumMoves() < g.size().Area()*3/10 {
		return nil
	}
	against, err := level.ParseRank(g.head.Seat.Level)
	if err != nil {
		return nil
	}
	points, weight := 0.5, 1.0
	switch {
	case strings.HasPrefix(g.result, strings.ToUpper(g.head.Colour)+"+"):
		points = 1
		weight = max(0, 1-0.25*float64(g.undos)-0.5*float64(g.hints))
	case strings.Contains(g.result, "+"):
		points = 0
		if strings.HasSuffix(g.result, "+T") {
			weight = 0.5
		}
	case g.result != "0":
		return nil
	}
	fit, err := g.s.countGame(g.size(), against, g.headStart(), points, weight)
	if err != nil {
		g.owed.level = true
		return fmt.Errorf("the game does not count for your level yet: %w", err)
	}
	g.fit = fit
	return nil
}

// headStart is by how many points the player begins ahead.
func (g *game) headStart() float64 {
	ahead := 7 - g.head.Komi
	if g.head.Handicap > 1 {
		ahead += 15 * float64(g.head.Handicap-1)
	}
	if g.player() == board.White {
		return -ahead
	}
	return ahead
}

func (s *Server) countGame(size board.Size, against level.Rank, ahead, points, weight float64) (*api.Fit, error) {
	s.fit.Lock()
	defer s.fit.Unlock()
	all, name, err := s.conf.Engine.Finders()
	if err != nil {
		return nil, err
	}
	f := all.On(size)
	f.Played(against, level.HandicapElo(size, ahead), points, weight, time.Now())
	if err := engine.SaveFinders(name, all); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return new(wireFit(size.String(), f)), nil
}
