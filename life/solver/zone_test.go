package solver

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// replayer replays proofs in states that equal the proved ones only within the zone.
type replayer struct {
	t    *testing.T
	s    *Search
	rng  *rand.Rand
	from *drawn
}

// disturb changes stones outside a proof's zone at random. It returns nil if a chain has no liberty then.
func (r *replayer) disturb(n *Proof) *Position {
	p := n.At
	fill := r.rng.IntN(10)
	for m := range r.s.On.minus(n.Zone).minus(r.s.Fixed).All {
		p.Stones[0].remove(m)
		p.Stones[1].remove(m)
		if c := r.rng.IntN(10); c < fill {
			p.Stones[c&1].Add(m)
		}
	}
	if !r.s.stands(&p) {
		return nil
	}
	if p.Ban != NoBan && !n.Zone.Has(p.Ban) {
		p.Ban = NoBan
	}
	if n.Free {
		p.Threat = threats(r.rng)
	}
	return &p
}

// replay plays proof i from p against random moves of the loser, and requires that the winner reaches the goal.
func (r *replayer) replay(i int32, p *Position) {
	s := r.s
	for steps := 0; ; steps++ {
		n := s.Proof(i)
		for c := range p.Stones {
			require.Equal(r.t, n.At.Stones[c].And(n.Zone), p.Stones[c].And(n.Zone), "node %d\n%v", i, r.from)
		}
		switch n.Kind {
		case LeafTaken:
			require.True(r.t, s.taken(p), "not taken\n%v", r.from)
			return
		case LeafSafe:
			require.True(r.t, s.safe(p, nil), "not safe\n%v", r.from)
			return
		case LeafDoomed:
			r.finish(&n.At, p)
			return
		case WinnerMoves:
			require.False(r.t, n.Move == p.Ban && n.Move >= 0 && p.Threat[p.Mover] == 0, "banned\n%v", r.from)
			suicide, legal := s.Move(p, n.Move)
			require.True(r.t, legal && !suicide, "not legal\n%v", r.from)
			i = n.Next
			continue
		}
		if s.taken(p) || steps > 400 {
			require.NotEqual(r.t, s.taken(p), n.Goal.Winner() == Defender, "taken\n%v", r.from)
			return
		}
		m := r.anyMove(p)
		s.Move(p, m)
		if m >= 0 && !n.Zone.Has(m) {
			m = Pass
		}
		to := Stopped - 1
		for _, a := range n.Replies {
			if a.Move == m {
				to = a.To
			}
		}
		require.GreaterOrEqual(r.t, to, Stopped, "no answer\n%v", r.from)
		if to == Stopped {
			s.Move(p, Pass)
			continue
		}
		i = to
	}
}

// finish plays on from p until the target is captured; at is the proved state in which the target is doomed. The
// defender plays at random. The attacker joins the net's chains to the walls, then fills the other points.
func (r *replayer) finish(at, p *Position) {
	s := r.s
	var chains, pairs []Set
	net, links := s.walls(at), Set{}
	empty := s.Empty(at)
	for before := -1; before < len(pairs); {
		before = len(pairs)
		for q := range int16(maxPoints) {
			if !at.Stones[Attacker].Has(q) || net.Has(q) {
				continue
			}
			chain := s.Chain(at, Attacker, q)
			libs := s.Around(&chain).And(empty).minus(links)
			if pair, ok := s.link(&chain, &net, &libs, libs.And(s.Around(&net))); ok {
				net, links = net.Or(chain), links.Or(pair)
				chains, pairs = append(chains, chain), append(pairs, pair)
			}
		}
	}
	for steps := 0; !s.taken(p); steps++ {
		require.Less(r.t, steps, 4000, "not doomed\n%v", r.from)
		m := r.anyMove(p)
		if p.Mover == Attacker {
			m = r.joinOrFill(p, chains, pairs)
		}
		_, legal := s.Move(p, m)
		require.True(r.t, legal, "not legal\n%v", r.from)
	}
}

// joinOrFill returns the attacker's move: the link that a chain has left after the defender played on the other one,
// else a link next to a wall, else an empty point, if possible next to a wall.
func (r *replayer) joinOrFill(p *Position, chains, pairs []Set) int16 {
	s := r.s
	empty, walls := s.Empty(p), s.walls(p)
	near := s.Around(&walls)
	join := Pass
	for i := range pairs {
		if chains[i].Meets(&walls) {
			continue
		}
		left := pairs[i].And(empty)
		if left.Count() == 1 {
			return left.first()
		}
		if gate := left.And(near); !gate.empty() {
			join = gate.first()
		}
	}
	if join != Pass {
		return join
	}
	for _, from := range []Set{near.And(empty), empty} {
		moves := from.Points()
		r.rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
		for _, m := range moves {
			if e, legal := s.effectOf(p, m); legal && m != p.Ban && e.suicide.empty() {
				return m
			}
		}
	}
	return Pass
}

// anyMove returns a legal move, or a pass.
func (r *replayer) anyMove(p *Position) int16 {
	var moves []int16
	for m := range r.s.Empty(p).All {
		if m == p.Ban && p.Threat[p.Mover] == 0 {
			continue
		}
		if _, legal := r.s.effectOf(p, m); legal {
			moves = append(moves, m)
		}
	}
	if at := r.rng.IntN(len(moves) + 1); at < len(moves) {
		return moves[at]
	}
	return Pass
}

// TestZones keeps a proof's zone, changes everything else, and replays the proof against random
// moves. KOSUMI_LIFE_REPLAYS sets the number of replays.
func TestZones(t *testing.T) {
	testshared.Slow(t)
	want := 8000
	if text := os.Getenv("KOSUMI_LIFE_REPLAYS"); text != "" {
		want, _ = strconv.Atoi(text)
	}
	rng := rand.New(rand.NewPCG(56, 2))
	replays, boards, swollen := 0, 0, 0
	for replays < want {
		from := randomFight(rng)
		g, start := from.lay()
		boards++
		find := NewSearch(g)
		find.Reuse = boards%2 == 0
		r := &replayer{t, find, rng, from}
		for bits := range 4 {
			root := *start
			root.Mover = Side(bits & 1)
			root.Threat = threats(rng)
			find.MaxNodes = find.Nodes + 3000
			first := find.Proved()
			find.Decide(Contest(bits>>1), &root)
			for i := first; i < find.Proved(); i++ {
				n := find.Proof(i)
				if n.Zone == find.On {
					swollen++
					continue
				}
				if i < find.Proved()-20 && rng.IntN(50) > 0 {
					continue
				}
				for range 5 {
					if p := r.disturb(&n); p != nil {
						r.replay(int32(i), p)
						replays++
					}
				}
			}
		}
	}
	t.Logf("%d replays on %d boards; %d zones covered all", replays, boards, swollen)
}

// threats draws numbers of threats for both sides, sometimes endless ones.
func threats(rng *rand.Rand) (out [2]uint8) {
	for c := range out {
		out[c] = [...]uint8{0, 1, 2, 3, Endless}[rng.IntN(5)]
	}
	return out
}
