package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/features"
)

// madeUp returns a random output such as a network might give.
func madeUp(rng *rand.Rand, area int, ownership bool) *Output {
	o := &Output{HasScore: rng.IntN(2) == 0, HasOwnership: ownership, Symmetry: int8(rng.IntN(8))}
	for _, x := range o.numbers() {
		*x = rng.Float32()*2 - 1
	}
	for i := range area + 1 {
		o.Policy[i] = float32(math.Exp(-60 * rng.Float64() * rng.Float64()))
		if rng.IntN(5) == 0 {
			o.Policy[i] = -1
		}
	}
	if ownership {
		for i := range area {
			o.Ownership[i] = rng.Float32()*2 - 1
		}
	}
	return o
}

func randomKey(rng *rand.Rand) cacheKey { return cacheKey{rng.Uint64(), rng.Uint64()} }

func TestCacheReturnsWhatWasStored(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, exact := range []bool{false, true} {
		c := newCache(1<<24, exact)
		for _, area := range []int{4, 9, 81, 361, 625, 6} {
			for _, ownership := range []bool{false, true} {
				want, k := madeUp(rng, area, ownership), randomKey(rng)
				var got Output
				hit, _ := c.get(k, false, &got)
				require.False(t, hit)
				c.put(k, area, want)
				hit, partial := c.get(k, true, &got)
				require.True(t, hit)
				require.Equal(t, !ownership, partial)
				require.True(t, got.FromCache)
				got.FromCache = false
				if exact {
					require.Equal(t, *want, got)
					continue
				}
				for i := range area + 1 {
					p := want.Policy[i]
					require.InDelta(t, p, got.Policy[i], max(1.0/(1<<30), math.Abs(float64(p))/(1<<12)))
					require.Equal(t, p == -1, got.Policy[i] == -1)
					require.Equal(t, p > 0, got.Policy[i] > 0, "the tail is kept")
				}
				require.InDeltaSlice(t, want.Ownership[:area], got.Ownership[:area], 1.0/(1<<16))
				want.Policy, want.Ownership = got.Policy, got.Ownership
				require.Equal(t, *want, got, "all else is exact")

				hit, partial = c.get(k, false, &got)
				require.True(t, hit && !partial && !got.HasOwnership)
			}
		}
		c.clear()
		hit, _ := c.get(randomKey(rng), false, new(Output))
		require.False(t, hit)
	}
}

func TestProbabilityCodes(t *testing.T) {
	for _, p := range []float32{-1, 0, 1, 0.5, 0.75, 1.0 / 3} {
		got := unpackProbability(packProbability(p))
		require.InDelta(t, p, got, 1.0/(1<<13), p)
	}
	require.EqualValues(t, 1, unpackProbability(packProbability(1)))
	require.EqualValues(t, 1, unpackProbability(packProbability(1.5)))
	require.Greater(t, unpackProbability(packProbability(1e-30)), float32(0))
	last := float32(0)
	for code := range codeOne + 1 {
		p := unpackProbability(uint16(code))
		require.True(t, code == 0 || p > last, "codes grow with their value")
		require.EqualValues(t, code, packProbability(p))
		last = p
	}
	for _, x := range []float32{-1, -0.5, 0, 0.25, 1} {
		require.InDelta(t, x, unpackSigned(packSigned(x)), 1.0/(1<<16))
	}
}

// TestCacheTellsSimilarKeysApart: keys with the same shard, slots and tag are told apart.
func TestCacheTellsSimilarKeysApart(t *testing.T) {
	c := newCache(1<<21, true)
	rng := rand.New(rand.NewPCG(7, 2))
	base := randomKey(rng)
	keys := []cacheKey{base, {base.hi, base.lo ^ 1<<63}, {base.hi ^ 1<<40, base.lo}, {base.hi ^ 1<<63, base.lo}}
	for i, k := range keys {
		require.Equal(t, c.shard(base), c.shard(k))
		require.Equal(t, i < 3, base.tag() == k.tag())
		c.put(k, 81, &Output{Win: float32(i), Policy: [board.MaxMoves]float32{float32(i)}})
	}
	for i, k := range keys {
		var got Output
		hit, _ := c.get(k, false, &got)
		require.True(t, hit)
		require.Equal(t, float32(i), got.Win)
		require.Equal(t, float32(i), got.Policy[0])
	}
}

// TestCacheForgetsTheOldest: a full cache stays within its limit, keeps recent entries, and never
// mixes entries up.
func TestCacheForgetsTheOldest(t *testing.T) {
	const bytes, area = 1 << 21, 81
	c := newCache(bytes, false)
	rng := rand.New(rand.NewPCG(4, 2))
	var keys []cacheKey
	var outs []*Output
	used := 0
	for i := range 20000 {
		k, o := randomKey(rng), madeUp(rng, area, i%2 == 0)
		c.put(k, area, o)
		keys, outs = append(keys, k), append(outs, o)
	}
	for i := range c.shards {
		used += 4*len(c.shards[i].ring) + 8*len(c.shards[i].index)
	}
	require.LessOrEqual(t, used, bytes)
	hits, recent := 0, 0
	for i, k := range keys {
		var got Output
		if hit, _ := c.get(k, false, &got); hit {
			hits++
			if i >= len(keys)-2000 {
				recent++
			}
			require.Equal(t, outs[i].Win, got.Win)
			require.InDelta(t, outs[i].Policy[area], got.Policy[area], 1e-3)
		}
	}
	require.Greater(t, recent, 1900)
	require.Less(t, hits, 20000)
	require.Greater(t, hits, 4000, "2 MiB hold more than 4,000 of at most 400 bytes")
}

func TestReplacedEntryIsFoundOnce(t *testing.T) {
	c := newCache(1<<20, true)
	rng := rand.New(rand.NewPCG(4, 3))
	k := randomKey(rng)
	for range 100 {
		o := madeUp(rng, 9, false)
		c.put(k, 9, o)
		var got Output
		hit, _ := c.get(k, false, &got)
		require.True(t, hit)
		require.Equal(t, o.Win, got.Win)
	}
	require.Nil(t, newCache(1000, false), "too small to be of use")
}

// TestKeys: everything that changes an evaluation changes the key; equal evaluations have equal
// keys.
func TestKeys(t *testing.T) {
	s := new(Server)
	game := func(r board.Rules, moves ...board.Point) *board.Game {
		g := testshared.Game(t, board.Square(9), r)
		for _, p := range moves {
			require.NoError(t, g.Play(g.ToMove(), p))
		}
		return g
	}
	profile, _, err := features.ParseProfile("rank_3k")
	require.NoError(t, err)
	other, _, err := features.ParseProfile("rank_2k")
	require.NoError(t, err)
	base := func() Query { return Query{Game: game(board.TrompTaylor(), 10, 20, 30, 40)} }
	want := base()
	key := s.key(&want, want.Meta)

	same := map[string]func(q *Query){
		"orientation": func(q *Query) { q.Symmetry = 3 },
		"ownership":   func(q *Query) { q.NeedOwnership = true },
		"order":       func(q *Query) { q.Game = game(board.TrompTaylor(), 30, 20, 10, 40) },
		"draw 0.5":    func(q *Query) { q.Options.DrawWinsForWhite = 0.5 },
		// has no effect unless a pass ends the game
		"conservative": func(q *Query) { q.Options.ConservativePassRoot = true },
	}
	for name, change := range same {
		q := base()
		change(&q)
		require.Equal(t, key, s.key(&q, q.Meta), name)
	}
	komi := board.TrompTaylor()
	komi.Komi = 6.5
	differ := map[string]func(q *Query){
		"komi":          func(q *Query) { q.Game = game(komi, 10, 20, 30, 40) },
		"rules":         func(q *Query) { q.Game = game(board.Chinese(), 10, 20, 30, 40) },
		"stones":        func(q *Query) { q.Game = game(board.TrompTaylor(), 10, 20, 31, 40) },
		"side":          func(q *Query) { q.Game.SetToMove(board.White) },
		"passes":        func(q *Query) { q.Game = game(board.TrompTaylor(), 10, 20, 30, 40, board.Pass) },
		"draws":         func(q *Query) { q.Options.DrawWinsForWhite = 0.7 },
		"no draws":      func(q *Query) { q.Options.DrawWinsForWhite = -1 },
		"hacks":         func(q *Query) { q.Options.PassingHacks = true },
		"hidden":        func(q *Query) { q.Options.HistoryHidden = true },
		"advantage":     func(q *Query) { q.Options.PlayoutDoublingAdvantage = 1 },
		"optimism":      func(q *Query) { q.Optimism = 0.2 },
		"temperature":   func(q *Query) { q.PolicyTemperature = 1.2 },
		"profile":       func(q *Query) { q.Meta = &profile },
		"other profile": func(q *Query) { q.Meta = &other },
	}
	for _, m := range []features.Mode{features.On, features.Off} {
		q := base() // the modes have no effect under rules with suicide and area scoring, such as these
		q.Options.Areas = features.Areas{PassAliveUnderSuicide: m, ExcludeTerritoryAdjacentToAtari: m}
		require.Equal(t, key, s.key(&q, q.Meta))
	}
	territory := board.Rules{Scoring: board.ScoringTerritory, Komi: 7.5}
	modes := map[cacheKey]bool{}
	for i := range 9 {
		q := base()
		q.Game = game(territory, 10, 20, 30, 40)
		q.Options.Areas = features.Areas{PassAliveUnderSuicide: features.Mode(i % 3), ExcludeTerritoryAdjacentToAtari: features.Mode(i / 3)}
		modes[s.key(&q, q.Meta)] = true
	}
	require.Len(t, modes, 9)
	seen := map[cacheKey]string{key: "base"}
	for name, change := range differ {
		q := base()
		change(&q)
		k := s.key(&q, q.Meta)
		require.NotContains(t, seen, k, name)
		seen[k] = name
	}

	q := Query{Game: game(board.TrompTaylor(), 10, 20, 30, board.Pass)}
	plain := s.key(&q, q.Meta)
	q.Options.ConservativePassRoot = true
	require.NotEqual(t, plain, s.key(&q, q.Meta), "a pass would end the game")
}

// TestReproducibleKey: a reproducible server's key depends only on the network's inputs, not on
// how the position arose.
func TestReproducibleKey(t *testing.T) {
	s := &Server{conf: ServerConfig{Reproducible: true}}
	game := func(vertices string) *board.Game {
		g := testshared.Game(t, board.Square(5), board.TrompTaylor())
		testshared.Play(t, g, vertices)
		return g
	}
	key := func(g *board.Game, symmetry int8) cacheKey {
		q := Query{Game: g, Symmetry: symmetry}
		return s.key(&q, nil)
	}
	plain := "A1 B5 C3 D5 E1"
	require.Equal(t, key(game(plain), 0), key(game(plain), 0))
	copied := new(board.Game)
	copied.CopyFrom(game(plain))
	require.Equal(t, key(game(plain), 0), key(copied, 0))
	require.NotEqual(t, key(game(plain), 0), key(game(plain), 3), "another orientation")
	require.Equal(t, game(plain).Hash(), game("C3 B5 A1 D5 E1").Hash())
	require.NotEqual(t, key(game(plain), 0), key(game("C3 B5 A1 D5 E1"), 0), "another order")

	// The games differ only in a past board: Black's B1 captured a white stone at A1, or there
	// was none.
	tail := " C5 E5 C4 E4 B1 E3 C3 E2"
	taken, none := game("A2 A1"+tail), game("A2 pass"+tail)
	require.Equal(t, taken.Hash(), none.Hash())
	require.NotEqual(t, key(taken, 0), key(none, 0), "another past board")
}
