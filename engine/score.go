package engine

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/thinking"
)

// judge finds out how a game stands: dead stones, owners of points, the score, the
// lead, and whether to pass. It owns what was found out about the last position. The
// engine asks it while nothing else searches.
type judge struct {
	cfg     *Config
	net     nn.Network
	log     *slog.Logger
	thinker *thinker

	judged judgement // the last position whose dead stones were asked for
	even   evenEstimate
	leads  *search.Leads // of what is shown; nil: they stay the network's own
}

func newJudge(cfg *Config, net nn.Network, log *slog.Logger, t *thinker) *judge {
	j := &judge{cfg: cfg, net: net, log: log, thinker: t}
	j.forget()
	return j
}

// forget forgets what was found out. Leads that are shown are the network's own where
// they are KataGo's.
func (j *judge) forget() {
	j.judged, j.even, j.leads = judgement{}, evenEstimate{}, nil
	if !j.cfg.ScoreByLead {
		j.leads = search.NewLeads(j.net)
	}
}

// showLeads corrects the leads of a search under these limits, where there is time.
func (j *judge) showLeads(ctx context.Context, game *board.Game, found *search.Result, l search.Limits) {
	if leadsFit(found, l) {
		j.leads.Show(ctx, j.log, game, found)
	}
}

// leadsFit reports whether a clock leaves time for the evaluations that leads may take.
func leadsFit(r *search.Result, l search.Limits) bool {
	const most, share = 24, 20 // evaluations; of the time for the move, one part in so many
	return l.Time == 0 || most*r.Stats.Elapsed/time.Duration(max(r.Stats.Evaluations, 1)) < l.Time/share
}

// score returns White's points minus Black's, as [Engine.FinalScore] does.
func (j *judge) score(ctx context.Context, g *board.Game) (float64, error) {
	if j.cfg.ScoreByLead && !j.counted(g) {
		return j.lead(ctx, g)
	}
	if !g.Ended() {
		found, err := j.chains(ctx, g)
		if err != nil {
			return 0, err
		}
		t, err := j.estimate(ctx, g)
		if err != nil {
			return 0, err
		}
		if most := g.Size().Area() / mostOpen; !found.sure || found.open() > most || t.Open > most || len(t.Unsettled) > 0 {
			if t.Low != t.High || t.Lead != 0 { // the network has an opinion of the score
				return toResult(t.Lead, t.Winrate, g.Rules()), nil
			}
		}
	}
	c, err := j.count(ctx, g)
	return c.score, err
}

// mostOpen is the share of a board's points, one in so many, that can be open in a
// game that is over but for passing: neutral points.
const mostOpen = 20

// counted reports whether the game ended so that everything counts as it stands:
// without agreement on dead stones, or after the clean-up phases, in which they were
// taken off by play.
func (j *judge) counted(g *board.Game) bool {
	rules := g.Rules()
	if g.NoResult() && !j.cfg.ScoreByLead {
		return true
	}
	return g.Finished() && !(rules.Scoring == board.ScoringArea && rules.FriendlyPassOk)
}

// knows reports whether a game that has ended can be counted at once.
func (j *judge) knows(g *board.Game) bool { return j.counted(g) || j.judged.of(g) }

// count is what the position on the board comes to.
type count struct {
	dead   []board.Point
	owners []board.Color // of each point
	score  float64       // White's points minus Black's
}

// count counts the position: as it stands, or with the stones that are judged dead
// taken off. Dead stones, the owners of points and the score all come from here.
func (j *judge) count(ctx context.Context, g *board.Game) (count, error) {
	if !j.counted(g) {
		found, err := j.chains(ctx, g)
		if err != nil {
			return count{}, err
		}
		dead := found.dead
		g = j.asTrained(g)
		return count{dead, g.OwnersWithDead(dead), float64(g.ScoreWithDead(dead))}, nil
	}
	g = j.asTrained(g)
	c := count{owners: g.Owners(nil)}
	if g.NoResult() {
		return c, nil
	}
	c.score = float64(g.Score())
	for p, owner := range c.owners {
		if color := g.At(board.Point(p)); color != board.Empty && color != owner {
			c.dead = append(c.dead, board.Point(p))
		}
	}
	return c, nil
}

// asTrained returns the game with its areas judged as searches judge them: as the network
// was trained to, or as the settings say.
func (j *judge) asTrained(g *board.Game) *board.Game {
	o := g.Options()
	if o.AreaModes = j.cfg.Search.Pass.Areas.Over(j.net.Describe().Areas); o == g.Options() {
		return g
	}
	c := new(board.Game)
	c.CopyFrom(g)
	c.ContinueWith(o)
	return c
}

// status judges every point, as [Engine.FinalStatus] does.
func (j *judge) status(ctx context.Context, g *board.Game) ([]thinking.Status, error) {
	c, err := j.count(ctx, g)
	if err != nil {
		return nil, err
	}
	status := make([]thinking.Status, g.Size().Area())
	for _, p := range c.dead {
		status[p] = thinking.Dead
	}
	for p := range status {
		if g.At(board.Point(p)) != board.Empty {
			continue
		}
		switch c.owners[p] {
		case board.Black:
			status[p] = thinking.BlackTerritory
		case board.White:
			status[p] = thinking.WhiteTerritory
		default:
			status[p] = thinking.Dame
		}
	}
	return status, nil
}

// A chain counts as dead if its mean ownership in its own favour is below
// deadMean, or any of its stones is surely the opponent's: KataGo's rule for
// boards that are not played out. Below sureMean either way its fate is in doubt.
const (
	deadMean  = 0.2
	deadStone = -0.6
	sureMean  = 0.5
)

// judgement is what was found out about one position.
type judgement struct {
	hash board.Hash
	done bool
	own  []float32     // owner of each point, [-1,1], + = White
	dead []board.Point // stones of dead chains
	sure bool          // no chain is in doubt: others will call the same ones dead
}

// of reports whether the judgement is that of a position.
func (j *judgement) of(g *board.Game) bool { return j.done && j.hash == g.Hash() }

// open is how many points are not surely either side's.
func (j *judgement) open() (n int) {
	for _, v := range j.own {
		if max(v, -v) < sureOwner {
			n++
		}
	}
	return n
}

// chains judges the chains on the board, each position once: controllers ask for
// every status in turn.
func (j *judge) chains(ctx context.Context, g *board.Game) (judgement, error) {
	if j.judged.of(g) {
		return j.judged, nil
	}
	own, err := j.ownership(ctx, g)
	if err != nil {
		return judgement{}, err
	}
	j.judged = judgeChains(g, own)
	if !j.cfg.ScoreByLead {
		j.judged.dead = surrounded(g, j.judged.dead)
	}
	j.judged.hash, j.judged.done = g.Hash(), true
	return j.judged, nil
}

// judgeChains judges by an estimate of the owners, [-1,1], + = White, which it
// keeps and corrects: what Benson's algorithm proves alive, or dead inside proven
// territory, is never left to the estimate.
func judgeChains(g *board.Game, own []float32) judgement {
	j := judgement{own: own, sure: true}
	b := g.Board()
	for p, c := range b.PassAlive(nil, g.Rules().Suicide) {
		switch c {
		case board.White:
			own[p] = 1
		case board.Black:
			own[p] = -1
		}
	}
	var chain []board.Point
	for p := range board.Point(b.Size().Area()) {
		if b.At(p) == board.Empty || b.ChainHead(p) != p {
			continue
		}
		chain = b.Chain(chain[:0], p)
		mean, least := kept(own, chain, b.At(p))
		if least < deadStone || mean < deadMean {
			j.dead = append(j.dead, chain...)
		}
		if max(mean, -mean) < sureMean {
			j.sure = false
		}
	}
	return j
}

// surrounded returns those of the stones that are the opponent's points once all of
// them are off the board. Stones that are taken for dead and are not so surrounded, or
// stand in seki, live. The points of a chain are one region then, so chains stay whole.
func surrounded(g *board.Game, dead []board.Point) []board.Point {
	for {
		owners := g.OwnersWithDead(dead)
		least := slices.DeleteFunc(slices.Clone(dead), func(p board.Point) bool { return owners[p] != g.At(p).Opponent() })
		if len(least) == len(dead) {
			return dead
		}
		dead = least
	}
}

// kept returns how far the points of a chain of colour c stay its own: the mean
// and the least, [-1,1].
func kept(own []float32, chain []board.Point, c board.Color) (mean, least float32) {
	sign := float32(1)
	if c == board.Black {
		sign = -1
	}
	least = 1
	for _, p := range chain {
		mean += sign * own[p]
		least = min(least, sign*own[p])
	}
	return mean / float32(len(chain)), least
}

// ownershipSays is the mean absolute ownership below which a network's opinion
// is no opinion: an untrained head answers about 0 everywhere.
const ownershipSays = 0.1

// ownership estimates the owner of every point, [-1,1], + = White: by the
// network, averaged over all orientations, or by random games where it has no
// such head.
func (j *judge) ownership(ctx context.Context, g *board.Game) ([]float32, error) {
	if j.cfg.ScoreByLead {
		if own, err := j.searchOwnership(ctx, g); own != nil || err != nil {
			return own, err
		}
	}
	area := g.Size().Area()
	sums := make([]float32, area)
	var out nn.Output
	for sym := range int8(8) {
		q := nn.Query{Game: g, Symmetry: sym, SkipCache: true, NeedOwnership: true, Meta: j.cfg.profile()}
		q.Options.Areas = j.cfg.Search.Pass.Areas
		if err := j.net.Evaluate(ctx, &q, &out); err != nil {
			return nil, err
		}
		if !out.HasOwnership {
			return rolloutOwnership(g), nil
		}
		sign := float32(1)
		if g.ToMove() == board.Black {
			sign = -1
		}
		for p := range sums {
			sums[p] += sign * out.Ownership[p] / 8
		}
	}
	var strength float32
	for _, v := range sums {
		strength += max(v, -v)
	}
	if strength < ownershipSays*float32(area) {
		return rolloutOwnership(g), nil
	}
	return sums, nil
}

// rolloutOwnership estimates owners by random games.
func rolloutOwnership(g *board.Game) []float32 {
	hash := g.StoneHash()
	r := rollouts{rng: rand.New(rand.NewPCG(hash.Lo, hash.Hi))}
	return r.ownership(g.Board(), g.ToMove())
}
