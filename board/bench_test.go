package board_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"kosumi/board"
)

// middleGame returns a game of random, but not eye-filling, moves.
func middleGame(s board.Size, r board.Rules, moves int, seed uint64) *board.Game {
	g, err := board.NewGame(s, r)
	if err != nil {
		panic(err)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for tries := 0; g.NumMoves() < moves && tries < 100*moves; tries++ {
		p := board.Point(rng.IntN(s.Area()))
		if !ownEye(g.Board(), g.ToMove(), p) {
			_ = g.Play(g.ToMove(), p)
		}
	}
	return g
}

// ownEye reports whether all neighbours of p are stones of c.
func ownEye(b *board.Board, c board.Color, p board.Point) bool {
	for _, q := range b.Neighbors(p) {
		if b.At(q) != c {
			return false
		}
	}
	return true
}

// recorded returns the moves of a random game that fills a board of size s.
func recorded(s board.Size, seed uint64) []board.Move {
	return middleGame(s, board.Chinese(), s.Area()*3/2, seed).Moves()
}

func forSizes(b *testing.B, f func(b *testing.B, s board.Size)) {
	for _, n := range []int{9, 19} {
		b.Run(fmt.Sprintf("%dx%d", n, n), func(b *testing.B) {
			b.ReportAllocs()
			f(b, board.Square(n))
		})
	}
}

// BenchmarkBoardPlay plays recorded random games on a bare board; an op is a move.
func BenchmarkBoardPlay(b *testing.B) {
	forSizes(b, func(b *testing.B, s board.Size) {
		moves := recorded(s, 1)
		empty, x := board.NewBoard(s), board.NewBoard(s)
		i := 0
		for b.Loop() {
			if i == len(moves) {
				i = 0
				x.CopyFrom(empty)
			}
			x.Play(moves[i].Color, moves[i].Point)
			i++
		}
	})
}

// BenchmarkGamePlay plays recorded random games move by move with every check.
func BenchmarkGamePlay(b *testing.B) {
	for _, r := range []struct {
		name  string
		rules board.Rules
	}{{"chinese", board.Chinese()}, {"tromp-taylor", board.TrompTaylor()}, {"japanese", board.Japanese()}} {
		b.Run(r.name, func(b *testing.B) {
			forSizes(b, func(b *testing.B, s board.Size) {
				moves := recorded(s, 1)
				empty, err := board.NewGame(s, r.rules)
				if err != nil {
					b.Fatal(err)
				}
				var g board.Game
				g.CopyFrom(empty)
				i := 0
				for b.Loop() {
					if i == len(moves) {
						i = 0
						g.CopyFrom(empty)
					}
					_ = g.Play(moves[i].Color, moves[i].Point)
					i++
				}
			})
		})
	}
}

func BenchmarkLadders(b *testing.B) {
	forSizes(b, func(b *testing.B, s board.Size) {
		var games []*board.Game
		for seed := range uint64(16) {
			games = append(games, middleGame(s, board.TrompTaylor(), s.Area()/2, seed))
		}
		var scratch board.LadderScratch
		i := 0
		for b.Loop() {
			games[i%len(games)].Board().Ladders(&scratch)
			i++
		}
	})
}
