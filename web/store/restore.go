package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// OpenGame replays the journal of a game and opens it for appending. A damaged journal is rebuilt from
// the SGF beside it, or from its own lines before the damage if these have more moves or the SGF cannot
// be used; the damaged file is kept. A running clock is paused. behind reports that the SGF has to be
// written again, because the program ended between writing the journal and the SGF.
func OpenGame(f *Folder, id string, log *slog.Logger) (g *Game, j *Journal, behind bool, err error) {
	data, err := f.Read("games", id, ".jsonl", maxJournal)
	if err != nil {
		return nil, nil, false, err
	}
	k := parse(data)
	k.head.ID = id
	rec := readRecord(f, id)
	path := f.Path("games", id, ".jsonl")
	g, made := k.replay()
	switch {
	case k.bad > 0 || made < len(k.steps) || k.torn && ahead(rec, g, k.steps):
		k.steps = k.steps[:made]
		g, err = k.restore(f, log, g, rec, data)
	case k.torn:
		err = file.WritePrivate(path, data[:k.whole])
	}
	if err == nil {
		j, err = OpenJournal(path)
	}
	if err != nil {
		return nil, nil, false, err
	}
	if g.Phase == Play && g.Clocks[0].Limited() && g.Paused == "" && g.Rev > 0 {
		g.Paused = "restart"
	}
	return g, j, rec == nil || rec.Result != g.Result || !slices.Equal(rec.Moves(), g.Board.Moves()), nil
}

// Sources from which a game with a damaged journal was restored.
const (
	RestoredAll  = "sgf"  // from the SGF record
	RestoredPart = "part" // from the journal's lines before the damage
)

// replay applies the steps of a journal until one cannot be applied, and returns the number of
// applied steps. The game is nil if the header is damaged.
func (k *kept) replay() (*Game, int) {
	if !k.headed {
		return nil, 0
	}
	for n := len(k.steps); ; {
		g, err := NewGame(k.head)
		if err != nil {
			return nil, 0
		}
		made := 0
		for made < n && g.Apply(&k.steps[made]) == nil {
			made++
		}
		if made == n {
			return g, n
		}
		n = made // the failed step may have changed the game: replay without that step
	}
}

// begins reports whether the second list of moves is the start of the first.
func begins(moves, with []board.Move) bool {
	return len(moves) >= len(with) && slices.Equal(moves[:len(with)], with)
}

func asLines(h Header, steps []Step) []any {
	lines := []any{h}
	for _, e := range steps {
		lines = append(lines, e)
	}
	return lines
}

// ofRecord makes a game from the SGF beside its journal. Hints, dead stones and clocks come from
// the journal's undamaged lines. The game is nil if SGF and journal contradict each other.
func (k *kept) ofRecord(rec *sgf.Record) (*Game, []any) {
	h := k.head
	if !k.headed {
		h = headerOf(rec, k.head.ID)
	}
	at := h.Created
	var last *[2]api.ClockState
	var dead []string
	var steps []Step
	add := func(e Step) {
		e.Rev, e.At = len(steps)+1, at
		steps = append(steps, e)
	}
	if h.Free && rec.Setup != nil {
		for _, p := range rec.Setup.Black {
			add(Step{K: "stone", M: rec.Size.Vertex(p)})
		}
	}
	for _, m := range rec.Moves() {
		add(Step{K: "move", M: rec.Size.Vertex(m.Point)})
	}
	for _, e := range slices.Concat(k.steps, k.rest) {
		if at = e.At; e.Clocks != nil {
			last = e.Clocks
		}
		switch e.K {
		case "dead":
			dead = e.Dead
		case "help":
			add(Step{K: "help", N: e.N})
		}
	}
	if rec.Result != "" && rec.Result != "Void" {
		if n := len(rec.Moves()); dead != nil && n > 1 && rec.Moves()[n-1].Point == board.Pass && rec.Moves()[n-2].Point == board.Pass {
			add(Step{K: "dead", Dead: dead})
		}
		why := ""
		if rec.Comment == byWord {
			why = "player"
		}
		add(Step{K: "over", Result: rec.Result, Why: why})
	}
	if len(steps) > 0 {
		steps[len(steps)-1].Clocks = last
	}
	whole := kept{head: h, headed: true, steps: steps}
	g, made := whole.replay()
	if g == nil || made < len(steps) {
		return nil, nil
	}
	return g, asLines(h, steps)
}

// headerOf derives the header of a game from its record.
func headerOf(rec *sgf.Record, id string) Header {
	h := Header{V: 1, ID: id, Size: [2]int{rec.Size.W, rec.Size.H}, Komi: rec.Komi, Handicap: rec.Handicap, Colour: "b", Clock: api.Clock{Kind: "none"}}
	h.Seat.Level = rec.White.Rank
	if rec.White.Name == playerName {
		h.Colour, h.Seat.Level = "w", rec.Black.Rank
	}
	if rules, err := rec.BoardRules(); err == nil {
		h.Rules = rules.JSON()
	}
	if rec.Setup != nil {
		h.Handicap = len(rec.Setup.Black)
		h.Free = !slices.Equal(slices.Sorted(slices.Values(rec.Setup.Black)), slices.Sorted(slices.Values(board.FixedHandicap(rec.Size, h.Handicap))))
	}
	h.Created, _ = time.ParseInLocation(time.DateOnly, strings.TrimSpace(rec.Date), time.Local) // zero if the record has no date
	return h
}

// ahead reports whether the record has moves or a result that the journal lacks. If so, the torn last
// line was once complete on the disk, since the record is written after the journal.
func ahead(rec *sgf.Record, g *Game, steps []Step) bool {
	if rec == nil || g == nil || len(steps) > 0 && steps[len(steps)-1].K == "undo" {
		return false
	}
	moves, has := rec.Moves(), g.Board.Moves()
	return begins(moves, has) && (len(moves) > len(has) || rec.Result != "" && g.Result == "")
}

// readRecord reads the record beside a journal, nil where there is none.
func readRecord(f *Folder, id string) *sgf.Record {
	data, err := f.Read("games", id, ".sgf", wire.MaxSGF)
	if err != nil {
		return nil
	}
	roots, err := wire.ParseSGF(data)
	if err != nil {
		return nil
	}
	rec, err := sgf.RecordOf(roots[0])
	if err != nil {
		return nil
	}
	return rec
}

// restore makes a game from the record, or from part, the game before the damage, and writes a new journal.
func (k *kept) restore(f *Folder, log *slog.Logger, part *Game, rec *sgf.Record, damaged []byte) (*Game, error) {
	where := fmt.Sprintf("line %d of its journal is damaged", max(k.bad, 1))
	if k.bad == 0 {
		where = "its journal does not fit together"
	}
	g, lines, why := part, asLines(k.head, k.steps), RestoredPart
	if rec != nil && (part == nil || part.Board.NumMoves() <= len(rec.Moves()) || !begins(part.Board.Moves(), rec.Moves())) {
		if full, all := k.ofRecord(rec); full != nil {
			g, lines, why = full, all, RestoredAll
		}
	}
	if g == nil {
		return nil, fmt.Errorf("%w: %s, and there is no record beside it that could be read", ErrDamaged, where)
	}
	e := Step{Rev: g.Rev + 1, K: "restored", Why: why, At: time.Now().Round(time.Millisecond)}
	if err := g.Apply(&e); err != nil {
		return nil, err
	}
	path := f.Path("games", g.Head.ID, ".jsonl")
	aside := path + ".damaged"
	if err := file.WritePrivate(aside, damaged); err != nil {
		return nil, err
	}
	j, err := NewJournal(path, append(lines, e)...)
	if err != nil {
		return nil, err
	}
	from := map[string]string{RestoredAll: "the record beside it", RestoredPart: "the lines before"}[why]
	log.Warn("a game was restored", "game", g.Head.ID, "why", where, "from", from, "moves", g.Board.NumMoves(), "damaged file", aside)
	return g, j.Close()
}

// FreshJournal reports whether a journal from a backup adds something: its game is missing here, or it has
// more steps than the journal here. Errors wrap [ErrDamaged].
func (f *Folder) FreshJournal(id string, data []byte) (bool, error) {
	k := parse(data)
	if g, made := k.replay(); g == nil || made < len(k.steps) || k.bad > 0 || k.torn || k.head.ID != id {
		return false, ErrDamaged
	}
	here, err := f.Read("games", id, ".jsonl", maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return err == nil && len(data) > len(here) && bytes.HasPrefix(data, here), nil
}
