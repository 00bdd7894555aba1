package solver

import (
	"cmp"
	"slices"
)

// Evasion proves that a goal is not reached: the other side, the evader, always has a move to a
// state of the evasion or to a state that the evader has won. Play may be infinite. The first state
// is the root.
type Evasion struct {
	Goal   Goal
	States []Evading
	// Ends reports that every cycle of moves in the evasion costs the goal's side a threat or
	// contains a pass that ends play: against a finite number of threats the evader wins. Never
	// reports that no evasion has this property. Both are set only if the goal's side has endless
	// threats.
	Ends, Never bool
}

// Evading is a state of an evasion with one move of the evader, or all moves of the other side. The
// field To of a reply is the index of the next state or, if negative, the complement of a proof's
// number.
type Evading struct {
	Mover Side
	Moves []Reply
}

// evader searches for an evasion: a state counts as evaded until all moves of the evader, or one
// move of the other side, lead to lost states.
type evader struct {
	*Search
	goal   Goal
	side   Side
	states []evading
	index  map[uint64]int32
	todo   []int32 // states not yet expanded
	lost   []int32 // lost states, in the order in which they were found to be lost
	told   int     // number of lost states that were reported to their parents
}

type evading struct {
	at      Position
	moves   []Reply // the evader's remaining moves, of which it plays the first; or all moves of the other side
	parents []int32
	lost    bool
}

// unknown is the destination of an untried move.
const unknown = int32(1) << 30

// Evade searches for an evasion of capture, hold or settle from a state, with a limited number of
// states, and returns the evasion's number, -1 without one. reached reports that the goal is
// reached; the proof of this is stored unless the proof needs a suicide.
func (s *Search) Evade(goal Goal, root *Position, most int) (at int32, reached bool) {
	at, reached = s.evade(goal, root, most)
	tidy(len(s.table.rows) >= manyRows)
	return at, reached
}

func (s *Search) evade(goal Goal, root *Position, most int) (at int32, reached bool) {
	s.contest = Fight
	if goal == Settle {
		s.contest = Life
	}
	e := &evader{Search: s, goal: goal, side: goal.Winner().Other(), index: map[uint64]int32{}}
	if first := e.state(root); first < 0 {
		return -1, first == lostState
	}
	if !e.run(most) {
		return -1, false
	}
	if e.states[0].lost {
		for _, i := range e.lost {
			e.prove(&e.states[i].at)
		}
		return -1, true
	}
	var ends, never bool
	if root.Threat[goal.Winner()] == Endless {
		ends, never = e.outlast()
	}
	found := e.collect()
	found.Ends, found.Never = ends, never
	s.Evasions = append(s.Evasions, found)
	return int32(len(s.Evasions) - 1), false
}

// run expands states until none is left or the first one is lost; it returns false if there are too many.
func (e *evader) run(most int) bool {
	for len(e.todo) > 0 && !e.states[0].lost {
		if len(e.states) > most || len(e.todo)&255 == 0 && e.full() {
			return false
		}
		i := e.todo[len(e.todo)-1]
		e.todo = e.todo[:len(e.todo)-1]
		if !e.states[i].lost {
			e.expand(i)
			e.spread()
		}
	}
	return true
}

// lostState is the number that stands for every state in which the goal is reached.
const lostState = -int32(1) << 30

// state returns lostState if the goal is reached in a state, -1-n if proof n shows that the evader wins the state,
// else the state's index in states, to which it adds the state if it is new.
func (e *evader) state(p *Position) int32 {
	free := e.freeKey(e.contest, p)
	key := e.key(free, p)
	if i, ok := e.index[key]; ok {
		if e.states[i].lost {
			return lostState
		}
		return i
	}
	at := e.find(free, key, p)
	if at < 0 {
		over, by := e.Ended(p)
		if over && by.winner() != e.side {
			return lostState
		}
		if !over {
			i := int32(len(e.states))
			e.Nodes++
			e.states = append(e.states, evading{at: *p})
			e.index[key] = i
			e.todo = append(e.todo, i)
			return i
		}
		at = e.leaf(p, by)
	}
	if e.record(at).goal.Winner() != e.side {
		return lostState
	}
	return ^at
}

// legal returns the legal moves of a state; the evader may not end play by a pass.
func (e *evader) legal(p *Position) (moves []int16) {
	for m := range e.Empty(p).All {
		next := *p
		if m == p.Ban && !e.pays(p) {
			continue
		}
		if _, legal := e.Move(&next, m); legal {
			moves = append(moves, m)
		}
	}
	if p.Ban != NoBan || p.Mover != e.contest.stopper() || p.Mover != e.side {
		moves = append(moves, Pass)
	}
	return moves
}

// expand finds the moves of a state.
func (e *evader) expand(i int32) {
	p := e.states[i].at
	var moves []Reply
	score := map[int16]uint32{}
	for _, m := range e.legal(&p) {
		next := p
		e.Move(&next, m)
		if p.Mover == e.side {
			moves = append(moves, Reply{m, unknown})
			score[m] = e.promise(&next, m)
			continue
		}
		to := e.state(&next)
		if to == lostState {
			e.lose(i)
			return
		}
		moves = append(moves, Reply{m, to})
		if to >= 0 {
			e.states[to].parents = append(e.states[to].parents, i)
		}
	}
	slices.SortStableFunc(moves, func(a, b Reply) int { return cmp.Compare(score[b.Move], score[a.Move]) })
	e.states[i].moves = moves
	if p.Mover == e.side {
		e.choose(i)
	}
}

// promise ranks an evader's move: moves to won states first, then moves to states already met, then
// the others by the search's statistics.
func (e *evader) promise(next *Position, m int16) uint32 {
	free := e.freeKey(e.contest, next)
	key := e.key(free, next)
	if at := e.find(free, key, next); at >= 0 {
		if e.record(at).goal.Winner() == e.side {
			return infinite + 2
		}
		return 0
	}
	if i, ok := e.index[key]; ok {
		if e.states[i].lost {
			return 0
		}
		return infinite + 1
	}
	score := e.credit[e.side][m+1]
	if t := e.table.get(key); t != nil {
		score += t.cost[e.side.Other()]
	}
	return score
}

// choose makes the evader play its first remaining move that does not lead to a lost state; if none is left, the
// state is lost.
func (e *evader) choose(i int32) {
	for len(e.states[i].moves) > 0 {
		next := e.states[i].at
		e.Move(&next, e.states[i].moves[0].Move)
		if to := e.state(&next); to != lostState {
			e.states[i].moves[0].To = to
			if to >= 0 {
				e.states[to].parents = append(e.states[to].parents, i)
			}
			return
		}
		e.states[i].moves = e.states[i].moves[1:]
	}
	e.lose(i)
}

func (e *evader) lose(i int32) {
	if !e.states[i].lost {
		e.states[i].lost = true
		e.lost = append(e.lost, i)
	}
}

// prove stores the proof of a lost state from those of its successors.
func (e *evader) prove(p *Position) {
	base := len(e.kids)
	defer func() { e.kids = e.kids[:base] }()
	missing, wins := false, false
	for _, m := range e.legal(p) {
		next := *p
		suicide, _ := e.Move(&next, m)
		k := child{move: m, suicide: suicide, cost: [2]uint32{1, 1}, proof: -1}
		at := e.Known(e.contest, &next)
		if at < 0 {
			if over, by := e.Ended(&next); over {
				at = e.leaf(&next, by)
			}
		}
		if at >= 0 && e.record(at).goal.Winner() != e.side {
			k.proof, k.cost = at, won(e.side.Other())
		}
		missing = missing || k.proof < 0
		wins = wins || k.proof >= 0 && !suicide
		e.kids = append(e.kids, k)
	}
	if mover := p.Mover != e.side; mover && wins || !mover && !missing {
		e.proveNode(p, base, mover)
	}
}

// spread updates the parents of lost states.
func (e *evader) spread() {
	for ; e.told < len(e.lost); e.told++ {
		i := e.lost[e.told]
		for _, up := range e.states[i].parents {
			n := &e.states[up]
			switch {
			case n.lost:
			case n.at.Mover != e.side:
				e.lose(up)
			case len(n.moves) > 0 && n.moves[0].To == i:
				n.moves = n.moves[1:]
				e.choose(up)
			}
		}
	}
}

// collect returns the evasion with the reachable states, each after one that leads to it.
func (e *evader) collect() *Evasion {
	out := &Evasion{Goal: e.goal}
	number := map[int32]int32{0: 0}
	order := []int32{0}
	for k := 0; k < len(order); k++ {
		n := &e.states[order[k]]
		x := Evading{Mover: n.at.Mover}
		for _, m := range n.moves {
			if m.To >= 0 {
				to, ok := number[m.To]
				if !ok {
					to = int32(len(order))
					number[m.To] = to
					order = append(order, m.To)
				}
				m.To = to
			}
			x.Moves = append(x.Moves, m)
			if n.at.Mover == e.side {
				break
			}
		}
		out.States = append(out.States, x)
	}
	return out
}
