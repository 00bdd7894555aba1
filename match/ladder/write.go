package ladder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"kosumi/internal/file"
	"kosumi/level"
)

// Update puts a ladder into a file of ladders, in place of the one of the same
// network, size and method. There may be no such file yet.
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
	all = slices.DeleteFunc(all, func(o level.Ladder) bool { return o.SHA256 == l.SHA256 && o.Size == l.Size && o.Method == l.Method })
	data, err = json.MarshalIndent(append([]level.Ladder{l}, all...), "", " ")
	if err != nil {
		return err
	}
	return file.WriteBytes(name, append(data, '\n'))
}

// Print writes what a ladder has measured, a line a player.
func Print(w io.Writer, l level.Ladder) {
	for _, s := range l.Support {
		fmt.Fprintf(w, "%s:%-4g %+5.0f Elo, give or take %.0f; %.2f points lost a move, %.1f %% lose more than ten, %.2f moves of nonsense in 1,000 (of %d, %d suspected); %d games\n",
			l.Method, s.Dial, s.Elo, s.Error, s.PointsLost, 100*s.Blunders, s.Nonsense, s.Moves, s.Suspects, s.Games)
	}
	for _, a := range l.Anchors {
		fmt.Fprintf(w, "%s %+.0f Elo, give or take %.0f; %d games\n", a.Name, a.Elo, a.Error, a.Games)
	}
}
