package reviews

import (
	"cmp"
	"slices"
	"strings"

	"kosumi/review"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// List returns all reviews, newest first.
func (rs *Reviews) List() (*api.Reviews, error) {
	present, _ := rs.conf.Engines.Networks.Identity()
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if err := rs.archive.refresh(); err != nil {
		return nil, err
	}
	all := &api.Reviews{Reviews: []api.ReviewCard{}, Paused: rs.paused, Folder: rs.archive.folder.Path("", "")}
	for _, j := range rs.queue {
		all.Reviews = append(all.Reviews, j.card())
	}
	var rest []api.ReviewCard
	for _, j := range rs.jobs {
		if j.state == Refused {
			rest = append(rest, j.card())
		}
	}
	rs.archive.done.Each(func(name string, d finished, err error) {
		if err != nil {
			all.Unread = append(all.Unread, rs.conf.Warnings.Unread("reviews", name+".json", err))
		}
		if d.card.Review != "" && rs.jobs[d.card.Review] == nil {
			d.card.Other = present != "" && d.network != present
			rest = append(rest, d.card)
		}
	})
	slices.SortFunc(all.Unread, func(a, b api.Unread) int { return cmp.Compare(a.File, b.File) })
	slices.SortFunc(rest, func(a, b api.ReviewCard) int {
		return cmp.Or(cmp.Compare(b.Changed, a.Changed), cmp.Compare(a.Review, b.Review))
	})
	all.Reviews = append(all.Reviews, rest...)
	for i := range all.Reviews {
		all.Reviews[i] = rs.named(all.Reviews[i])
	}
	return all, nil
}

// named adds the player's side to a card.
func (rs *Reviews) named(c api.ReviewCard) api.ReviewCard {
	b, notB := rs.conf.Whose(c.Black)
	w, notW := rs.conf.Whose(c.White)
	switch side := rs.conf.Side(c.Review); {
	case side != "":
		c.You = side
	case b && w:
		c.You = "both"
	case b:
		c.You = "b"
	case w:
		c.You = "w"
	case notB && notW:
		c.You = "none"
	}
	return c
}

// sides returns the player's side in each finished review, by the name of its game.
func (rs *Reviews) sides() map[string]string {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	_ = rs.archive.refresh() // after an error, use the reviews read so far
	sides := map[string]string{}
	rs.archive.done.Each(func(_ string, d finished, _ error) { sides[d.card.Name] = rs.named(d.card).You })
	return sides
}

// PublishSides publishes the player's side in each review; call it after the player's names or sides change.
func (rs *Reviews) PublishSides() {
	rs.PublishList()
	list, err := rs.List()
	if err != nil {
		return
	}
	for _, c := range list.Reviews {
		if what := "review:" + c.Review; rs.conf.Pages.Watched(what) {
			rs.conf.Pages.Publish(what, api.ReviewProgressNews.Of(api.ReviewProgress{Card: c, Points: []api.ReviewPoint{}}))
		}
	}
}

// PublishList sends the list to pages that watch it.
func (rs *Reviews) PublishList() {
	if !rs.conf.Pages.Watched("reviews") {
		return
	}
	if all, err := rs.List(); err == nil {
		rs.conf.Pages.Publish("reviews", api.ReviewsNews.Of(*all))
	}
}

// card returns the card of a job. The caller holds the reviews' mu.
func (j *job) card() api.ReviewCard {
	c := api.ReviewCard{Review: j.id, Name: j.name, State: j.state, Changed: j.added.Unix(), Worst: []api.WorstMove{}}
	switch {
	case j.part != nil:
		c = cardOf(j.part)
		c.Review, c.Name, c.State, c.Changed = j.id, j.name, j.state, j.added.Unix()
	case j.game != nil:
		describeGame(&c, j.game.Info(), len(j.game.Moves))
		c.Cut = j.game.Cut
	}
	if j.why != nil {
		c.Why, c.Say = j.said(), api.Said(j.why)
	}
	if j.game == nil {
		return c
	}
	if j.unsaved != nil {
		c.Unsaved = api.AsError(j.unsaved)
	}
	p := j.now
	c.Pass, c.Done, c.Left = p.Pass, len(j.points), wire.Round(p.Left.Seconds(), 1)
	if p.Budget > 0 {
		c.Share = wire.Round(float64(p.Visits)/float64(p.Budget), 3)
	}
	return c
}

func describeGame(c *api.ReviewCard, i review.Info, moves int) {
	c.Size, c.Komi, c.Handicap, c.Moves = [2]int{i.Width, i.Height}, i.Komi, i.Handicap, moves
	c.Black, c.White, c.BlackRank, c.WhiteRank = wire.Shown(i.Black, 100), wire.Shown(i.White, 100), wire.Shown(i.BlackRank, 20), wire.Shown(i.WhiteRank, 20)
	c.Date, c.Result = wire.Shown(i.Date, 40), wire.Shown(i.Result, 40)
}

// cardOf returns the card of a result.
func cardOf(res *review.Result) api.ReviewCard {
	c := api.ReviewCard{Name: wire.Shown(res.Game.File, 200), State: Done, Share: 1, Done: len(res.Positions), Worst: []api.WorstMove{}}
	if !res.Complete {
		c.State = Partial
	}
	describeGame(&c, res.Game, len(res.Moves))
	c.Cut = res.Cut
	for i := range res.Players {
		c.Mean[i] = res.Players[i].Mean
		for k, phase := range review.Phases {
			c.Phases[i][k] = res.Players[i].ByPhase[phase].Mean
		}
	}
	listed := map[string]int{} // mistakes listed, by side
	for _, t := range res.Mistakes {
		m := &res.Moves[t]
		if listed[m.Color]++; listed[m.Color] > 3 {
			continue
		}
		w := api.WorstMove{Colour: m.Color, Ply: t, Move: m.Move, Loss: m.Loss, Class: slices.Index(review.Classes, m.Class)}
		if listed[m.Color] == 1 {
			w.Stones = wire.ReviewedStones(res.Positions[t].Stones)
		}
		c.Worst = append(c.Worst, w)
	}
	c.Stones = wire.ReviewedStones(res.Positions[len(res.Positions)-1].Stones)
	return c
}

// State returns a review, finished or not.
func (rs *Reviews) State(id string) (*api.Review, error) {
	rs.mu.Lock()
	j := rs.jobs[id]
	rs.mu.Unlock()
	if j != nil {
		if j.game == nil {
			return nil, api.Error{Code: "not_found", Text: j.said(), Say: api.Said(j.why)}
		}
		return rs.runningReview(j, true), nil
	}
	res, err := rs.result(id)
	if err != nil {
		return nil, err
	}
	return rs.finishedReview(id, res, true), nil
}

// result reads a finished review.
func (rs *Reviews) result(id string) (*review.Result, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.archive.result(id)
}

// found returns the result of a review, or the findings so far if the review is not finished.
func (rs *Reviews) found(id string) (*review.Result, error) {
	rs.mu.Lock()
	j := rs.jobs[id]
	var part *review.Result
	if j != nil {
		part = j.part
	}
	rs.mu.Unlock()
	switch {
	case part != nil:
		return part, nil
	case j != nil:
		return nil, api.Refuse("busy", "this game has not been searched yet")
	}
	return rs.result(id)
}

// runningReview converts a job for pages. If boards is set, it adds the stones of all positions.
func (rs *Reviews) runningReview(j *job, boards bool) *api.Review {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := &api.Review{Card: rs.named(j.card()), Moves: []api.ReviewMove{}, Points: make([]api.ReviewPoint, 0, len(j.points)), Mistakes: []int{}, Turning: []int{}, Groups: []api.ReviewGroup{}, Finest: [2][]int{{}, {}}, Notes: j.game.Notes}
	if j.part != nil {
		fill(r, j.part)
	} else {
		for _, m := range j.game.Moves {
			r.Moves = append(r.Moves, api.ReviewMove{Colour: wire.Letter(m.Color), Move: j.game.Record.Size.Vertex(m.Point)})
		}
		info := j.game.Info()
		r.Players = [2]api.ReviewPlayer{{Name: info.Black, Rank: info.BlackRank, Classes: []int{}}, {Name: info.White, Rank: info.WhiteRank, Classes: []int{}}}
	}
	r.Points = r.Points[:0]
	for _, p := range j.points {
		r.Points = append(r.Points, p)
	}
	if boards {
		var b strings.Builder
		for t := range len(j.game.Moves) + 1 {
			if g, err := j.game.Position(t); err == nil {
				b.WriteString(wire.Stones(g))
			}
		}
		r.Boards = b.String()
	}
	return r
}

// finishedReview converts a result for pages, as runningReview does.
func (rs *Reviews) finishedReview(id string, res *review.Result, boards bool) *api.Review {
	r := &api.Review{Card: cardOf(res)}
	r.Card.Review = id
	r.Card = rs.named(r.Card)
	present, _ := rs.conf.Engines.Networks.Identity()
	r.Card.Other = present != "" && present != res.Network
	fill(r, res)
	if boards {
		var b strings.Builder
		for i := range res.Positions {
			b.WriteString(wire.ReviewedStones(res.Positions[i].Stones))
		}
		r.Boards = b.String()
	}
	return r
}

// fill copies a result into a review.
func fill(r *api.Review, res *review.Result) {
	r.Moves, r.Points = make([]api.ReviewMove, 0, len(res.Moves)), make([]api.ReviewPoint, 0, len(res.Positions))
	for i := range res.Moves {
		r.Moves = append(r.Moves, wireMove(&res.Moves[i]))
	}
	for i := range res.Positions {
		if p := &res.Positions[i]; p.Visits > 0 {
			r.Points = append(r.Points, api.ReviewPoint{Ply: i, Lead: wire.Round(p.Lead, 2), Winrate: p.Winrate, Visits: p.Visits})
		}
	}
	r.Finest = [2][]int{res.Finest("b"), res.Finest("w")}
	r.Groups = []api.ReviewGroup{}
	for _, g := range res.Groups {
		r.Groups = append(r.Groups, api.ReviewGroup{Colour: g.Color, Stones: g.Stones, Verdict: g.Verdict, Since: g.Since, Taken: g.Taken, Assumed: append([]string{}, g.Assumed...)})
	}
	r.Mistakes, r.Turning = append([]int{}, res.Mistakes...), append([]int{}, res.Turning...)
	r.Summary, r.Network, r.Visits, r.Notes = res.Summary, res.Network, res.Visits, res.Notes
	for i := range res.Players {
		r.Players[i] = wirePlayer(&res.Players[i])
	}
}

func wireMove(m *review.Move) api.ReviewMove {
	w := api.ReviewMove{Colour: m.Color, Move: m.Move, Judged: m.Judged, Loss: m.Loss, Error: m.Error, WinrateLoss: m.WinrateLoss,
		Class: slices.Index(review.Classes, m.Class), Listed: m.Listed, Phase: string(m.Phase), Kind: string(m.Kind), Reason: m.Reason, Claims: wireClaims(m.Claims), Points: m.Points, Answer: m.Refutation}
	if len(m.Best) > 0 {
		w.Better, w.Line = m.Best[0].Move, m.Best[0].Line
	}
	return w
}

func wireClaims(list []review.Claim) (out []api.Claim) {
	for _, c := range list {
		w := api.Claim{Kind: string(c.Kind), After: string(c.After), Color: c.Color, Stones: c.Stones, Others: c.Others, Area: c.Area, Move: c.Move,
			Line: c.Line, Region: c.Region, Proved: c.Proved, Only: c.Only, Later: c.Later}
		if c.Of != nil {
			w.Of = &wireClaims([]review.Claim{*c.Of})[0]
		}
		out = append(out, w)
	}
	return out
}

func wirePlayer(p *review.Player) api.ReviewPlayer {
	w := api.ReviewPlayer{Name: wire.Shown(p.Name, 100), Rank: wire.Shown(p.Rank, 20), Moves: p.Moves, Mean: p.Mean, Accuracy: p.Accuracy, First: p.First,
		Classes: make([]int, len(review.Classes)), Phases: map[string]float64{}, Kinds: map[string]float64{}}
	for i, c := range review.Classes {
		w.Classes[i] = p.Totals.Classes[c]
	}
	for k, t := range p.ByPhase {
		w.Phases[string(k)] = t.Mean
	}
	for k, t := range p.ByKind {
		w.Kinds[string(k)] = wire.Round(t.Loss, 1)
	}
	return w
}
