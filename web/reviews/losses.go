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

// Losses returns the player's mean losses in all finished reviews, by board, the smallest board
// first. side returns the player's side in a review: 0 is Black, 1 White, -1 neither.
func (rs *Reviews) Losses(side func(c *api.ReviewCard) int) ([]api.Loss, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if err := rs.archive.refresh(); err != nil {
		return nil, api.Refuse("internal", "%v", err)
	}
	type board struct {
		api.Loss
		area  int
		moves [3]int     // by phase
		lost  [3]float64 // points, by phase
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
		for i, phase := range review.Phases {
			t := d.players[k].ByPhase[phase]
			b.moves[i] += t.Moves
			b.lost[i] += t.Loss
		}
		for kind, t := range d.players[k].ByKind {
			b.Kinds[string(kind)] += t.Loss
		}
	})
	out := []api.Loss{}
	for _, b := range slices.SortedFunc(maps.Values(by), func(a, b *board) int { return cmp.Or(cmp.Compare(a.area, b.area), cmp.Compare(a.Size, b.Size)) }) {
		lost := 0.0
		for i := range b.Phases {
			b.Moves += b.moves[i]
			lost += b.lost[i]
			b.Phases[i] = wire.Round(b.lost[i]/float64(max(b.moves[i], 1)), 2)
		}
		b.Mean = wire.Round(lost/float64(max(b.Moves, 1)), 2)
		for kind := range b.Kinds {
			b.Kinds[kind] = wire.Round(b.Kinds[kind]/float64(b.Games), 1)
		}
		out = append(out, b.Loss)
	}
	return out, nil
}

// EachResult reads the finished reviews, one after the other, and calls f with each ID and result
// until f returns false.
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
