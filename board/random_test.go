package board_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
)

var positions = flag.Int("board.positions", 300, "random positions for each rule set that are compared with the slow board")

// ruleSets are the named rules and combinations without a name.
func ruleSets(t testing.TB) map[string]board.Rules {
	sets := map[string]board.Rules{
		"territory-none-psk":  {Ko: board.KoPositional, Scoring: board.ScoringTerritory, Komi: 6.5},
		"area-seki-tax":       {Ko: board.KoPositional, Tax: board.TaxSeki, Suicide: true, Komi: 7},
		"spight-area":         {Ko: board.KoSpight, Komi: 0.5},
		"spight-suicide-tax":  {Ko: board.KoSpight, Tax: board.TaxAll, Suicide: true, Komi: 7.5},
		"territory-suicide":   {Ko: board.KoSituational, Scoring: board.ScoringTerritory, Tax: board.TaxAll, Suicide: true},
		"simple-suicide-area": {Suicide: true, Button: true, Komi: 7},
	}
	for _, name := range []string{
		"tromp-taylor", "chinese", "chinese-ogs", "japanese", "aga", "aga-button", "new-zealand", "stone-scoring", "ancient-territory",
	} {
		r, err := board.ParseRules(name)
		require.NoError(t, err)
		sets[name] = r
	}
	return sets
}

// hashes maps positions to their hashes.
type hashes struct {
	ofPosition map[string]board.Hash
	ofHash     map[board.Hash]string
}

// check requires that positions are equal exactly if their hashes are.
func (h *hashes) check(t *testing.T, position string, hash board.Hash) {
	if old, ok := h.ofPosition[position]; ok {
		require.Equal(t, old, hash)
		return
	}
	other, ok := h.ofHash[hash]
	require.False(t, ok, "positions with one hash:\n%s\n%s", position, other)
	h.ofPosition[position], h.ofHash[hash] = hash, position
}

// TestRandomGames plays random games on the board and on the slow reference and compares both
// after every move.
//
//	go test ./board -run TestRandomGames -board.positions 100000 -timeout 10h
func TestRandomGames(t *testing.T) {
	for name, rules := range ruleSets(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := fnv.New64()
			h.Write([]byte(name))
			rng := rand.New(rand.NewPCG(1, h.Sum64()))
			limit := *positions
			if testing.Short() || testshared.Race {
				limit /= 5
			}
			for n := 0; n < limit; {
				n += randomGame(t, rng, rules, limit-n)
			}
		})
	}
}

// someSize returns a board size, mostly a small one.
func someSize(rng *rand.Rand) board.Size {
	switch n := rng.IntN(100); {
	case n < 80:
		return board.Size{W: 2 + rng.IntN(5), H: 2 + rng.IntN(5)}
	case n < 98:
		return board.Size{W: 5 + rng.IntN(5), H: 5 + rng.IntN(5)}
	case n < 99:
		return board.Size{W: 2 + rng.IntN(18), H: 19}
	}
	return board.Size{W: board.MaxSize, H: 2 + rng.IntN(board.MaxSize-1)}
}

// someMove returns a move for the side to move: at times a pass, at times an
// illegal one.
func someMove(rng *rand.Rand, g *board.Game) board.Point {
	if rng.IntN(25) == 0 {
		return board.Pass
	}
	legal := g.LegalMoves(nil)
	p := board.Pass
	for range 8 {
		p = board.Point(rng.IntN(g.Size().Area()))
		if legal[p] && !ownEye(g.Board(), g.ToMove(), p) {
			break
		}
	}
	return p
}

// randomGame plays one game of at most limit positions and returns their number.
func randomGame(t *testing.T, rng *rand.Rand, rules board.Rules, limit int) int {
	s := someSize(rng)
	prevent := rng.IntN(2) == 0
	g := testshared.Game(t, s, rules)
	g.SetOptions(board.GameOptions{PreventEncore: prevent})
	ref := newRefGame(s, rules, prevent)
	seen := [2]*hashes{}
	for i := range seen {
		seen[i] = &hashes{map[string]board.Hash{}, map[board.Hash]string{}}
	}
	spare := new(board.Game)
	n, moves := 0, 10+rng.IntN(6*s.Area())
	for ; n < min(limit, moves); n++ {
		compareGames(t, g, ref, seen)
		p, c := someMove(rng, g), g.ToMove()
		want := ref.legal(p)
		switch err := g.Play(c, p); {
		case want != nil:
			require.ErrorIs(t, err, want)
			compareGames(t, g, ref, seen)
			if want != board.ErrOccupied && rng.IntN(3) == 0 {
				require.NoError(t, g.PlayTolerant(c, p))
				ref.play(c, p)
			}
		default:
			require.NoError(t, err)
			ref.play(c, p)
		}
		if rng.IntN(20) == 0 {
			spare.CopyFrom(g)
			g, spare = spare, g
		}
	}
	return n
}

// compareGames requires that a game and its reference agree on everything.
func compareGames(t *testing.T, g *board.Game, ref *refGame, seen [2]*hashes) {
	b, s := g.Board(), g.Size()
	require.Equal(t, ref.toMove, g.ToMove())
	legal := g.LegalMoves(nil)
	require.Len(t, legal, s.Area()+1)
	require.True(t, legal[s.Area()])
	require.Equal(t, ref.b.colors, refOf(b).colors)
	name := ref.b.names()
	bans := ""
	for p := range board.Point(s.Area()) {
		banned, want := ref.judge(p)
		bans += fmt.Sprint(ref.blocked[p], banned)
		if err := g.Legal(g.ToMove(), p); err != want || legal[p] != (want == nil) || g.SuperkoBanned(p) != banned {
			require.Fail(t, "legality", "%s: want %v, got %v, %v, banned %v\n%v", s.Vertex(p), want, err, legal[p], g.SuperkoBanned(p), b)
		}
		if ref.blocked[p] != g.KoRecapBlocked(p) {
			require.Fail(t, "blocked stone", s.Vertex(p))
		}
		if name[p] != p {
			continue
		}
		chain := ref.b.chain(p)
		for _, q := range chain {
			if b.Liberties(q) != len(ref.b.around(chain, refEmpty)) || b.ChainSize(q) != len(chain) {
				require.Fail(t, "chain", "%s: %d liberties, %d stones\n%v", s.Vertex(q), b.Liberties(q), b.ChainSize(q), b)
			}
		}
	}
	require.Equal(t, ref.ko, b.KoPoint())
	for c := board.Black; c <= board.White; c++ {
		require.Equal(t, ref.prisoner[c], b.Captured(c))
		require.Equal(t, strings.Count(ref.b.colors, string(sign(c))), b.Stones(c))
	}
	require.Equal(t, []any{ref.finished, ref.noResult, ref.pastPhaseEnd, ref.button}, []any{g.Finished(), g.NoResult(), g.Ended() && !g.Finished(), g.HasButton()})
	require.Equal(t, []int{ref.phase, ref.passes, ref.turns}, []int{g.Phase(), g.ConsecutivePasses(), g.ValidTurns()})
	ends := ref.passWouldEndPhase()
	require.Equal(t, ends, g.PassWouldEndPhase())
	require.Equal(t, ends && (ref.rules.Scoring == board.ScoringArea || ref.phase == 2), g.PassWouldEndGame())
	require.Equal(t, ref.bonus, g.BonusScore())
	seen[0].check(t, ref.b.colors, g.Board().Hash())
	seen[1].check(t, ref.text()+bans, g.Hash())
	compareAreas(t, g, ref)
}

func colors(signs []byte) []board.Color {
	list := make([]board.Color, len(signs))
	for p, c := range signs {
		switch c {
		case 'X':
			list[p] = board.Black
		case 'O':
			list[p] = board.White
		}
	}
	return list
}

func compareAreas(t *testing.T, g *board.Game, ref *refGame) {
	b := g.Board()
	for _, suicide := range []bool{false, true} {
		require.Equal(t, colors(ref.b.mark(suicide, false, false)), b.PassAlive(nil, suicide), "%v", b)
		require.Equal(t, colors(ref.b.mark(suicide, true, false)), b.PassAliveBig(nil, suicide), "%v", b)
	}
	for i := range 4 {
		m := board.AreaModes{PassAliveUnderSuicide: i&1 != 0, ExcludeTerritoryAdjacentToAtari: i&2 != 0}
		marks, n := ref.owners(m)
		was := g.Options()
		now := was
		now.AreaModes = m
		g.ContinueWith(now)
		require.Equal(t, colors(marks), g.Owners(nil), "%v", b)
		require.Equal(t, ref.scoreOf(n), g.Score())
		g.ContinueWith(was)
	}
	require.Equal(t, colors(ref.b.area()), b.Area(nil), "%v", b)
}

func clone(g *board.Game) *board.Game {
	x := new(board.Game)
	x.CopyFrom(g)
	return x
}

// someMoveLegal returns a legal move, at times a pass.
func someMoveLegal(rng *rand.Rand, g *board.Game) board.Point {
	if p := someMove(rng, g); g.Legal(g.ToMove(), p) == nil {
		return p
	}
	return board.Pass
}

// toText returns a text that differs for different values.
func toText(t *testing.T, v any) string {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

// text lists everything that a state's hash covers, except blocked and banned points.
func (g *refGame) text() string {
	list := []any{g.b.size, g.b.colors, g.toMove, g.ko, g.phase, min(g.passes, 3), g.button, g.bonus, g.prevent,
		g.finished, g.noResult, g.pastPhaseEnd, g.passWouldEndPhase(), g.second}
	return fmt.Sprint(list...)
}
