package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/sgf"
)

// LoadSGF sets size, komi, rules and set-up from a record, and plays its main line. The argument before is the
// number of the first move left out; 0 or a number beyond the end means that all are played. A record without rules
// leaves the rules as they are; one without komi sets the komi of the rules (0.5 with handicap stones). Parts that
// cannot be read or played are left out with a warning; it is an error if no move is left.
func (e *Engine) LoadSGF(data []byte, before int) error {
	trees, err := sgf.Parse(data)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	root, others := sgf.First(trees)
	record, err := sgf.RecordOf(root)
	if err == nil && len(record.Steps) == 0 {
		err = record.Fault
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	rules, assumed := record.RulesOr(e.game.Rules())
	playable, breaches, err := record.Playable(rules)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if before <= 0 || before > playable {
		before = playable + 1
	}
	if err := e.LoadRecord(record, rules, before); err != nil {
		return err
	}
	for _, note := range slices.Concat(others, record.Notes, assumed, breaches) {
		e.log.Warn("the record: " + note)
	}
	return nil
}

// LoadRecord sets up a position of a record under these rules. The argument before is the number of the
// move that comes next, from 1; 0 or a number beyond the end means the position after all moves.
func (e *Engine) LoadRecord(record *sgf.Record, rules board.Rules, before int) error {
	if err := e.net.Serves(record.Size); err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	game, err := record.Game(rules, max(before, 0)-1) // -1: all moves
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	known := e.cfg.Game
	known.ForgetOutOfTurn = false // keep the whole history of a record
	game.SetOptions(known)
	game.ContinueWith(e.cfg.Game)
	handicap := record.Handicap
	if record.HandicapPlayed() {
		handicap = 0 // the game itself counts handicap stones that are played as moves, also after Undo
	}
	e.replace(game, handicap)
	e.records.loaded = record
	return nil
}

// keepLoaded copies data from the record that the game was loaded from: players and dates, the
// comments of unchanged moves, and the result if no move was added or taken back.
func keepLoaded(r, old *sgf.Record) {
	steps := old.Steps
	for i, s := range slices.Backward(steps) {
		if s.Setup != nil { // the record begins here
			steps = steps[i+1:]
			break
		}
	}
	same := 0
	for same < min(len(steps), len(r.Steps)) && steps[same].Move == r.Steps[same].Move {
		r.Steps[same] = steps[same]
		same++
	}
	r.Black, r.White = cmp.Or(old.Black, r.Black), cmp.Or(old.White, r.White)
	r.Name, r.Event, r.Comment = old.Name, old.Event, old.Comment
	r.Date = cmp.Or(old.Date, r.Date)
	if same == len(r.Steps) && same == len(steps) {
		r.Result = old.Result
	}
}

// SaveSGF returns the game as one SGF tree: players and level, result if there is one, date,
// rules by their usual name, and the evaluations of the engine's moves as comments and as Black's
// winrate in percent (SBKV) and lead in points (SBKS), which Sabaki draws.
func (e *Engine) SaveSGF(ctx context.Context) ([]byte, error) {
	rules, moves := e.game.Rules(), e.game.Moves()
	evals, err := e.records.evalsOf(e.game)
	if err != nil {
		return nil, err
	}
	handicap, placed := placedByMoves(e.game)
	moves, evals = moves[placed:], evals[placed:]
	record := sgf.Record{
		Size: e.game.Size(), Komi: float64(rules.Komi), HasKomi: true,
		Rules: rulesName(rules), Handicap: max(e.handicap, handicap), Application: "Kosumi", Date: time.Now().Format(time.DateOnly),
		Steps: sgf.Steps(moves, nil),
	}
	black, white := e.Chose()
	served := e.rank.served(record.Size)
	if black {
		record.Black.Name, record.Black.Rank = e.cfg.Name, served
	}
	if white {
		record.White.Name, record.White.Rank = e.cfg.Name, served
	}
	record.Setup = startPosition(e.game, placed)
	if old := e.records.loaded; old != nil {
		keepLoaded(&record, old)
	}
	if record.Result == "" || e.records.resigner(e.game) != board.Empty {
		record.Result = e.resultInRecord(ctx)
	}
	for i, t := range evals {
		if t != nil {
			record.Steps[i].Comment = t.text(record.Size)
		}
	}
	root := record.Tree()
	i := -1
	for n := range root.MainLine() {
		if i >= 0 && i < len(evals) && evals[i] != nil {
			n.SetTenths("SBKV", 100*evals[i].winrate)
			n.SetTenths("SBKS", evals[i].lead)
		}
		i++
	}
	return sgf.Marshal(root)
}

// resultInRecord returns the result for a record. It is "" if the game is unfinished, dead stones
// cannot be judged, or the clock leaves no time for that. With Config.ScoreByLead all stones
// count as alive, as in KataGo's records.
func (e *Engine) resultInRecord(ctx context.Context) string {
	loser := e.records.resigner(e.game)
	switch {
	case loser == board.Black:
		return "W+R"
	case loser == board.White:
		return "B+R"
	case e.game.NoResult():
		return "Void"
	case !e.game.Ended(), e.cfg.ScoreByLead && !e.game.Finished():
		return ""
	case e.cfg.ScoreByLead:
		return sgf.ScoreResult(float64(e.judge.asTrained(e.game).Score()))
	case !e.judge.counted(e.game) && !(e.judge.knows(e.game) && e.judge.judged.fates != nil) && (hurried(e.budget(board.Black), 0) || hurried(e.budget(board.White), 0)):
		return ""
	}
	score, err := e.FinalScore(ctx)
	if err != nil {
		e.log.Warn("the record has no result", "error", err)
		return ""
	}
	return sgf.ScoreResult(score)
}

// rulesName returns the name of rules for a record (FF[4], RU), or KataGo's text for rules
// without a name.
func rulesName(r board.Rules) string {
	name := r.Name()
	return cmp.Or(map[string]string{"TrompTaylor": "Tromp-Taylor", "NewZealand": "NZ"}[name], name)
}

// placedByMoves returns how many handicap stones were placed by moves on an empty board, 0 or at least 2, and how many
// of the first moves a record can replace by these stones: all of them, or 0 if there are passes between them.
func placedByMoves(g *board.Game) (stones, moves int) {
	for p := range board.Point(g.Size().Area()) {
		if g.StartAt(p) != board.Empty {
			return 0, 0
		}
	}
	n := g.HandicapStones()
	if n > g.NumMoves() {
		return 0, 0
	}
	for _, m := range g.Moves()[:n] {
		if m.Color != board.Black || m.Point == board.Pass {
			return n, 0
		}
	}
	return n, n
}

// startPosition returns the set-up of a record; nil for an empty board with Black to move. If placed is
// not 0, the set-up consists of the first placed moves, as handicap stones.
func startPosition(g *board.Game, placed int) *sgf.Setup {
	if placed > 0 {
		s := &sgf.Setup{ToMove: board.White}
		for _, m := range g.Moves()[:placed] {
			s.Black = append(s.Black, m.Point)
		}
		return s
	}
	s := &sgf.Setup{ToMove: g.StartToMove()}
	if moves := g.Moves(); len(moves) > 0 {
		s.ToMove = moves[0].Color // the first move may have been out of turn
	}
	for p := range board.Point(g.Size().Area()) {
		switch g.StartAt(p) {
		case board.Black:
			s.Black = append(s.Black, p)
		case board.White:
			s.White = append(s.White, p)
		}
	}
	if len(s.Black)+len(s.White) == 0 && s.ToMove == board.Black {
		return nil
	}
	return s
}
