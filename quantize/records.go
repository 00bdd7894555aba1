package quantize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/sgf"
	"kosumi/train/rows"
)

// CalibrateOn takes o.Positions positions to calibrate on from an SGF file, an npz file
// of training rows, or a folder of either, and keeps a quarter of the games for the
// report where o.Verify names no positions.
func (o *Options) CalibrateOn(ctx context.Context, m *model.Model, size board.Size, path string) error {
	kind, err := sourceKind(path)
	if err != nil {
		return err
	}
	if kind == ".npz" {
		o.Rows, err = readRows(ctx, m, path, size, o.Positions, o.Seed)
		return err
	}
	games, err := readGames(path, size)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x73676673))
	rng.Shuffle(len(games), func(i, j int) { games[i], games[j] = games[j], games[i] })
	if n := len(games) / 4; o.Verify == nil && n > 0 {
		if o.Verify, err = drawPositions(games[:n], o.Held, rng); err != nil {
			return err
		}
		games = games[n:]
	}
	o.Calibrate, err = drawPositions(games, o.Positions, rng)
	return err
}

// VerifyOn takes o.Held positions for the report from an SGF file or a folder of
// them.
func (o *Options) VerifyOn(size board.Size, path string) error {
	games, err := readGames(path, size)
	if err != nil {
		return err
	}
	o.Verify, err = drawPositions(games, o.Held, rand.New(rand.NewPCG(o.Seed, 0x76657269)))
	return err
}

// sourceKind tells game records (".sgf") from training rows (".npz").
func sourceKind(path string) (string, error) {
	files, err := sourceFiles(path)
	if err != nil {
		return "", err
	}
	return strings.ToLower(filepath.Ext(files[0])), nil
}

// sourceFiles lists the SGF files of a folder and those below it, or else its npz
// files; a file is a list of one.
func sourceFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	found := map[string][]string{}
	note := func(name string) {
		ext := strings.ToLower(filepath.Ext(name))
		found[ext] = append(found[ext], name)
	}
	if !info.IsDir() {
		note(path)
	} else if err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			note(name)
		}
		return err
	}); err != nil {
		return nil, err
	}
	for _, ext := range []string{".sgf", ".npz"} {
		if len(found[ext]) > 0 {
			slices.Sort(found[ext])
			return found[ext], nil
		}
	}
	return nil, fmt.Errorf("%s: no .sgf and no .npz file", path)
}

// readGames reads the games of a board size. Records that cannot be played are
// left out, unless none is left.
func readGames(path string, size board.Size) ([]*board.Game, error) {
	files, err := sourceFiles(path)
	if err != nil {
		return nil, err
	}
	var games []*board.Game
	var fault error
	for _, name := range files {
		if strings.ToLower(filepath.Ext(name)) != ".sgf" {
			return nil, fmt.Errorf("%s: game records (.sgf) are needed", name)
		}
		roots, err := sgf.ReadFile(name)
		if err != nil {
			fault = fmt.Errorf("%s: %w", name, err)
			continue
		}
		for _, root := range roots {
			g, err := readGame(root, size)
			if err != nil {
				fault = fmt.Errorf("%s: %w", name, err)
			} else if g != nil {
				games = append(games, g)
			}
		}
	}
	if len(games) == 0 {
		return nil, errors.Join(fmt.Errorf("%s: no game of two moves or more on %dx%d", path, size.W, size.H), fault)
	}
	return games, nil
}

// readGame plays a record; nil where it is of another size or too short.
func readGame(root *sgf.Node, size board.Size) (*board.Game, error) {
	record, err := sgf.RecordOf(root)
	if err != nil || record.Size != size {
		return nil, err
	}
	rules, _ := record.RulesOr(board.Chinese())
	g, err := record.Game(rules, -1)
	if err != nil || g.NumMoves() < 2 {
		return nil, err
	}
	return g, nil
}

// drawPositions takes count positions out of games, the same number from each as
// far as they go.
func drawPositions(games []*board.Game, count int, rng *rand.Rand) ([]*board.Game, error) {
	type place struct{ game, back int }
	var places []place
	per := (count + len(games) - 1) / len(games)
	for i, g := range games {
		moves := g.NumMoves()
		for _, back := range rng.Perm(moves)[:min(per, moves)] {
			places = append(places, place{i, back + 1})
		}
	}
	rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	var out []*board.Game
	for _, p := range places[:min(count, len(places))] {
		g := new(board.Game)
		g.CopyFrom(games[p.game])
		for range p.back {
			if !g.Undo() {
				return nil, fmt.Errorf("game %d cannot be taken back %d moves", p.game+1, p.back)
			}
		}
		out = append(out, g)
	}
	return out, nil
}

// readRows reads training rows as the network's inputs.
func readRows(ctx context.Context, m *model.Model, path string, size board.Size, count int, seed uint64) ([][]float32, error) {
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	stream, err := rows.OpenFolder(rows.Options{Size: size, Batch: 8, Encoding: spec.Encoding, Seed: seed, Symmetries: true}, path)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	out := make([][]float32, len(spec.Inputs))
	var b rows.Batch
	for n := 0; n < count && ctx.Err() == nil; n += b.N {
		if err := stream.Next(&b); err != nil {
			return nil, err
		}
		if stream.Passes() > 1 && n > 0 { // no rows but those that were seen
			break
		}
		for i := range spec.Inputs {
			switch spec.Inputs[i].Role {
			case nn.RoleSpatial:
				out[i] = append(out[i], b.Spatial...)
			case nn.RoleGlobal:
				out[i] = append(out[i], b.Global...)
			default:
				return nil, fmt.Errorf("training rows have nothing for the network's input %q; use selfplay or game records", spec.Inputs[i].Name)
			}
		}
	}
	return out, ctx.Err()
}
