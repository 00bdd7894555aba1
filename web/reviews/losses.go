package reviews

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"kosumi/review"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// sums are the losses of one side's judged moves in a game.
type sums struct {
	moves  [len(phases)]int
	loss   [len(phases)]float64 // points
	byKind map[string]float64   // points
}

// phases are review.Phases as an array, whose length is a constant.
var phases = [...]review.Phase{review.Opening, review.Middle, review.Endgame}

func sumsOf(p *review.Player) sums {
	s := sums{byKind: map[string]float64{}}
	for i, phase := range phases {
		t := p.ByPhase[phase]
		s.moves[i], s.loss[i] = t.Moves, t.Loss
	}
	for kind, t := range p.ByKind {
		s.byKind[string(kind)] = t.Loss
	}
	return s
}

// Losses sums the player's losses in all finished reviews, by board, the smallest first. side
// returns the player's side in a review: 0 is Black, 1 White, -1 neither.
func (rs *Reviews) Losses(side func(c *api.ReviewCard) int) ([]api.Loss, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if err := rs.archive.refresh(); err != nil {
		return nil, api.Refuse("internal", "%v", err)
	}
	type board struct {
		api.Loss
		area int
		sum  sums
	}
	by := map[[2]int]*board{}
	rs.archive.done.Each(func(_ string, d finished, err error) {
		if err != nil {
			return
		}
		k := side(&d.card)
		if k < 0 {
			return
		}
		b := by[d.card.Size]
		if b == nil {
			size := d.card.Size
			b = &board{Loss: api.Loss{Size: fmt.Sprintf("%dx%d", size[0], size[1]), Kinds: map[string]float64{}}, area: size[0] * size[1]}
			by[size] = b
		}
		b.Games++
		for i := range phases {
			b.sum.moves[i] += d.sums[k].moves[i]
			b.sum.loss[i] += d.sums[k].loss[i]
		}
		for kind, loss := range d.sums[k].byKind {
			b.Kinds[kind] += loss
		}
	})
	out := []api.Loss{}
	for _, b := range slices.SortedFunc(maps.Values(by), func(a, b *board) int { return cmp.Or(cmp.Compare(a.area, b.area), cmp.Compare(a.Size, b.Size)) }) {
		lost := 0.0
		for i := range phases {
			b.Moves += b.sum.moves[i]
			lost += b.sum.loss[i]
			b.Phases[i] = wire.Round(b.sum.loss[i]/float64(max(b.sum.moves[i], 1)), 2)
		}
		b.Mean = wire.Round(lost/float64(max(b.Moves, 1)), 2)
		for kind := range b.Kinds {
			b.Kinds[kind] = wire.Round(b.Kinds[kind]/float64(b.Games), 1)
		}
		out = append(out, b.Loss)
	}
	return out, nil
}

// EachResult reads the finished reviews, one after the other, until f returns false. f gets a
// review's ID.
func (rs *Reviews) EachResult(f func(id string, res *review.Result) bool) {
	rs.mu.Lock()
	_ = rs.archive.refresh() // after an error, use the reviews read so far
	names := slices.Sorted(maps.Values(rs.archive.byID))
	rs.mu.Unlock()
	for _, name := range names {
		if res, err := rs.archive.folder.Read(name); err == nil && !f(idOf(name), res) {
			return
		}
	}
}
