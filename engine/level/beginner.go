package level

import (
	"math"

	"kosumi/board"
)

// Reading is the dial (a level's number) beyond which a level plays as beginners do: it hardly cares
// how many points a move loses, and sees less and less of the board.
const Reading = 10.0

// beginner maps a dial to the strength of beginners' habits: 0 up to [Reading], 1 at 20, 1.8 at
// [Weakest]. The first overlooked points weaken play most, so the habits grow slowly at first.
func beginner(dial float64) float64 { return math.Pow(max(0, (dial-Reading)/10), 1.5) }

// Parameters of a beginner at dial 20.
const (
	overlooked = 0.95 // share of distant points (far from the last moves) that the player overlooks
	fancy      = 2.0  // standard deviation of the logarithm of a move's appeal
	attention  = 2.0  // distance in points at which attention has fallen to 0.6
	farAway    = 0.3  // factor of the appeal of a far point; at the last moves it is 1+farAway
)

// glance is the term that a beginner adds to the logarithm of a move's likelihood. Beginners look
// near the last moves: farther away, moves appeal less, and many are overlooked, even an atari or
// the death of a group. A move stays overlooked as long as the stones around it stay the same. The
// argument blind is the strength of the habits ([beginner]), off the error of the move's appeal.
func (s *Situation) glance(p board.Point, blind, off float64) float64 {
	near := s.near(p)
	appeal := blind * (math.Log(farAway+near) - fancy*off)
	if share := 0.5 * math.Erfc(-s.misjudged(p, sight)/math.Sqrt2); share < blind*overlooked*(1-near) {
		return appeal - notSeen
	}
	return appeal
}

const (
	sight   = 1    // argument of [Situation.misjudged] that asks whether a move is seen
	notSeen = 20.0 // glance lowers an overlooked move by this, so it is played only if all moves are overlooked
)

// near is 1 at the last moves of both sides, and falls to 0 with the distance from the nearer one.
func (s *Situation) near(p board.Point) float64 {
	size := s.Game.Size()
	x, y := size.XY(p)
	best := 0.0
	for i := range 2 {
		m := s.Game.LastMove(i)
		if m.Color == board.Empty || m.Point == board.Pass {
			continue
		}
		u, v := size.XY(m.Point)
		far := float64((u-x)*(u-x) + (v-y)*(v-y))
		best = max(best, math.Exp(-far/(2*attention*attention)))
	}
	return best
}
