package check

import (
	"errors"
	"fmt"
)

// layout numbers the points of a fight. Steps in one direction all add the same number, and the lowest is 0.
type layout struct {
	step [2]int // what a step to the right and a step down add to the number
	bits int    // all numbers are below this
	at   []int  // the number of each point of the whole board; noPoint: not in the fight
}

// setUp reads the position, validates it, and finds the fight.
func (f *file) setUp() (box layout, err error) {
	area := f.Width * f.Height
	f.stones, f.fixed, f.banned = make([]byte, area), make([]bool, area), noPoint
	sign := map[string]byte{"black": 'X', "white": 'O'}[f.Defender]
	for y, row := range f.Rows {
		for x := range row {
			switch row[x] {
			case '.':
			case sign:
				f.stones[y*f.Width+x] = 1 + defends
			default:
				f.stones[y*f.Width+x] = 1 + attacks
			}
		}
	}
	same := func(from, to int) bool { return f.stones[from] == f.stones[to] }
	for _, name := range f.Assumed {
		p := f.point(name)
		if p < 0 || f.stones[p] == 0 {
			return box, fmt.Errorf("no stone on %s, which is alive by assumption", name)
		}
		f.walk(p, f.fixed, same)
	}
	seen := make([]bool, area)
	for p, c := range f.stones {
		if c == 0 || seen[p] {
			continue
		}
		stands := f.fixed[p]
		f.walk(p, seen, func(from, to int) bool {
			stands = stands || f.stones[to] == 0
			return same(from, to)
		})
		if !stands {
			return box, fmt.Errorf("the chain on %s has no liberty", f.name(p))
		}
	}
	known := make([]bool, area)
	for _, name := range f.Targets {
		p := f.point(name)
		if p < 0 || f.stones[p] != 1+defends {
			return box, fmt.Errorf("no stone of the defender on %s", name)
		}
		if f.fixed[p] {
			return box, fmt.Errorf("%s is asked for and alive by assumption", name)
		}
		if !known[p] {
			f.walk(p, known, same)
			f.targets = append(f.targets, p)
		}
	}
	if len(f.targets) > 8 {
		return box, fmt.Errorf("%d targets, want at most 8", len(f.targets))
	}
	if f.Ban != "" {
		if f.banned = f.point(f.Ban); f.banned < 0 || f.stones[f.banned] != 0 {
			return box, fmt.Errorf("no ban on %s", f.Ban)
		}
	}
	return f.fight()
}

// fight finds the points connected to the targets, and numbers them. Connections end at stones alive by assumption,
// which are included.
func (f *file) fight() (box layout, err error) {
	in := make([]bool, len(f.stones))
	for _, t := range f.targets {
		if !in[t] {
			f.walk(t, in, func(from, _ int) bool { return !f.fixed[from] })
		}
	}
	left, right := f.Width, 0
	for p := range in {
		if in[p] {
			left, right = min(left, p%f.Width), max(right, p%f.Width)
		}
	}
	if box.step = f.order; box.step == [2]int{} {
		box.step = [2]int{1, right - left + 1}
	}
	least, most := 1<<30, -1<<30
	box.at = make([]int, len(in))
	for p := range in {
		box.at[p] = box.step[0]*(p%f.Width) + box.step[1]*(p/f.Width)
		if in[p] {
			least, most = min(least, box.at[p]), max(most, box.at[p])
		}
	}
	if box.bits = most - least + 1; box.bits > 64*mostWords {
		return box, errors.New("an order that takes too much room")
	}
	taken := make([]bool, box.bits)
	for p := range in {
		if !in[p] {
			box.at[p] = noPoint
			continue
		}
		box.at[p] -= least
		if taken[box.at[p]] {
			return box, errors.New("an order in which two points have one number")
		}
		taken[box.at[p]] = true
	}
	return box, nil
}

// walk marks p in the list seen, and all points that can be reached from p by steps that the function may allows.
func (f *file) walk(p int, seen []bool, may func(from, to int) bool) {
	seen[p] = true
	for list := []int{p}; len(list) > 0; {
		p := list[len(list)-1]
		list = list[:len(list)-1]
		x := p % f.Width
		for _, q := range [4]int{p - f.Width, p - 1, p + 1, p + f.Width} {
			if q < 0 || q >= len(seen) || q == p-1 && x == 0 || q == p+1 && x == f.Width-1 || !may(p, q) || seen[q] {
				continue
			}
			seen[q] = true
			list = append(list, q)
		}
	}
}
