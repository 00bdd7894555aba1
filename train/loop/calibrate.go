package loop

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/sgf"
)

// calibrationPositions is how many positions int8 networks are made from: three
// quarters to find ranges, the rest to judge by.
const calibrationPositions = 160

// Of each game a few positions are taken, of the newest games until there is a
// choice, and of no more files than these: a size that is rarely played is found
// in some of them, and having the network play games for it takes far longer.
const (
	positionsOfGame  = 8
	calibrationGames = 160
	calibrationFiles = 64
)

// Calibration returns positions of the newest games in a loop's folder on boards of a size, for
// quantizing a network. Nil if there are too few.
func Calibration(dir string, size board.Size) []*board.Game {
	paths, err := filepath.Glob(filepath.Join(dir, "selfplay", "*", "sgfs", "*.sgfs"))
	if err != nil {
		return nil
	}
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(filepath.Base(b), filepath.Base(a)) })
	rng := rand.New(rand.NewPCG(uint64(size.W), uint64(size.H)))
	var list []*board.Game
	for _, path := range paths[:min(calibrationFiles, len(paths))] {
		if len(list) >= calibrationGames*positionsOfGame {
			break
		}
		roots, err := sgf.ReadFile(path)
		if err != nil {
			continue
		}
		for _, root := range roots {
			list = append(list, positionsOf(root, size, rng)...)
		}
	}
	if len(list) < calibrationPositions/2 {
		return nil
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(len(list), calibrationPositions)]
}

// positionsOf takes a few positions of a game.
func positionsOf(root *sgf.Node, size board.Size, rng *rand.Rand) (list []*board.Game) {
	r, err := sgf.RecordOf(root)
	if err != nil || r.Size != size || len(r.Steps) == 0 {
		return nil
	}
	rules, err := r.BoardRules()
	if err != nil {
		return nil
	}
	for range positionsOfGame {
		if g, err := r.Game(rules, rng.IntN(len(r.Steps))); err == nil {
			list = append(list, g)
		}
	}
	return list
}
