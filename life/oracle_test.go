package life

import (
	"errors"
	"fmt"
	"strings"
)

// The oracle solves a closed shape by enumerating all its states and iterating the fixed
// points that define the goals. It shares no code with the solver.

// A shape is a drawn position: '.' an empty point, 'T' the target, 'd' other stones of the defender, 'a' stones of
// the attacker, 'X' and 'O' stones of attacker and defender that are alive by assumption.
type shape struct {
	w, h    int
	cells   []byte
	all     bool // the attacker must capture every target chain
	suicide bool
	ban     int  // 1 + the point that one side may not retake with its first move; 0: none
	banned  int8 // the side that may not retake it: 1 the attacker, 2 the defender
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

// oraclePos holds the stones by point: 1 is the attacker's, 2 the defender's, 0 an empty point.
type oraclePos struct {
	stones [64]int8
}

type oracleKey struct {
	code   uint64
	ban    int8
	mover  int8
	target uint8 // target chains not yet captured
}

const (
	openEnd = iota
	taken   // T is captured
	safe    // T is pass-alive or joined to a chain alive by assumption
)

type oracleMove struct {
	at   int8 // -1 is a pass
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
	s        *shape
	adj      [][]int
	free     []int // all points but those of stones that are assumed alive
	place    []uint64
	fixed    []bool // stones alive by assumption
	target   []int  // one stone of each target chain
	start    oraclePos
	index    map[oracleKey]int32
	nodes    []oracleNode
	keys     []oracleKey
	limit    int
	counters [3]*counter // by the side that spends threats, see payer
}

var errTooLarge = errors.New("too many states")

// newOracle enumerates the states reachable with either side first.
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

// vertex names a point as drawings do: columns from a, rows from 1 at the top.
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

// payer returns the counter of the ko threats that a side spends: 1 is the attacker, 2 the defender.
func (o *oracle) payer(side int8) *counter {
	if o.counters[side] == nil {
		o.counters[side] = &counter{o, side, map[string][]bool{}}
	}
	return o.counters[side]
}

// moves lists the mover's first moves that keep the verdict of an initial state.
func (o *oracle) moves(i int32) (text string) {
	c := o.payer(1)
	for _, m := range o.nodes[i].moves {
		if !m.paid && c.verdict(m.to, 0) == c.verdict(i, 0) {
			text += " " + o.s.vertex(int(m.at))
		}
	}
	return text
}
