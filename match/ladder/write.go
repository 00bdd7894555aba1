package ladder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"kosumi/internal/file"
	"kosumi/level"
)

// Update puts a ladder into a file of ladders, in place of the one of the same
// network and size. There may be no such file yet.
func Update(name string, l level.Ladder) error {
	var all []level.Ladder
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err == nil {
		if all, err = level.ParseLadders(data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	all = slices.DeleteFunc(all, func(o level.Ladder) bool { return o.SHA256 == l.SHA256 && o.Size == l.Size })
	data, err = json.MarshalIndent(append([]level.Ladder{l}, all...), "", " ")
	if err != nil {
		return err
	}
	return file.WriteBytes(name, append(data, '\n'))
}

// Print writes what a ladder has measured, a line a player.
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

// ranksFrom is the player whose Elo ranks are tied to.
const ranksFrom = "GNU Go 3.8 level 10"

// scaleOf is the player that Elo is counted from: the first anchor, or ranksFrom where
// that is another level of GNU Go's, whose distance is known.
func scaleOf(l level.Ladder) string {
	if len(l.Anchors) == 0 || strings.HasPrefix(l.Anchors[0].Name, "GNU Go ") {
		return ranksFrom
	}
	return l.Anchors[0].Name
}

// untied says that a scale has no ranks.
func untied(scale string) string {
	return fmt.Sprintf("Elo is from %s here, and ranks are tied to %s: this says nothing of ranks.", scale, ranksFrom)
}

// Show writes a ladder as tables in Markdown: what each dial was measured at, and how
// each rank that it serves is played.
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
	fmt.Fprintf(w, "\n| rank | dial | playouts | Elo from GNU Go 3.8 level 10 | points lost a move | moves that lose more than ten points |\n|---|---|---|---|---|---|\n")
	for _, r := range ranks {
		fmt.Fprintf(w, "| %s | %.1f | %d | %+.0f +-%.0f | %.2f | %.1f %% |\n", r.Rank, r.Dial, r.Playouts, math.Round(r.Elo)+0, r.Error, r.PointsLost, 100*r.LargeLosses)
	}
	if n := len(ranks); n > 0 && ranks[n-1].Rank < level.Highest {
		fmt.Fprintf(w, "\n%s to %s play at about %s: the network's strength ends there.\n", ranks[n-1].Rank+1, level.Highest, ranks[n-1].Rank)
	}
	fmt.Fprintln(w)
}
