package features_test

import (
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/features"
)

// position is the input of the encoders in docs/planes.py, with the planes that this package makes of it.
type position struct {
	Width     int         `json:"width"`
	Boards    [][]int     `json:"boards"`
	Moves     []*int      `json:"moves"`
	Black     bool        `json:"black"`
	Legal     []int       `json:"legal"`
	Ko        *int        `json:"ko"`
	Komi      float32     `json:"komi"`
	Territory bool        `json:"territory"`
	Mini7     [][]float32 `json:"mini7"`
	Seed22    [][]float32 `json:"seed22"`
	AGZ17     [][]float32 `json:"agz17"`
	Split     [][]float32 `json:"agz17-split"`
}

// compareInPython reads positions and prints the first plane that differs.
const compareInPython = `
import json, sys
positions = json.load(sys.stdin)
for n, p in enumerate(positions):
    made = {
        "mini7": mini7(p["boards"], p["moves"], p["black"], p["legal"]),
        "seed22": seed22(p["boards"], p["moves"], p["black"], p["width"], p["ko"], p["komi"], p["territory"]),
        "agz17": agz17(p["boards"], p["black"]),
        "agz17-split": agz17(p["boards"], p["black"], split=True),
    }
    for name, planes in made.items():
        assert len(planes) == len(p[name]), name
        for i, want in enumerate(p[name]):
            if len(planes[i]) != len(want) or any(abs(a - b) > 1e-6 for a, b in zip(planes[i], want)):
                sys.exit(f"position {n}, {name}, plane {i}: {planes[i]} instead of {want}")
print(len(positions), "positions are the same")
`

// TestPythonEncoders: the encoders in docs/planes.py make the same planes as this package, in
// random games of all sizes with captures, kos and passes.
func TestPythonEncoders(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		testshared.Absent(t, "no python3 to run the encoders of docs/planes.py with: %v", err)
	}
	rng := rand.New(rand.NewPCG(7, 22))
	var all []position
	kos, captures := 0, 0
	for _, size := range []board.Size{board.Square(2), board.Square(5), {W: 7, H: 4}, board.Square(9), {W: 3, H: 9}} {
		for _, rules := range []board.Rules{board.TrompTaylor(), board.Japanese(), board.Chinese()} {
			rules.Komi = float32(rng.IntN(31)-15) / 2
			some := randomPositions(t, rng, size, rules)
			for _, p := range some {
				if p.Ko != nil {
					kos++
				}
				if n := len(p.Boards); n > 1 && stones(p.Boards[n-1]) < stones(p.Boards[n-2]) {
					captures++
				}
			}
			all = append(all, some...)
		}
	}
	require.Positive(t, kos)
	require.Positive(t, captures)
	input, err := json.Marshal(all)
	require.NoError(t, err)
	cmd := exec.Command(python, "-c", testshared.Read(t, "../../docs/planes.py")+compareInPython)
	cmd.Stdin = strings.NewReader(string(input))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "positions are the same")
}

func stones(b []int) (n int) {
	for _, c := range b {
		if c != 0 {
			n++
		}
	}
	return n
}

// randomPositions plays a game of legal moves and passes and returns positions from it.
func randomPositions(t *testing.T, rng *rand.Rand, size board.Size, rules board.Rules) []position {
	g := testshared.Game(t, size, rules)
	area := size.Area()
	var boards [][]int
	moves := []*int{}
	var all []position
	for turn := 0; turn < 2*area && !g.Finished(); turn++ {
		now := make([]int, area)
		for p := range now {
			now[p] = int(g.Board().At(board.Point(p)))
		}
		boards = append(boards, now)
		p := position{Width: size.W, Boards: boards, Moves: moves, Black: g.ToMove() == board.Black, Legal: []int{},
			Komi: rules.Komi, Territory: rules.Scoring == board.ScoringTerritory}
		for m, ok := range g.LegalMoves(nil)[:area] {
			if ok {
				p.Legal = append(p.Legal, m)
			}
		}
		if ko := int(g.Board().KoPoint()); ko >= 0 {
			p.Ko = &ko
		}
		if turn < 12 || p.Ko != nil || rng.IntN(5) == 0 {
			p.Mini7, p.Seed22 = planesOf(g, features.Mini7), planesOf(g, features.Seed22)
			p.AGZ17, p.Split = planesOf(g, features.AGZ17), planesOf(g, features.AGZ17Split)
			p.Boards = boards[max(0, len(boards)-9):]
			p.Moves = moves[max(0, len(moves)-8):]
			all = append(all, p)
		}
		if len(p.Legal) == 0 || rng.IntN(12) == 0 {
			require.NoError(t, g.Play(g.ToMove(), board.Pass))
			moves = append(moves, nil)
			continue
		}
		m := p.Legal[rng.IntN(len(p.Legal))]
		require.NoError(t, g.Play(g.ToMove(), board.Point(m)))
		moves = append(moves, &m)
	}
	return all
}

func planesOf(g *board.Game, e features.Encoding) [][]float32 {
	spatial, global := buffers(e, g)
	features.Encode(e, spatial, global, g, features.Options{}, features.NewScratch())
	area := g.Size().Area()
	planes := make([][]float32, e.Planes())
	for i := range planes {
		planes[i] = spatial[i*area : (i+1)*area]
	}
	return planes
}
