package katago

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/katago/config"
	"kosumi/search"
	"kosumi/sgf"
)

// AvoidGames returns the moves of recorded games that a config charges for; nil if it
// names none. say hears of each file. A file that cannot be read is passed over, a
// path that is not there is an error.
func AvoidGames(sets []config.AvoidGames, say func(line string)) (*search.Patterns, error) {
	if len(sets) == 0 {
		return nil, nil
	}
	patterns := search.NewPatterns()
	for i := range sets {
		set := &sets[i]
		files, err := newestFirst(set.Paths, "sgf files", ".sgf", ".SGF")
		if err != nil {
			return nil, err
		}
		utility := set.Utility
		for _, name := range files[:min(len(files), set.MaxGames)] {
			n, err := learnRecord(patterns, name, set, utility)
			if err != nil {
				say(fmt.Sprintf("Invalid SGF %s: %s", name, strings.TrimPrefix(err.Error(), name+": ")))
				if n == 0 {
					continue
				}
			}
			say(fmt.Sprintf("Added %d shapes to penalize repeats for bot 0 from %s", n, name))
			utility *= set.Lambda
		}
	}
	return patterns, nil
}

// learnRecord adds the moves of a file, variations included, and returns how many
// patterns they make.
func learnRecord(to *search.Patterns, name string, set *config.AvoidGames, utility float64) (int, error) {
	trees, err := sgf.ReadFile(name)
	if err != nil {
		return 0, err
	}
	counts := map[board.Color]bool{}
	for color, key := range map[board.Color]string{board.Black: "PB", board.White: "PW"} {
		counts[color] = len(set.Names) == 0 || slices.Contains(set.Names, trees[0].SimpleText(key))
	}
	rules := board.TrompTaylor()
	rules.Ko, rules.Suicide = board.KoSituational, true
	game := to.Game()
	err = sgf.Walk(trees[0], rules, func(g *board.Game, m board.Move, comment string) {
		turn := g.NumMoves() - g.Forgotten() + 1
		if m.Color != g.ToMove() {
			turn = 1
		}
		if counts[m.Color] && turn >= set.FromTurn && !strings.Contains(comment, "%SKIP%") {
			game.Add(g.Board(), m, utility)
		}
	})
	return game.Len(), err
}

// newestFirst lists files with one of some endings: those named, and those in the
// folders named and below, the newest first.
func newestFirst(paths []string, what string, endings ...string) ([]string, error) {
	type file struct {
		name string
		time time.Time
	}
	var files []file
	for _, path := range paths {
		err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if !slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(name, end) }) {
				if name == path {
					return fmt.Errorf("Error collecting %s: File does not end in %s: %s", what, strings.Join(endings, " or "), name) //nolint:staticcheck // KataGo's text
				}
				return nil
			}
			info, err := os.Stat(name) // of what a link leads to
			if err == nil && info.Mode().IsRegular() {
				files = append(files, file{name, info.ModTime()})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(files, func(a, b file) int { return cmp.Or(b.time.Compare(a.time), strings.Compare(a.name, b.name)) })
	names := make([]string, len(files))
	for i := range files {
		names[i] = files[i].name
	}
	return names, nil
}
