package engine

import (
	"fmt"
	"strconv"

	"kosumi/board"
	"kosumi/sgf"
)

// LoadSGF sets size, komi, rules (where the record has them), set-up and the
// moves of the main line up to the position before move number before; 0 or a
// number beyond the end means all of them. What the record does not say becomes
// the default of its rules, or of the rules now in force.
func (e *Engine) LoadSGF(data []byte, before int) error {
	trees, err := sgf.Parse(data)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if len(trees) == 0 {
		return fmt.Errorf("%w: it holds no game", ErrRecord)
	}
	record, err := sgf.RecordOf(trees[0])
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if err := e.net.Serves(record.Size); err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	moves := -1
	if before > 0 {
		moves = before - 1
	}
	game, err := record.Game(e.recordRules(record), moves)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	e.replace(game, record.Handicap)
	return nil
}

func (e *Engine) recordRules(r *sgf.Record) board.Rules {
	rules, err := r.BoardRules()
	if err != nil {
		rules = e.game.Rules()
	}
	if r.HasKomi && r.Komi >= -MaxKomi && r.Komi <= MaxKomi {
		rules.Komi = float32(r.Komi)
	}
	return rules
}

// SaveSGF returns the game so far as one SGF tree.
func (e *Engine) SaveSGF() ([]byte, error) {
	rules := e.game.Rules()
	record := sgf.Record{
		Size: e.game.Size(), Komi: float64(rules.Komi), HasKomi: true,
		Rules: rules.JSON(), Handicap: e.handicap, Application: "Kosumi",
		Steps: sgf.Steps(e.game.Moves(), nil),
	}
	record.Setup = e.startPosition()
	if e.game.Finished() {
		record.Result = resultText(float64(e.game.Score()))
	}
	return sgf.Marshal(record.Tree())
}

// startPosition returns what was on the board before the first move, nil for
// an empty board with Black to move.
func (e *Engine) startPosition() *sgf.Setup {
	start, err := board.NewGame(e.game.Size(), e.game.Rules())
	if err != nil {
		return nil
	}
	start.CopyFrom(e.game)
	for start.Undo() {
	}
	s := &sgf.Setup{}
	for p := range board.Point(start.Size().Area()) {
		switch start.At(p) {
		case board.Black:
			s.Black = append(s.Black, p)
		case board.White:
			s.White = append(s.White, p)
		}
	}
	if len(s.Black)+len(s.White) == 0 && start.ToMove() == board.Black {
		return nil
	}
	s.ToMove = start.ToMove()
	return s
}

// resultText writes a score, White minus Black, as SGF does.
func resultText(score float64) string {
	text := strconv.FormatFloat(max(score, -score), 'f', -1, 64)
	switch {
	case score > 0:
		return "W+" + text
	case score < 0:
		return "B+" + text
	}
	return "0"
}
