package search

import (
	"slices"

	"kosumi/board"
	"kosumi/search/thinking"
)

// position is the game at the root of a tree and the moves that are forbidden there. The tree's
// owner changes it between searches.
type position struct {
	game  board.Game // game as the caller passed it
	base  board.Game // game with clean-up phases enabled: descents start here
	ready bool       // there is a game
	bans  []thinking.Restriction
	areas board.AreaModes // area modes with which base is scored
}

// reset adopts a game and lifts all restrictions.
func (p *position) reset(g *board.Game) {
	p.game.CopyFrom(g)
	p.ready, p.bans = true, nil
	p.rebase()
}

// play makes a move and lifts all restrictions. After a move that cannot be played there is no game.
func (p *position) play(c board.Color, move board.Point) error {
	p.bans = nil
	if err := p.game.PlayTolerant(c, move); err != nil {
		p.ready = false
		return err
	}
	p.rebase()
	return nil
}

// rebase prepares the game that descents start from.
func (p *position) rebase() {
	p.base.CopyFrom(&p.game)
	o := p.base.Options()
	o.PreventEncore, o.AreaModes = false, p.areas
	p.base.ContinueWith(o)
}

// judge sets the modes in which areas are judged, and reports whether they changed.
func (p *position) judge(m board.AreaModes) (changed bool) {
	if p.areas == m {
		return false
	}
	p.areas = m
	p.rebase()
	return true
}

// matches reports whether a game has the same moves under the same rules as the one at the root.
func (p *position) matches(g *board.Game) bool {
	return p.ready && p.game.Size() == g.Size() && p.game.Rules() == g.Rules() &&
		p.game.Options() == g.Options() && p.game.ToMove() == g.ToMove() &&
		p.game.Hash() == g.Hash() && slices.Equal(p.game.Moves(), g.Moves())
}

// restrict replaces the restrictions and reports whether the new ones differ from the old.
func (p *position) restrict(bans []thinking.Restriction) (changed bool) {
	if sameRestrictions(p.bans, bans) {
		return false
	}
	p.bans = nil
	for _, b := range bans {
		b.Points = slices.Clone(b.Points)
		p.bans = append(p.bans, b)
	}
	return true
}

// allows reports whether the restrictions allow a move at the root.
func (p *position) allows(move board.Point) bool {
	return thinking.Permits(p.bans, p.base.ToMove(), move, 0)
}

// passChanges reports whether a pass at this root has another effect than the old tree assumed: with
// conservative passing, and in games without clean-up phases, a pass at the root does not count as
// the end of the game.
func (p *position) passChanges(pass *Pass) bool {
	if pass.Conservative && p.base.PassWouldEndGame() {
		return true
	}
	return p.game.Options().PreventEncore && p.base.PassWouldEndPhase()
}
