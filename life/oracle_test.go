package life

import (
	"errors"
	"fmt"
	"strings"

	"kosumi/life/solver"
)

// budgets are the threats of one side that are asked about together.
var budgets = [...]uint8{0, 1, 2, 3, solver.Endless}

// The oracle solves a closed shape by enumerating all its states and iterating the
// fixed points that define the questions. It shares no code with the solver.

// budgets are all pairs of threats (A's, D's), each 0, 1, 2, 3 or endless; bit
// 5·kA+kD of a budgetSet stands for one.
type budgetSet uint32

const (
	allBudgets budgetSet = 1<<25 - 1
	noThreatsD budgetSet = 1 | 1<<5 | 1<<10 | 1<<15 | 1<<20 // kD = 0
	noThreatsA budgetSet = 1<<5 - 1                         // kA = 0
)

func budgetBit(kA, kD int) budgetSet { return 1 << (5*kA + kD) }

// paidByA returns the budgets from which A, paying one threat, reaches one of s.
func paidByA(s budgetSet) budgetSet {
	rest := s &^ (noThreatsA << 20)          // kA 0..3 after paying: 1..3 before, and endless apart
	rest = (rest << 5) &^ (noThreatsA << 20) // kA = 3 is reached from no finite budget
	return rest&allBudgets | s&(noThreatsA<<20)
}

// paidByD is paidByA for D.
func paidByD(s budgetSet) budgetSet {
	rest := s &^ (noThreatsD << 4)
	rest = (rest << 1) &^ (noThreatsD << 4)
	return rest&^noThreatsD | s&(noThreatsD<<4)
}

// A shape is a drawn position: '.' empty, T the target, d other stones of the
// defender's, a the attacker's, X and O stones of A and D that are alive by
// assumption.
type shape struct {
	w, h    int
	cells   []byte
	all     bool // A must take every target chain
	suicide bool
	ban     int  // 1 + the point that banned may not retake at first; 0: none
	banned  int8 // 1 the attacker, 2 the defender
}

func parseShape(diagram string) (*shape, error) {
	s := &shape{}
	for line := range strings.Lines(diagram) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if s.w == 0 {
			s.w = len(line)
		}
		if len(line) != s.w || strings.Trim(line, ".TdaXO") != "" {
			return nil, fmt.Errorf("bad row %q", line)
		}
		s.cells = append(s.cells, line...)
		s.h++
	}
	return s, nil
}

// sides of the oracle: 1 is the attacker, 2 the defender.
type oraclePos struct {
	stones [64]int8
}

type oracleKey struct {
	code   uint64
	ban    int8
	mover  int8
	target uint8 // the target chains not yet taken
}

const (
	openEnd = iota
	taken   // T is captured
	safe    // T is pass-alive or joined to a chain alive by assumption
)

type oracleMove struct {
	at   int8 // -1 passes
	paid bool
	to   int32
}

type oracleNode struct {
	end   int8
	mover int8
	ban   int8
	moves []oracleMove
}

type oracle struct {
	s      *shape
	adj    [][]int
	free   []int // points that are no stones alive by assumption
	place  []uint64
	fixed  []bool // stones alive by assumption
	target []int  // one stone of each target chain
	start  oraclePos
	index  map[oracleKey]int32
	nodes  []oracleNode
	keys   []oracleKey
	limit  int
	// what holds at each node, as sets of budgets
	capture, settle, hold, deny []budgetSet
}

var errTooLarge = errors.New("too many states")

// newOracle enumerates what can be reached with either side to move first.
func newOracle(s *shape, limit int) (*oracle, error) {
	o := &oracle{s: s, index: map[oracleKey]int32{}, limit: limit}
	if err := o.setUp(); err != nil {
		return nil, err
	}
	if len(o.target) == 0 || len(o.target) > 8 {
		return nil, errors.New("no target, or too many")
	}
	mask := uint8(1<<len(o.target) - 1)
	for mover := int8(1); mover <= 2; mover++ {
		ban := -1
		if mover == s.banned {
			ban = s.ban - 1
		}
		if _, err := o.visit(&o.start, int8(ban), mover, mask); err != nil {
			return nil, err
		}
	}
	for i := 0; i < len(o.nodes); i++ {
		if err := o.expand(i); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o *oracle) visit(b *oraclePos, ban, mover int8, target uint8) (int32, error) {
	left := uint8(0)
	for i, t := range o.target {
		if target>>i&1 != 0 && b.stones[t] == 2 {
			left |= 1 << i
		}
	}
	key := oracleKey{o.encode(b), ban, mover, left}
	if at, ok := o.index[key]; ok {
		return at, nil
	}
	if len(o.nodes) >= o.limit {
		return 0, errTooLarge
	}
	node := oracleNode{mover: mover, ban: ban}
	full := uint8(1<<len(o.target) - 1)
	switch {
	case left == 0 || left != full && !o.s.all:
		node.end = taken
	case o.alive(b, left):
		node.end = safe
	}
	at := int32(len(o.nodes))
	o.index[key] = at
	o.nodes = append(o.nodes, node)
	o.keys = append(o.keys, key)
	return at, nil
}

func (o *oracle) expand(i int) error {
	if o.nodes[i].end != openEnd {
		return nil
	}
	key := o.keys[i]
	b := o.decode(key.code)
	to, err := o.visit(&b, -1, 3-key.mover, key.target)
	if err != nil {
		return err
	}
	moves := []oracleMove{{-1, false, to}}
	for _, p := range o.free {
		if b.stones[p] != 0 {
			continue
		}
		next := b
		ban, ok := o.play(&next, key.mover, p)
		if !ok {
			continue
		}
		if to, err = o.visit(&next, ban, 3-key.mover, key.target); err != nil {
			return err
		}
		moves = append(moves, oracleMove{int8(p), int(key.ban) == p, to})
	}
	o.nodes[i].moves = moves
	return nil
}

// solve computes, for every state, the budgets with which each goal is reached: a
// least fixed point.
func (o *oracle) solve() {
	for _, q := range []struct {
		side int8 // who wants it
		end  int8
		pass bool // the other side's pass without a ban reaches it
		out  *[]budgetSet
	}{
		{1, taken, false, &o.capture}, {2, safe, false, &o.settle}, {2, safe, true, &o.hold}, {1, taken, true, &o.deny},
	} {
		v := make([]budgetSet, len(o.nodes))
		for i := range o.nodes {
			if o.nodes[i].end == q.end {
				v[i] = allBudgets
			}
		}
		for changed := true; changed; {
			changed = false
			for i := len(o.nodes) - 1; i >= 0; i-- {
				nd := &o.nodes[i]
				if nd.end != openEnd || v[i] == allBudgets {
					continue
				}
				if s := o.value(nd, v, q.side, q.pass); s != v[i] {
					v[i], changed = s, true
				}
			}
		}
		*q.out = v
	}
}

func (o *oracle) value(nd *oracleNode, v []budgetSet, side int8, pass bool) budgetSet {
	if nd.mover == side {
		s := budgetSet(0)
		for _, m := range nd.moves {
			r := v[m.to]
			if m.paid {
				if side == 1 {
					r = paidByA(r)
				} else {
					r = paidByD(r)
				}
			}
			s |= r
		}
		return s
	}
	s := allBudgets
	for _, m := range nd.moves {
		r := v[m.to]
		if m.paid {
			// Budgets from which it cannot be paid are not hurt.
			if side == 1 {
				r = paidByD(r) | noThreatsD
			} else {
				r = paidByA(r) | noThreatsA
			}
		}
		if m.at < 0 && pass && nd.ban < 0 {
			continue
		}
		s &= r
	}
	return s
}

// vertex names a point as the drawings do: columns from a, rows from 1 at the top.
func (s *shape) vertex(p int) string {
	if p < 0 {
		return "pass"
	}
	return fmt.Sprintf("%c%d", 'a'+p%s.w, p/s.w+1)
}

const (
	isDead = iota
	isRepetition
	isSeki
	isAlive
)

var verdictNames = []string{"dead", "repetition", "seki", "alive"}

func (o *oracle) verdict(i int32, kA, kD int) int {
	bit := budgetBit(kA, kD)
	switch {
	case o.capture[i]&bit != 0:
		return isDead
	case o.settle[i]&bit != 0:
		return isAlive
	case o.hold[i]&bit != 0:
		return isSeki
	}
	return isRepetition
}

// moves returns the root moves with the best verdict for its mover at a budget.
func (o *oracle) moves(i int32, kA, kD int) (out []string) {
	nd := &o.nodes[i]
	best := o.verdict(i, kA, kD)
	for _, m := range nd.moves {
		if !m.paid && o.verdict(m.to, kA, kD) == best {
			out = append(out, o.s.vertex(int(m.at)))
		}
	}
	return out
}

// summary says what the committed table holds for one first mover.
func (o *oracle) summary(i int32) string {
	v := o.verdict(i, 0, 0)
	text := verdictNames[v]
	steps := []string{"1", "2", "3", "inf"}
	if v == isDead {
		for k := 1; k <= 4; k++ {
			if w := o.verdict(i, 0, k); w != isDead {
				text += fmt.Sprintf(" needD=%s:%s", steps[k-1], verdictNames[w])
				break
			}
		}
	} else {
		for k := 1; k <= 4; k++ {
			if w := o.verdict(i, k, 0); w == isDead || w == isRepetition && v != w {
				text += fmt.Sprintf(" needA=%s:%s", steps[k-1], verdictNames[w])
				break
			}
		}
	}
	if o.nodes[i].end == openEnd {
		text += " moves " + strings.Join(o.moves(i, 0, 0), " ")
	}
	return text
}
