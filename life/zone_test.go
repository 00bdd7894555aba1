package life

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// openShape draws random stones on a small board without walls.
func openShape(rng *rand.Rand) *shape {
	for {
		s := &shape{w: 4 + rng.IntN(3), h: 4 + rng.IntN(3), suicide: rng.IntN(3) == 0}
		s.cells = make([]byte, s.w*s.h)
		fill := 3 + rng.IntN(6)
		for p := range s.cells {
			s.cells[p] = '.'
			if rng.IntN(10) < fill {
				s.cells[p] = "aTaTaTaTX"[rng.IntN(9)]
			}
		}
		if s.tidy() {
			return s
		}
		if o := (&oracle{s: s}); o.lay() == nil && len(o.target) == 1 {
			return s
		}
	}
}

// replayer plays proofs in states that equal the proved ones on the zone only.
type replayer struct {
	t     *testing.T
	s     *search
	rng   *rand.Rand
	shape *shape
}

// disturb changes what lies outside of the zone of a proof at random, and returns nil
// where chains without liberties come of it.
func (r *replayer) disturb(n *proved) *position {
	p := n.at
	fill := r.rng.IntN(10)
	outside := r.s.on.minus(n.zone).minus(r.s.fixed)
	for _, m := range outside.points(nil) {
		p.stones[0].remove(m)
		p.stones[1].remove(m)
		if c := r.rng.IntN(10); c < fill {
			p.stones[c&1].add(m)
		}
	}
	for c := range p.stones {
		rest := p.stones[c].minus(r.s.fixed)
		for q := rest.first(); q >= 0; q = rest.first() {
			chain := r.s.chain(&p, side(c), q)
			rest = rest.minus(chain)
			around := r.s.around(&chain)
			empty := r.s.empty(&p)
			if !around.meets(&empty) && !r.s.immortal(&chain) {
				return nil
			}
		}
	}
	if p.ban != noBan && !n.zone.has(p.ban) {
		p.ban = noBan
	}
	if n.free {
		p.threat = [2]uint8{uint8(r.rng.IntN(5)), uint8(r.rng.IntN(5))}
	}
	return &p
}

// replay plays the proof of node i from p, the loser at random anywhere, and requires
// that the winner reaches the goal.
func (r *replayer) replay(i int32, p *position) {
	s := r.s
	for steps := 0; ; steps++ {
		n := &s.proofs[i]
		for c := range p.stones {
			require.Equal(r.t, n.at.stones[c].and(n.zone), p.stones[c].and(n.zone), "node %d\n%v", i, r.shape)
		}
		switch n.kind {
		case leafTaken:
			require.True(r.t, s.taken(p), "not taken\n%v", r.shape)
			return
		case leafSafe:
			require.True(r.t, s.safe(p, nil), "not safe\n%v", r.shape)
			return
		case leafDoomed:
			r.finish(&n.at, p)
			return
		case winnerMoves:
			require.False(r.t, n.move == p.ban && n.move >= 0 && p.threat[p.mover] == 0, "banned\n%v", r.shape)
			e, legal := s.move(p, n.move)
			require.True(r.t, legal && e.suicide.empty(), "not legal\n%v", r.shape)
			i = n.next
			continue
		}
		if s.taken(p) || steps > 400 {
			require.NotEqual(r.t, s.taken(p), n.goal.winner() == defender, "taken\n%v", r.shape)
			return
		}
		m := r.anyMove(p)
		s.move(p, m)
		if m >= 0 && !n.zone.has(m) {
			m = pass
		}
		to := stopped - 1
		for _, a := range n.replies {
			if a.move == m {
				to = a.to
			}
		}
		require.GreaterOrEqual(r.t, to, stopped, "no answer\n%v", r.shape)
		if to == stopped {
			s.move(p, pass)
			continue
		}
		i = to
	}
}

// finish plays on from p, which a proof takes for doomed because of what at has: the
// defender at random, the attacker joins chains to walls and then fills.
func (r *replayer) finish(at, p *position) {
	s := r.s
	var chains, pairs []set
	net, links := s.walls(at), set{}
	empty := s.empty(at)
	for before := -1; before < len(pairs); {
		before = len(pairs)
		for q := range int16(maxPoints) {
			if !at.stones[attacker].has(q) || net.has(q) {
				continue
			}
			chain := s.chain(at, attacker, q)
			libs := s.around(&chain).and(empty).minus(links)
			if pair, ok := s.link(&chain, &net, &libs, libs.and(s.around(&net))); ok {
				net, links = net.or(chain), links.or(pair)
				chains, pairs = append(chains, chain), append(pairs, pair)
			}
		}
	}
	for steps := 0; !s.taken(p); steps++ {
		require.Less(r.t, steps, 4000, "not doomed\n%v", r.shape)
		m := r.anyMove(p)
		if p.mover == attacker {
			m = r.joinOrFill(p, chains, pairs)
		}
		_, legal := s.move(p, m)
		require.True(r.t, legal, "not legal\n%v", r.shape)
	}
}

// joinOrFill returns the attacker's move: one that joins a chain which the defender
// wants to cut off, one that joins any, or a point next to walls.
func (r *replayer) joinOrFill(p *position, chains, pairs []set) int16 {
	s := r.s
	empty, walls := s.empty(p), s.walls(p)
	near := s.around(&walls)
	join := pass
	for i := range pairs {
		if chains[i].meets(&walls) {
			continue
		}
		left := pairs[i].and(empty)
		if left.count() == 1 {
			return left.first()
		}
		if gate := left.and(near); !gate.empty() {
			join = gate.first()
		}
	}
	if join != pass {
		return join
	}
	for _, from := range []set{near.and(empty), empty} {
		moves := from.points(nil)
		r.rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
		for _, m := range moves {
			if e, legal := s.effectOf(p, m); legal && m != p.ban && e.suicide.empty() {
				return m
			}
		}
	}
	return pass
}

// anyMove returns a legal move, or a pass.
func (r *replayer) anyMove(p *position) int16 {
	var moves []int16
	empty := r.s.empty(p)
	for _, m := range empty.points(nil) {
		if m == p.ban && p.threat[p.mover] == 0 {
			continue
		}
		if _, legal := r.s.effectOf(p, m); legal {
			moves = append(moves, m)
		}
	}
	if at := r.rng.IntN(len(moves) + 1); at < len(moves) {
		return moves[at]
	}
	return pass
}

// TestZones keeps the zone of proofs, changes all else, and replays them against
// random moves anywhere. KOSUMI_LIFE_REPLAYS says how often.
func TestZones(t *testing.T) {
	testshared.Slow(t)
	want := 8000
	if text := os.Getenv("KOSUMI_LIFE_REPLAYS"); text != "" {
		want, _ = strconv.Atoi(text)
	}
	rng := rand.New(rand.NewPCG(56, 2))
	replays, boards, swollen := 0, 0, 0
	for replays < want {
		s := openShape(rng)
		if rng.IntN(4) == 0 {
			s = randomShape(rng)
			s.suicide = rng.IntN(3) == 0
		}
		l, err := s.question().lay()
		if err != nil {
			continue
		}
		boards++
		find := newSearch(l.game)
		r := &replayer{t, find, rng, s}
		for bits := range 4 {
			root := l.start
			root.mover = side(bits & 1)
			root.threat = [2]uint8{uint8(rng.IntN(5)), uint8(rng.IntN(5))}
			find.maxNodes = find.nodes + 3000
			first := len(find.proofs)
			find.decide(contest(bits>>1), &root)
			for i := first; i < len(find.proofs); i++ {
				n := &find.proofs[i]
				if n.zone == find.on {
					swollen++
					continue
				}
				if i < len(find.proofs)-20 && rng.IntN(10) > 0 {
					continue
				}
				for range 5 {
					if p := r.disturb(n); p != nil {
						r.replay(int32(i), p)
						replays++
					}
				}
			}
		}
	}
	t.Logf("%d replays on %d boards; %d zones covered all", replays, boards, swollen)
}
