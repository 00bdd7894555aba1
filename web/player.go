package web

import (
	"strings"
	"time"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/review"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/reviews"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// player combines profile, games, levels and reviews into answers about the player.
type player struct {
	Profile *store.Profile
	Games   *store.Index
	Levels  *engines.Levels
	Reviews *reviews.Reviews
	Pages   *wire.Hub
}

// State returns the profile with today's problems.
func (p *player) State() (*api.Profile, error) {
	s := p.Profile.State()
	s.Warned(p.Levels.Warning())
	var err error
	s.Day, err = p.Reviews.Drills.Day(p.Profile, time.Now())
	return &s, err
}

// Publish sends the profile to pages that watch it.
func (p *player) Publish() {
	if !p.Pages.Watched("profile") {
		return
	}
	if s, err := p.State(); err == nil {
		p.Pages.Publish("profile", api.ProfileNews.Of(*s))
	}
}

// SayRank stores the rank that the player claims; today's problems fit it from now on.
func (p *player) SayRank(v *api.PlayerRank) error {
	if err := p.Levels.Begin(v); err != nil {
		return err
	}
	p.Publish()
	return nil
}

// SayNames stores which names are the player's, and which are not.
func (p *player) SayNames(v *api.SaidNames) error {
	return p.said(p.Profile.Say(v.Mine, v.Others))
}

// SaySide stores the player's side in a reviewed game.
func (p *player) SaySide(v *api.SaidSide) error { return p.said(p.Profile.SaySide(v.Review, v.Side)) }

// said publishes a change of the player's names or sides, and judges all finished reviews, since the player's
// side may now be known in more of them. If err is not nil, nothing was stored, and said only returns err.
func (p *player) said(err error) error {
	if err != nil {
		return err
	}
	p.Publish()
	p.Reviews.PublishSides()
	p.Reviews.EachResult(func(id string, res *review.Result) bool {
		_, err := p.Judged(id, res)
		return err == nil
	})
	return nil
}

// LessonDone records a completed lesson.
func (p *player) LessonDone(v *api.ID) error {
	if err := p.Profile.LessonDone(v.ID); err != nil {
		return err
	}
	p.Publish()
	return nil
}

// DeleteReview removes a review, which counts for the rank no longer; the game's result still does.
func (p *player) DeleteReview(v *api.ID) error {
	for _, size := range level.JudgedOn() {
		if _, err := p.Levels.Judge(size, v.ID, nil, time.Now()); err != nil {
			return err
		}
	}
	defer p.Publish()
	return p.Reviews.Delete(v)
}

// You returns rank, results and losses of the player.
func (p *player) You() (*api.You, error) {
	y := &api.You{Ranks: p.Levels.Curves()}
	for _, size := range level.JudgedOn() {
		y.Judged = append(y.Judged, size.String())
	}
	var err error
	if y.Played, y.Sizes, err = p.Games.Tallies(); err != nil {
		return nil, err
	}
	if y.Sizes == nil {
		y.Sizes = []api.Tally{}
	}
	y.Losses, err = p.Reviews.Losses(func(c *api.ReviewCard) int { return p.side(c.Review, c.Black, c.White) })
	return y, err
}

// side returns the player's side in a review: 0 is Black, 1 White, -1 neither or both.
func (p *player) side(id, black, white string) int {
	if g, ok := p.Games.Game(id); ok { // a game played on this server
		return strings.Index("bw", g.Colour)
	}
	if side := p.Profile.Side(id); side != "" {
		return strings.Index("bw", side)
	}
	b, w := p.Profile.Mine(black), p.Profile.Mine(white)
	switch {
	case b && !w:
		return 0
	case w && !b:
		return 1
	}
	return -1
}

// Judged updates the player's rating by the moves of a finished review, unless the player had help
// in the game. Each review counts once, and no longer once the player has said to be neither side; fit is nil if the
// rating stays. After an error nothing is stored, and the next call tries again.
func (p *player) Judged(id string, res *review.Result) (fit *api.Fit, err error) {
	if _, err := p.Games.IDs(); err != nil {
		return nil, nil // the index is not readable: no side can be determined
	}
	k := p.side(id, res.Game.Black, res.Game.White)
	if g, _ := p.Games.Game(id); !res.Complete || g.Helped {
		return nil, nil
	}
	var losses []float64
	for i := range res.Moves {
		if m := &res.Moves[i]; m.Judged && m.Move != "pass" && strings.Index("bw", m.Color) == k {
			losses = append(losses, m.Loss)
		}
	}
	when, err := time.ParseInLocation(time.DateOnly, res.Game.Date, time.Local)
	if err != nil || when.After(time.Now()) {
		when = time.Now()
	}
	if g, ok := p.Games.Game(id); ok {
		when = time.Unix(g.Began, 0)
	}
	return p.Levels.Judge(board.Size{W: res.Game.Width, H: res.Game.Height}, id, losses, when)
}
