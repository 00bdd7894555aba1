package review

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"kosumi/board"
)

// Kind is the kind of a mistake.
type Kind string

// The kinds of mistakes.
const (
	MissedCapture Kind = "missed capture"
	MissedSave    Kind = "stones not saved"
	SelfAtari     Kind = "self-atari"
	Ladder        Kind = "ladder"
	GroupLost     Kind = "group lost"
	LetLive       Kind = "let live"
	Cut           Kind = "connection"
	GroupWeak     Kind = "group weakened"
	OwnTerritory  Kind = "own territory"
	Threatened    Kind = "threat" // an unanswered or missed threat
	TooSmall      Kind = "answered too small"
	SmallMove     Kind = "too small"
	Direction     Kind = "direction"
	BadShape      Kind = "shape"
	Territory     Kind = "territory"
	EndgameKind   Kind = "endgame"
	Other         Kind = "other"
)

// kinds maps a mistake's first claim to the kind of the mistake.
var kinds = map[ClaimKind]Kind{
	Captured: MissedSave, Laddered: Ladder, Broken: Ladder, Dies: GroupLost, Lives: LetLive, Parted: Cut, Joined: Cut,
	Weak: GroupWeak, Stronger: LetLive, Weakens: GroupWeak, Strengthens: LetLive, Atari: GroupWeak, Attacks: LetLive, Threat: Threatened,
	Saves: GroupLost, Kills: LetLive, Connects: Cut, Cuts: Cut, Takes: MissedCapture, Hunts: Ladder, Threatens: Threatened,
	Small: SmallMove, Unneeded: TooSmall, Inside: OwnTerritory, Holds: Territory, Sente: SmallMove, Gote: SmallMove, Shape: BadShape, Direct: Direction, Worth: Other,
}

// mistake is a bad move to be explained. Ownership is from the mover's view, -1..1.
type mistake struct {
	size          board.Size
	mover         board.Color
	before        *board.Game
	next          *board.Game // position after the move
	afterBest     *board.Game // position after the first plies of the better line
	afterPlayed   *board.Game // position after the move and the first plies of its refutation
	played, best  board.Point
	last          board.Point // the opponent's last move
	own           []float64   // ownership before the move, by the search of that position
	bestOwn, did  []float64   // ownership after the better and the played move: means of the judgements
	better, worse judgements  // the judgements of bestOwn, and those of did
	diff          []float64   // bestOwn - did
	loss, err     float64
	leastLoss     float64       // the smallest estimate of loss
	taken, punish []board.Point // stones that the better line captures; the mover's stones that the played line loses
	parts         []part
	partOf        []int  // number of each point's part, -1 for none
	bestV         string // the vertex of best
	playedV       string
	reply         string  // the first move of the refutation, "" if unknown
	lead          float64 // the mover's lead after the mistake
	bestLead      float64 // the mover's lead after the better move
	// caughtPlayed and caughtBest are the stones that can be caught after the mistake and after the better move.
	caughtPlayed, caughtBest map[board.Point]hunt

	look    func(*board.Game, int64) (*Eval, error) // searches a position; nil: searches are not allowed
	visits  int64                                   // visits of each search by lookAfter
	passed  *Eval                                   // search after a pass in place of the move; nil: unknown
	ignored *Eval                                   // search after the better move and a pass
}

// explain sets kind, claims, reason and points of a move that lost something.
func (r *run) explain(t int, m *Move, look func(*board.Game, int64) (*Eval, error), visits int64) error {
	k, err := r.mistakeAt(t, m)
	if err != nil || k == nil {
		return err
	}
	k.look, k.visits = look, visits
	if err := k.playOut(); err != nil {
		return err
	}
	list, err := k.claims()
	if err != nil {
		return err
	}
	m.Claims = nil
	for _, f := range list {
		m.Claims = append(m.Claims, f.Claim)
	}
	m.Kind = kinds[m.Claims[0].Kind]
	switch {
	case m.Kind == MissedSave && slices.Contains(list[0].at, k.played):
		m.Kind = SelfAtari
	case m.Kind == Other && m.Phase == Endgame:
		m.Kind = EndgameKind
	}
	m.told()
	return nil
}

// told sets a move's Reason and Points from its Claims.
func (m *Move) told() {
	m.Reason, m.Points = Say(m.Claims, m.Color, m.Move), nil
	for i := range m.Claims {
		c := &m.Claims[i]
		if c.Of != nil {
			c = c.Of
		}
		for _, v := range slices.Concat(c.Stones, c.Others, c.Area) {
			if !slices.Contains(m.Points, v) {
				m.Points = append(m.Points, v)
			}
		}
	}
}

// lookShare is the maximum share of the review's visits spent on searches that explain mistakes.
const lookShare = 0.1

// explainAll explains the listed moves. With judges it searches a few more positions to explain the
// worst moves.
func (r *run) explainAll(ctx context.Context, res *Result, judges []*Judge) error {
	var listed []int
	for t := range res.Moves {
		if res.Moves[t].Listed {
			listed = append(listed, t)
		}
	}
	asked := worst(res.Moves, worstReported, func(m *Move) float64 { return m.Loss })
	visits := max(1, min(64, int64(lookShare*float64(r.visits))/int64(3*max(1, len(asked)))))
	queue, failed := make(chan int), make([]error, len(res.Moves))
	var wg sync.WaitGroup
	for i := range max(1, min(len(judges), len(listed))) {
		wg.Go(func() {
			for t := range queue {
				var look func(*board.Game, int64) (*Eval, error)
				if len(judges) > 0 && slices.Contains(asked, t) {
					look = func(g *board.Game, visits int64) (*Eval, error) {
						return judges[i].search(ctx, g, visits, board.NoPoint)
					}
				}
				failed[t] = r.explain(t, &res.Moves[t], look, visits)
			}
		})
	}
	for _, t := range listed {
		queue <- t
	}
	close(queue)
	wg.Wait()
	return cmp.Or(failed...)
}

// settle turns a proof about a group into claims about the move. line begins with the mover's move that
// saves the group; loses is the opponent's move that kills it after the mistake. If kills is true, the
// mover's move kills the group and the opponent's saves it. line or loses is empty if its move is not proved.
func (m *Move) settle(kills bool, group, line []string, loses string, only bool) {
	saves := first(line)
	let := Claim{Kind: Dies, After: AfterPlayed, Color: m.Color, Stones: group, Move: loses, Proved: true}
	better := Claim{Kind: Saves, After: AfterBetter, Color: m.Color, Stones: group, Move: saves, Proved: true, Only: only}
	if kills {
		let.Kind, better.Kind = Lives, Kills
		let.Color, better.Color = Opponent(m.Color), Opponent(m.Color)
	}
	if m.Best[0].Move != saves {
		better.After, better.Line = "", line
	}
	switch {
	case saves == "":
		m.Claims = []Claim{let}
	case loses != "":
		m.Claims = []Claim{let, better}
	case only || slices.ContainsFunc(m.Claims[0].Stones, func(v string) bool { return slices.Contains(group, v) }):
		m.Claims = []Claim{better}
	default:
		m.Claims = []Claim{m.Claims[0], better}
	}
	m.Kind = kinds[m.Claims[0].Kind]
	m.told()
}

// lineLength is how many plies of a line are played to find its captures.
const lineLength = 8

// mistakeAt collects the data about a mistake; nil if there is no better move.
func (r *run) mistakeAt(t int, m *Move) (*mistake, error) {
	before, after := r.evals[t], r.evals[t+1]
	if len(before.Moves) == 0 || len(before.Moves[0].Line) == 0 || before.Moves[0].Move == m.Move {
		return nil, nil
	}
	game, err := r.game.Position(t)
	if err != nil {
		return nil, err
	}
	sign := Sign(m.Color)
	k := &mistake{size: game.Size(), mover: r.game.Moves[t].Color, before: game, played: r.game.Moves[t].Point, playedV: m.Move,
		last: board.NoPoint, loss: m.Loss, err: m.Error, bestV: before.Moves[0].Move, lead: sign * after.Lead}
	k.bestLead = k.lead + m.Loss
	if k.best, err = k.size.ParseVertex(k.bestV); err != nil {
		return nil, err
	}
	if t > 0 {
		k.last = r.game.Moves[t-1].Point
	}
	k.own, k.bestOwn, k.did = k.view(before.Ownership), k.view(before.BestOwnership), k.view(after.Ownership)
	k.afterBest, k.taken, _ = k.playLine(before.Moves[0].Line)
	var answer []string
	if len(after.Moves) > 0 {
		answer = after.Moves[0].Line
		k.reply = first(answer)
	}
	k.next, _, _ = k.playLine([]string{m.Move})
	k.afterPlayed, _, k.punish = k.playLine(append([]string{m.Move}, answer...))
	return k, nil
}

// judgements holds estimates of the ownership of all points: by the review's own search, by another search,
// and by the network at the end of a line.
type judgements [][]float64

// least and most return the smallest and the largest judgement of the mean ownership of some points.
func (j judgements) least(points []board.Point) float64 {
	least := 1.0
	for _, own := range j {
		least = min(least, mean(own, points))
	}
	return least
}

func (j judgements) most(points []board.Point) float64 {
	most := -1.0
	for _, own := range j {
		most = max(most, mean(own, points))
	}
	return most
}

// mean returns the mean of the judgements of each point.
func (j judgements) mean() []float64 {
	sum := make([]float64, len(j[0]))
	for _, own := range j {
		for i := range sum {
			sum[i] += own[i] / float64(len(j))
		}
	}
	return sum
}

// change returns the mean ownership that the move loses on some points: the smallest loss that any pair of judgements gives.
func (k *mistake) change(points []board.Point) float64 {
	return k.better.least(points) - k.worse.most(points)
}

// playOut searches the position after the better move, evaluates the ends of both lines, and finds
// the regions that changed.
func (k *mistake) playOut() error {
	k.leastLoss, k.better, k.worse = k.loss, judgements{k.bestOwn}, judgements{k.did}
	again, err := k.lookAfter(k.best)
	if err != nil {
		return err
	}
	if again != nil && len(again.Ownership) > 0 {
		k.better = append(k.better, k.view(again.Ownership))
		k.leastLoss = min(k.leastLoss, k.leadAt(again)-k.lead)
	}
	for _, line := range []struct {
		end *board.Game
		by  *judgements
	}{{k.afterBest, &k.better}, {k.afterPlayed, &k.worse}} {
		if k.look == nil || line.end.Ended() {
			continue
		}
		e, err := k.look(line.end, 1)
		if err != nil {
			return err
		}
		if len(e.Ownership) > 0 {
			*line.by = append(*line.by, k.view(e.Ownership))
		}
	}
	k.bestOwn, k.did = k.better.mean(), k.worse.mean()
	k.findParts()
	return nil
}

// lookAfter searches the position after some moves by both sides in turn, the mover first. It
// returns nil if no more searches are allowed or the game is over there.
func (k *mistake) lookAfter(moves ...board.Point) (*Eval, error) {
	if k.look == nil {
		return nil, nil
	}
	var g board.Game
	g.CopyFrom(k.before)
	color := k.mover
	for _, p := range moves {
		if g.PlayTolerant(color, p) != nil || g.Ended() {
			return nil, nil
		}
		color = color.Opponent()
	}
	return k.look(&g, k.visits)
}

// leadAt is the mover's lead.
func (k *mistake) leadAt(e *Eval) float64 { return Sign(letter(k.mover)) * e.Lead }

// view turns Black's ownership into the mover's.
func (k *mistake) view(o Owners) []float64 {
	out := make([]float64, k.size.Area())
	sign := 0.01
	if k.mover == board.White {
		sign = -sign
	}
	for i := range o {
		out[i] = sign * float64(o[i])
	}
	return out
}

// playLine plays the first plies of a line, the mover first. It returns the captured stones of each side
// that were on the board before the line; ours includes the line's first stone if that is captured.
func (k *mistake) playLine(line []string) (g *board.Game, theirs, ours []board.Point) {
	g = &board.Game{}
	g.CopyFrom(k.before)
	color := k.mover
	opening := board.NoPoint
	for i, v := range line[:min(len(line), lineLength)] {
		p, err := k.size.ParseVertex(v)
		if err != nil {
			break
		}
		var old [board.MaxPoints]board.Color
		for i := range k.size.Area() {
			old[i] = g.At(board.Point(i))
		}
		if g.PlayTolerant(color, p) != nil {
			break
		}
		if i == 0 {
			opening = p
		}
		for i := range k.size.Area() {
			q := board.Point(i)
			if g.At(q) != board.Empty || old[i] == board.Empty || k.before.At(q) != old[i] && (q != opening || old[i] != k.mover) {
				continue
			}
			if old[i] == k.mover && !slices.Contains(ours, q) {
				ours = append(ours, q)
			} else if old[i] != k.mover && !slices.Contains(theirs, q) {
				theirs = append(theirs, q)
			}
		}
		color = color.Opponent()
	}
	return g, theirs, ours
}
