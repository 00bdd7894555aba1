package check

import "fmt"

// fightBox is the box around a fight.
type fightBox struct {
	stride, rows int   // its width and one more, and its height
	at           []int // of each point of the whole board, its number in the box; noPoint outside of the fight
}

// setUp lays the position, looks whether it is one, and finds the fight.
func (f *file) setUp() (box fightBox, err error) {
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
	return f.fight(), nil
}

// fight floods from the targets; stones alive by assumption are reached but not crossed.
func (f *file) fight() (box fightBox) {
	in := make([]bool, len(f.stones))
	for _, t := range f.targets {
		if !in[t] {
			f.walk(t, in, func(from, _ int) bool { return !f.fixed[from] })
		}
	}
	x0, y0, x1, y1 := f.Width, f.Height, 0, 0
	for p := range in {
		if x, y := p%f.Width, p/f.Width; in[p] {
			x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
		}
	}
	box.stride, box.rows = x1-x0+2, y1-y0+1
	box.at = make([]int, len(in))
	for p := range in {
		box.at[p] = noPoint
		if in[p] {
			box.at[p] = (p/f.Width-y0)*box.stride + p%f.Width - x0
		}
	}
	return box
}

// walk marks what is connected with p by steps that may makes.
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
