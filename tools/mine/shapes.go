package main

import (
	"math/rand/v2"

	"kosumi/board"
	"kosumi/life"
)

// side is the length of a problem's board.
const side = 9

// drawing is a shape under way: stones of a square board.
type drawing struct {
	size   board.Size
	stones []board.Color
	rng    *rand.Rand
}

func (d *drawing) around(p board.Point, diagonal bool) (list []board.Point) {
	x, y := d.size.XY(p)
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if dx == 0 && dy == 0 || dx != 0 && dy != 0 && !diagonal {
				continue
			}
			if nx, ny := x+dx, y+dy; nx >= 0 && ny >= 0 && nx < d.size.W && ny < d.size.H {
				list = append(list, d.size.Point(nx, ny))
			}
		}
	}
	return list
}

// drawShape draws an enclosed group at random, and asks about its largest chain; nil
// where nothing comes of it.
func drawShape(rng *rand.Rand) *life.Question {
	d := &drawing{size: board.Square(side), stones: make([]board.Color, side*side), rng: rng}
	inside := d.grow()
	d.wall(inside, board.White, 0.75)
	group := make([]bool, len(d.stones))
	for p, c := range d.stones {
		group[p] = c == board.White || inside[p]
	}
	d.wall(group, board.Black, 1)
	d.spoil(inside)
	return d.question()
}

// grow returns a connected part of the board, mostly in a corner or at an edge.
func (d *drawing) grow() []bool {
	at := []int{0, 0}
	switch k := d.rng.IntN(20); {
	case k >= 18:
		at = []int{3 + d.rng.IntN(3), 3 + d.rng.IntN(3)}
	case k >= 11:
		at = []int{2 + d.rng.IntN(4), 0}
	case k >= 8:
		at = []int{d.rng.IntN(2), d.rng.IntN(2)}
	}
	inside := make([]bool, len(d.stones))
	list := []board.Point{d.size.Point(at[0], at[1])}
	inside[list[0]] = true
	for want := 4 + d.rng.IntN(8); len(list) < want; {
		near := d.around(list[d.rng.IntN(len(list))], false)
		p := near[d.rng.IntN(len(near))]
		if x, y := d.size.XY(p); !inside[p] && x < 6 && y < 4+at[1] {
			inside[p] = true
			list = append(list, p)
		}
	}
	return inside
}

// wall puts stones on the empty points next to a part; those that only touch it at a
// corner with a probability.
func (d *drawing) wall(part []bool, c board.Color, corners float64) {
	for p := range part {
		if part[p] || d.stones[p] != board.Empty {
			continue
		}
		near := func(diagonal bool) bool {
			for _, q := range d.around(board.Point(p), diagonal) {
				if part[q] {
					return true
				}
			}
			return false
		}
		if near(false) || near(true) && d.rng.Float64() < corners {
			d.stones[p] = c
		}
	}
}

// spoil puts stones inside and takes some of the group away, so that it is not safe.
func (d *drawing) spoil(inside []bool) {
	cut, full := 0.03+0.1*d.rng.Float64(), 0.5*d.rng.Float64()
	for p, in := range inside {
		switch {
		case in && d.rng.Float64() < full:
			d.stones[p] = []board.Color{board.Black, board.Black, board.White}[d.rng.IntN(3)]
		case d.stones[p] == board.White && d.rng.Float64() < cut:
			d.stones[p] = []board.Color{board.Empty, board.Empty, board.Black}[d.rng.IntN(3)]
		case d.stones[p] == board.Black && !in && d.rng.Float64() < cut/2:
			d.stones[p] = board.Empty
		}
	}
}

// question asks about the largest chain of White's.
func (d *drawing) question() *life.Question {
	q := &life.Question{Size: d.size, Stones: d.stones, Ko: board.NoPoint}
	best, seen := 0, make([]bool, len(d.stones))
	for p, c := range d.stones {
		if c != board.White || seen[p] {
			continue
		}
		list := []board.Point{board.Point(p)}
		seen[p] = true
		for i := 0; i < len(list); i++ {
			for _, n := range d.around(list[i], false) {
				if d.stones[n] == c && !seen[n] {
					seen[n] = true
					list = append(list, n)
				}
			}
		}
		if len(list) > best {
			best, q.Targets = len(list), []board.Point{board.Point(p)}
		}
	}
	if best < 3 {
		return nil
	}
	q.Assumed = life.Surroundings(q.Size, q.Stones, q.Targets)
	return q
}
