package ladder

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"kosumi/engine/level"
	"kosumi/internal/file"
)

// Read reads a file of ladders.
func Read(name string) ([]level.Ladder, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	all, err := level.ParseLadders(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; name another file, or put a copy of it back", name, err)
	}
	return all, nil
}

// Update writes a ladder into a file of ladders, in place of the one with the same network and
// size. The file need not exist.
func Update(name string, l level.Ladder) error {
	all, err := Read(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	all = slices.DeleteFunc(all, func(o level.Ladder) bool { return o.SHA256 == l.SHA256 && o.Size == l.Size })
	return file.WriteJSON(name, append([]level.Ladder{l}, all...), " ")
}

// Print writes a ladder's results, one line per player.
func Print(w io.Writer, l level.Ladder) {
	for _, s := range l.Support {
		fmt.Fprintf(w, "%-9s %+5.0f Elo, give or take %.0f; %.2f points lost a move, %.1f %% lose more than ten, %.2f moves of nonsense in 1,000 (of %d, %d suspected); %d games\n",
			level.DialName(s.Dial), s.Elo, s.Error, s.PointsLost, 100*s.LargeLosses, s.Nonsense, s.Moves, s.Suspects, s.Games)
	}
	for _, a := range l.Anchors {
		fmt.Fprintf(w, "%s %+.0f Elo, give or take %.0f; %d games\n", a.Name, a.Elo, a.Error, a.Games)
	}
	if scale := scaleOf(l); scale != ranksFrom {
		fmt.Fprintln(w, untied(scale))
	}
}

// ranksFrom is the player to whose Elo the ranks are tied.
const ranksFrom = "GNU Go 3.8 level 10"

// scaleOf returns the player whose Elo is the reference: the first anchor, or ranksFrom if there is no
// anchor. It is ranksFrom also if the first anchor is GNU Go, since gnugoElo relates all its levels.
func scaleOf(l level.Ladder) string {
	if len(l.Anchors) == 0 || strings.HasPrefix(l.Anchors[0].Name, "GNU Go ") {
		return ranksFrom
	}
	return l.Anchors[0].Name
}

// untied returns a note that a scale is not tied to ranks.
func untied(scale string) string {
	return fmt.Sprintf("Elo is from %s here, and ranks are tied to %s: this says nothing of ranks.", scale, ranksFrom)
}

// Show writes a ladder as tables in Markdown: the measurements of each dial (a level's number), and
// how each rank is played.
func Show(w io.Writer, l level.Ladder) {
	games := 0
	for _, p := range l.Pairs {
		games += p.Games
	}
	fmt.Fprintf(w, "**%dx%d**, %s: %d games (%s, %s)\n\n", l.Size, l.Size, l.Network, games, l.Date, l.Machine)
	scale := scaleOf(l)
	fmt.Fprintf(w, "| dial | Elo from %s | games | points lost a move | moves that lose more than ten points | nonsense, of moves |\n|---|---|---|---|---|---|\n", scale)
	for _, s := range l.Support {
		fmt.Fprintf(w, "| %g | %+.0f +-%.0f | %d | %.2f | %.1f %% | %.0f of %d |\n", s.Dial, s.Elo, s.Error, s.Games,
			s.PointsLost, 100*s.LargeLosses, s.Nonsense*float64(s.Moves)/1000, s.Moves)
	}
	for _, a := range l.Anchors {
		fmt.Fprintf(w, "| %s | %+.0f +-%.0f | %d | | | |\n", a.Name, a.Elo, a.Error, a.Games)
	}
	if scale != ranksFrom {
		fmt.Fprintf(w, "\n%s\n\n", untied(scale))
		return
	}
	ranks := l.Ranks()
	fmt.Fprintf(w, "\n| rank | dial | playouts | Elo from GNU Go 3.8 level 10 | | points lost a move | moves that lose more than ten points |\n|---|---|---|---|---|---|---|\n")
	for _, r := range ranks {
		basis := "extrapolated"
		if r.Measured {
			basis = "measured"
		}
		fmt.Fprintf(w, "| %s | %.1f | %d | %+.0f +-%.0f | %s | %.2f | %.1f %% |\n", r.Rank, r.Dial, r.Playouts, math.Round(r.Elo)+0, r.Error, basis, r.PointsLost, 100*r.LargeLosses)
	}
	if n := len(ranks); n > 0 {
		fmt.Fprintf(w, "\nMeasured: between dials that took 5 to 95 %% of the points from GNU Go, with handicap or without. Extrapolated: by games between levels.\n")
		if low := ranks[0].Rank; low > level.Lowest {
			fmt.Fprintf(w, "\n%s and weaker are not served.\n", low-1)
		}
		if high := ranks[n-1].Rank; high < level.Highest {
			fmt.Fprintf(w, "\n%s and stronger are not served: the network's strength ends at %s.\n", high+1, high)
		}
	}
	showHabits(w, ranks)
	fmt.Fprintln(w)
}

// showHabits writes for each rank how often its records show beginners' habits. The numbers come from
// the nearest dial whose habits were counted.
func showHabits(w io.Writer, ranks []level.RankSupport) {
	ranks = slices.DeleteFunc(slices.Clone(ranks), func(r level.RankSupport) bool { return r.Habits.Sides == 0 })
	if len(ranks) == 0 {
		return
	}
	fmt.Fprintf(w, "\n| rank | games | first line before move 30, a game | self-atari of three stones or more, in 1,000 moves | ataris left, of those that a capture or extension answers | own eyes filled | passes too early, in 1,000 moves |\n|---|---|---|---|---|---|---|\n")
	for _, r := range ranks {
		h := r.Habits
		moves := float64(h.Moves)
		fmt.Fprintf(w, "| %s | %d | %.1f | %.1f | %d of %d | %d | %.1f |\n", r.Rank, h.Sides, float64(h.FirstLine)/float64(h.Sides), 1000*float64(h.SelfAtaris)/moves,
			h.AtarisLeft, h.Ataris, h.Eyes, 1000*float64(h.EarlyPasses)/moves)
	}
}
