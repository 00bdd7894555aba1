package life

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/life/check"
	"kosumi/life/solver"
)

// question returns the question that a shape draws, with Black as the attacker.
func (s *shape) question() *Question {
	q := &Question{Size: board.Size{W: s.w, H: s.h}, All: s.all, Suicide: s.suicide}
	if s.ban > 0 {
		q.Ko, q.KoSide = board.Point(s.ban-1), board.Color(s.banned)
	}
	for p, c := range s.cells {
		color := map[byte]board.Color{'X': board.Black, 'a': board.Black, 'O': board.White, 'T': board.White, 'd': board.White}[c]
		q.Stones = append(q.Stones, color)
		switch c {
		case 'T':
			q.Targets = append(q.Targets, board.Point(p))
		case 'X', 'O':
			q.Assumed = append(q.Assumed, board.Point(p))
		}
	}
	return q
}

func (s *shape) String() (out string) {
	for y := range s.h {
		out += string(s.cells[y*s.w:(y+1)*s.w]) + "\n"
	}
	return out
}

// tally counts the results of a comparison with the oracle.
type tally struct {
	shapes, asked, proved, missing, evaded int
	nodes                                  int64
}

// compare searches all contests of a shape, with either side first and with threats of either side,
// compares the proofs with the oracle, and lets the checker verify them.
func (c *tally) compare(t *testing.T, s *shape, o *oracle, effort int64) {
	l, err := s.question().encode()
	require.NoError(t, err, s)
	find := solver.NewSearch(l.Game)
	var claims []claim
	for bits := range 40 {
		first, kind, payer, threats := solver.Side(bits&1), solver.Contest(bits>>1&1), bits>>2&1, bits>>3
		if threats == 0 && payer == 1 {
			continue
		}
		root := l.start
		root.Mover, root.Threat[payer] = first, [...]uint8{0, 1, 2, 3, solver.Endless}[threats]
		if threats == 4 {
			threats = endless
		}
		holds := func(q solver.Goal) bool {
			return o.payer(int8(1+payer)).reached([...]wish{toCapture, toSettle, toHold, toDeny}[q], threats, threats, nil)[first]
		}
		find.MaxNodes = find.Nodes + effort
		at, _ := find.Decide(kind, &root)
		c.asked++
		switch {
		case at >= 0:
			q := find.Proof(at).Goal
			require.True(t, holds(q), "a false proof: %v, %v first, threats %v\n%v", q, first, root.Threat, s)
			claims = append(claims, claim{first: first, goal: q, threat: root.Threat, proof: at})
			c.proved++
		case holds(kind.Goal(solver.Attacker)) || holds(kind.Goal(solver.Defender)):
			c.missing++
		}
		for _, q := range []solver.Goal{kind.Goal(solver.Attacker), kind.Goal(solver.Defender)} {
			if q == solver.Deny {
				continue
			}
			at, reached := find.Evade(q, &root, int(effort/20))
			require.False(t, at >= 0 && holds(q) || reached && !holds(q), "a false evasion: %v, %v first, threats %v\n%v", q, first, root.Threat, s)
			if at >= 0 {
				claims = append(claims, claim{first: first, goal: q, threat: root.Threat, proof: at, evaded: true})
				c.evaded++
			}
		}
	}
	c.nodes += find.Nodes
	if len(claims) > 0 {
		data := l.proofFile(s.question(), find, claims)
		_, err = check.Proof(data)
		require.NoError(t, err, "%v\n%s", s, data)
	}
}

// shapesToAsk returns the number of random shapes: KOSUMI_LIFE_SHAPES, or the argument few if that is not set.
func shapesToAsk(few int) int {
	if n, err := strconv.Atoi(os.Getenv("KOSUMI_LIFE_SHAPES")); err == nil {
		return n
	}
	return few
}

// TestAgainstOracle compares proofs of random closed shapes with the oracle. KOSUMI_LIFE_SHAPES sets the number of
// shapes.
func TestAgainstOracle(t *testing.T) {
	n, effort, states := shapesToAsk(60), int64(20000), 20000
	if n > 1000 {
		effort, states = 1500, 6000 // a long run looks for false proofs rather than missing ones
	}
	rng := rand.New(rand.NewPCG(56, 1))
	var c tally
	for c.shapes < n {
		s, o := nextShape(rng, states)
		c.shapes++
		c.compare(t, s, o, effort)
		if c.shapes%1000 == 0 {
			t.Logf("%+v", c)
		}
	}
	t.Logf("%+v", c)
	if n <= 1000 {
		require.LessOrEqual(t, c.missing, c.asked/10000)
	}
}
