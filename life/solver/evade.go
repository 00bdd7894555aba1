package solver

import (
	"cmp"
	"slices"
)

// Evasion proves that one side does not reach a goal: the other side, the evader, always has a move to a state of the
// evasion or to a state that the evader has won. Play may be infinite. The first state is the root.
type Evasion struct {
	Goal   Goal
	States []Evading
	// Ends reports that the evader wins against any finite number of threats: every cycle of moves in the evasion
	// costs the goal's side a threat or contains a pass that ends play. Never reports that no evasion has this
	// property. Both can be true only if the goal's side has endless threats.
	Ends, Never bool
}

// Evading is a state of an evasion with one move of the evader, or all moves of the other side. The field To of a
// reply is the index of the next state in the evasion; if negative, it is ^n, where n is the number of a proof that
// the evader wins.
type Evading struct {
	Mover Side
	Moves []Reply
}

// evader searches for an evasion. A state becomes lost if all moves of the evader, or one move of the other side,
// lead to lost states. The states that are not lost at the end of the search make up the evasion.
type evader struct {
	*Search
	goal   Goal
	side   Side
	states []evading
	index  map[uint64]int32
	todo   []int32 // states not yet expanded
	lost   []int32 // lost states, in the order in which they were found to be lost
	told   int     // number of lost states that spread has handled
}

type evading struct {
	at      Position
	moves   []Reply // moves left to the evader, which plays the first one; or all moves of the other side
	parents []int32
	lost    bool
}

// unknown is the value of Reply.To for a move that is not tried yet.
const unknown = int32(1) << 30

// Evade searches for an evasion of capture, hold or settle from a state, with a limited number of states. It returns
// the evasion's number, or -1 without an evasion. The result reached reports that the goal is reached; the proof of
// this is stored unless it needs a suicide.
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

// state returns lostState if the goal is reached in a state, and ^n if proof n shows that the evader wins the state.
// Otherwise it returns the index of the state in states, and adds a new state there.
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

// legal returns the legal moves of a state, except a pass of the evader that ends play: with it the goal is reached.
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

// promise ranks a move of the evader. Moves to states that the evader has won come first, then moves to states met
// before, then other moves by the search's statistics.
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

// choose makes the evader play its first remaining move that does not lead to a lost state. If there is none, the
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

// prove stores the proof of a lost state if it can be made of the known proofs of the states after its moves.
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

// spread goes through newly lost states; their parents are lost too, or the evader chooses another move there.
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
