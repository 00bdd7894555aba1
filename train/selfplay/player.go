package selfplay

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/train/rows"
)

// player plays one game after another, move by move. One goroutine at a time.
type player struct {
	c    *Config
	net  nn.Evaluator // network that plays
	eval nn.Evaluator // net with repeatable answers; see Steady
	rng  *rand.Rand   // draws from pcg
	tree *search.Tree // nil until a search is needed

	id     ID
	active bool // a game is under way
	pcg    rand.PCG
	mark   mark
	game   board.Game
	record rows.Game
	out    nn.Output
	query  nn.Query

	resigning resignation
	restPass  bool // once every point is settled, both sides pass until the game ends
	recent    []float64
	next      *board.Game // start of the next game, if it forks from this one
	forking   bool        // the game is a fork whose first move is not determined yet
	turnLeft  int         // opening moves still to be drawn
	changed   bool        // the network changed during the game
}

// mark is the state at the start of a step. An interrupted step is undone and played again.
type mark struct {
	pcg       rand.PCG
	recent    int
	resigning resignation
}

func (p *player) setMark() {
	p.mark = mark{p.pcg, len(p.recent), p.resigning}
}

func (p *player) rewind() {
	m := &p.mark
	p.pcg, p.resigning = m.pcg, m.resigning
	p.recent = p.recent[:m.recent]
	p.tree = nil // a cancelled search changes the tree
}

// ID identifies a game of a run: the original game's number, and the number of forks since.
type ID struct {
	Number uint64 `json:"number"`
	Fork   int    `json:"fork,omitempty"`
}

// Filed names a game in a file; More reports whether another game forks from it.
type Filed struct {
	ID
	More bool
}

// Finished is a game that is over.
type Finished struct {
	ID      ID
	More    bool // another game forks from this one
	Game    *rows.Game
	Final   *board.Game
	Changed bool // the network changed during the game
	// Tested reports whether the game was played on after a side would have resigned, WrongResign
	// whether that side won.
	Tested, WrongResign bool
	Resigned            board.Color // Empty: nobody resigned
}

// begin draws the conditions of a new game. They depend on the seed and the number alone; a fork's
// first position comes from the game that it branches off.
func (p *player) begin(number, seed uint64) error {
	if p.next == nil {
		p.id = ID{Number: number}
	} else {
		p.id.Fork++
	}
	p.active, p.changed = true, false
	p.pcg = *rand.NewPCG(seed, p.id.Number*0x9e3779b97f4a7c15+1+uint64(p.id.Fork)*0xd1342543de82ef95)
	p.rng = rand.New(&p.pcg)
	c := p.c
	p.resigning = resignation{playOut: p.rng.Float64() < c.Ending.PlayOut}
	p.restPass, p.recent = p.rng.Float64() < c.Ending.PlayOutSettled, p.recent[:0]
	p.record = rows.Game{Hash: [2]uint64{p.rng.Uint64(), p.rng.Uint64()}, LeadFromScore: true}
	if p.next != nil {
		p.game.CopyFrom(p.next)
		p.next, p.turnLeft, p.forking = nil, 0, true
		p.record.Mode = rows.ModeFork
		return nil
	}
	if g, err := p.position(); g != nil || err != nil {
		if err == nil {
			p.game.CopyFrom(g)
			p.turnLeft = 0
		}
		return err
	}
	g, err := board.NewGame(BoardAt(p.c.Boards, p.rng.Float64()).Size(), p.drawRules())
	if err != nil {
		return err
	}
	p.game.CopyFrom(g)
	if err := p.handicap(); err != nil {
		return err
	}
	p.turnLeft = int(p.rng.ExpFloat64() * c.Opening.Moves * float64(g.Size().Area()))
	p.turnLeft = min(p.turnLeft, g.Size().Area()/3)
	return nil
}

func (p *player) handicap() error {
	share := p.c.Opening.Handicap
	if share == 0 || p.rng.Float64() >= share {
		return nil
	}
	if stones := board.FixedHandicap(p.game.Size(), 2+p.rng.IntN(8)); stones != nil {
		return p.game.Setup(stones, nil, board.White)
	}
	return nil
}

// start fixes the position that the record begins with.
func (p *player) start() {
	start := new(board.Game)
	start.CopyFrom(&p.game)
	p.record.Start = start
	p.record.FirstTurn = p.game.NumMoves()
}

func (p *player) drawRules() board.Rules {
	r := &p.c.Rules
	rules := board.Rules{Ko: board.KoSituational, Suicide: p.rng.Float64() < r.Suicide}
	switch x := p.rng.Float64() * (r.KoSimple + r.KoPositional + r.KoSituational); {
	case x < r.KoSimple:
		rules.Ko = board.KoSimple
	case x < r.KoSimple+r.KoPositional:
		rules.Ko = board.KoPositional
	}
	if r.Territory > 0 && p.rng.Float64() < r.Territory {
		rules = board.Japanese()
	}
	rules.Komi = float32(p.c.Komi.Usual[p.rng.IntN(len(p.c.Komi.Usual))])
	return rules
}

// step plays one move. It returns the game if that was its last.
func (p *player) step(ctx context.Context) (*Finished, error) {
	p.setMark()
	if p.record.Start == nil {
		return nil, p.openingMove(ctx)
	}
	if done := p.over(); done != nil {
		return done, nil
	}
	banned, settled := p.bannedMoves()
	if settled && !p.restPass && p.game.NumMoves() > 0 {
		return p.end(p.score(false)), nil
	}
	if err := p.turn(ctx, banned); err != nil {
		return nil, err
	}
	return p.over(), nil
}

// over returns the game if it has ended.
func (p *player) over() *Finished {
	switch {
	case p.resigning.by != board.Empty:
		return p.end(rows.End{Known: true, Winner: p.resigning.by.Opponent()})
	case p.game.Ended():
		return p.end(p.score(false))
	case float64(p.game.NumMoves()) >= p.c.MoveLimit*float64(p.game.Size().Area()):
		return p.end(p.score(true))
	}
	return nil
}

// score counts the present position as the end of the game; games to be labelled are not counted.
func (p *player) score(hitLimit bool) rows.End {
	if p.c.Labels {
		return rows.End{HitLimit: hitLimit}
	}
	return rows.ScoreEnd(&p.game, hitLimit)
}

// openingMove plays a move drawn from the network's policy, or the first move of a fork. After the last
// drawn move it settles komi; then searches begin.
func (p *player) openingMove(ctx context.Context) error {
	if p.forking {
		if err := p.forkMove(ctx); err != nil {
			return err
		}
		p.forking = false
		p.start()
		return nil
	}
	if p.turnLeft > 0 {
		move, err := p.policyMove(ctx, p.c.Opening.Temperature)
		if err != nil {
			return err
		}
		if err := p.game.Play(p.game.ToMove(), move); err != nil {
			return err
		}
		p.turnLeft--
		p.setMark()
	}
	if p.turnLeft > 0 {
		return nil
	}
	if err := p.settleKomi(ctx); err != nil {
		return err
	}
	p.start()
	return nil
}

// maxKomiShift bounds how far a network may move komi, in points.
const maxKomiShift = 10

// settleKomi draws the komi of a game. A fair komi follows the score that the network expects. The network's
// lead would say nothing more, since it is trained on scores too (rows.Game.LeadFromScore).
func (p *player) settleKomi(ctx context.Context) error {
	k := &p.c.Komi
	// Positions from records are often decided, so games that begin there always get a fair komi.
	if p.rng.Float64() < k.UsualShare && p.record.Mode != rows.ModeSGF {
		return nil
	}
	komi := float64(p.game.Rules().Komi)
	if p.c.Search.Method != Random {
		if err := p.evaluate(ctx); err != nil {
			return err
		}
		if p.out.HasScore {
			score := float64(p.out.ScoreMean) // for the side to move
			if p.game.ToMove() == board.White {
				score = -score
			}
			// A network that knows little must not choose an extreme komi.
			komi += max(-maxKomiShift, min(maxKomiShift, score))
		}
	}
	scale := math.Sqrt(float64(p.game.Size().Area())) / 9
	stdev := k.Stdev
	if p.rng.Float64() < k.WideShare {
		stdev = k.WideStdev
	}
	komi += max(-3, min(3, p.rng.NormFloat64())) * stdev * scale
	limit := float64(p.game.Size().Area())
	p.game.SetKomi(float32(math.Round(2*max(-limit, min(limit, komi))) / 2))
	return nil
}

func (p *player) evaluate(ctx context.Context) error {
	p.query = nn.Query{Game: &p.game, Symmetry: nn.SymmetryRandom}
	return p.eval.Evaluate(ctx, &p.query, &p.out)
}

// policyMove draws a move from the network's policy; a pass only if no other move is legal.
func (p *player) policyMove(ctx context.Context, temperature float64) (board.Point, error) {
	size := p.game.Size()
	if p.c.Search.Method == Random {
		return p.sensibleMove(), nil
	}
	if err := p.evaluate(ctx); err != nil {
		return 0, err
	}
	at := nn.Draw(p.out.Policy[:size.Area()], temperature, p.rng)
	if at < 0 {
		return board.Pass, nil
	}
	return size.FromIndex(at), nil
}

// sensibleMove draws a legal move that is not banned; a pass if there is none.
func (p *player) sensibleMove() board.Point {
	banned, _ := p.bannedMoves()
	var buf [board.MaxMoves]board.Point
	moves := p.sensibleMoves(buf[:0], banned)
	if len(moves) == 0 {
		return board.Pass
	}
	return moves[p.rng.IntN(len(moves))]
}

// sensibleMoves appends the legal moves that are not banned, without the pass.
func (p *player) sensibleMoves(dst []board.Point, banned []board.Point) []board.Point {
	var forbidden [board.MaxPoints]bool
	for _, q := range banned {
		forbidden[q] = true
	}
	size := p.game.Size()
	var legal [board.MaxMoves]bool
	for i, ok := range p.game.LegalMoves(legal[:0])[:size.Area()] {
		if ok && !forbidden[i] {
			dst = append(dst, size.FromIndex(i))
		}
	}
	return dst
}

// bannedMoves returns the points that are not searched, and whether every point
// of the board is settled.
func (p *player) bannedMoves() (banned []board.Point, settled bool) {
	e := &p.c.Ending
	if !e.SkipSettled && !e.SkipEyes {
		return nil, false
	}
	b, area := p.game.Board(), p.game.Size().Area()
	var safe []board.Color
	if e.SkipSettled && b.Stones(board.Black)+b.Stones(board.White) > area/4 {
		var buf [board.MaxPoints]board.Color
		safe = b.PassAlive(buf[:0], p.game.Rules().Suicide || p.game.Options().PassAliveUnderSuicide)
	}
	settled = safe != nil
	own := p.game.ToMove()
	for q := range board.Point(area) {
		if safe != nil && safe[q] != board.Empty {
			if b.At(q) == board.Empty {
				banned = append(banned, q)
			}
			continue
		}
		settled = false
		if e.SkipEyes && b.At(q) == board.Empty && isEye(b, q, own) {
			banned = append(banned, q)
		}
	}
	return banned, settled
}

// isEye reports whether an empty point is an eye of a side and no chain around it is in atari.
func isEye(b *board.Board, q board.Point, own board.Color) bool {
	inAtari := func(n board.Point) bool { return b.Liberties(n) == 1 }
	return b.IsEye(q, own) && !slices.ContainsFunc(b.Neighbors(q), inAtari)
}
