package web

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// games are the games of one server against its engine. Call [games.Close] after ctx has
// ended.
type games struct {
	*store.Shelf[*game]
	folder   *store.Folder
	pages    *wire.Hub
	warnings *wire.Warnings
	engines  *engines.Engines
	levels   *engines.Levels
	log      *slog.Logger
	ctx      context.Context // ends searches
	jobs     sync.WaitGroup  // searches under way
}

// newGames returns the games in a folder; ctx ends their searches.
func newGames(ctx context.Context, f *store.Folder, p *wire.Hub, w *wire.Warnings, es *engines.Engines, log *slog.Logger) *games {
	gs := &games{folder: f, pages: p, warnings: w, engines: es, levels: engines.NewLevels(es, w), log: log, ctx: ctx}
	gs.Shelf = store.NewShelf(f, w, "games", ".jsonl", "game", gs.read)
	return gs
}

// Close stops the games; their context must have ended.
func (gs *games) Close() {
	gs.jobs.Wait()
	for _, g := range gs.All() {
		g.close()
	}
}

// forget drops a deleted game.
func (gs *games) forget(id string) {
	gs.Drop(id)
	gs.publishList()
}

// read reads a game from its files.
func (gs *games) read(id string) (*game, error) {
	rec, journal, behind, err := store.OpenGame(gs.folder, id, gs.log)
	if err != nil {
		return nil, err
	}
	g := &game{home: gs, rec: rec, journal: journal}
	g.mu.Lock()
	defer g.mu.Unlock()
	if behind {
		g.pending.sgf = true
		g.writePending()
	}
	return g, nil
}

// Watch returns the state of a game. If the game was just read from its journal, the engine
// resumes its turn.
func (gs *games) Watch(id string) (*api.GameState, error) {
	g, err := gs.Open(id)
	if err != nil {
		return nil, err
	}
	g.wake()
	return g.state(), nil
}

// New begins a game.
func (gs *games) New(n *api.NewGame) (api.ID, error) {
	h, err := gs.agree(n)
	if err != nil {
		return api.ID{}, err
	}
	g := &game{home: gs}
	if g.rec, err = store.NewGame(h); err != nil {
		return api.ID{}, api.Refuse("bad_request", "%v", err)
	}
	if g.journal, err = store.NewJournal(gs.folder.Path("games", h.ID, ".jsonl"), h); err != nil {
		return api.ID{}, api.NotSaved(err)
	}
	gs.Put(h.ID, g)
	g.mu.Lock()
	g.advance()
	g.mu.Unlock()
	gs.publishList()
	return api.ID{ID: h.ID}, nil
}

// agree checks the settings of a new game and fills in defaults.
func (gs *games) agree(n *api.NewGame) (store.Header, error) {
	size := board.Size{W: n.Size[0], H: n.Size[1]}
	if err := size.Check(); err != nil {
		return store.Header{}, api.Refuse("bad_request", "%v", err)
	}
	rules, err := board.ParseRules(n.Rules)
	if err != nil {
		return store.Header{}, api.Refuse("bad_request", "%v", err)
	}
	if n.Komi != nil {
		rules.Komi = float32(*n.Komi)
	} else if n.Handicap > 1 {
		rules.Komi = 0.5
	}
	if err := wire.CheckRules(rules); err != nil {
		return store.Header{}, err
	}
	if n.Handicap < 0 || n.Handicap == 1 || n.Handicap > size.Area()/4 || !n.Free && n.Handicap > 0 && board.FixedHandicap(size, n.Handicap) == nil {
		return store.Header{}, api.Tell("bad_request", "handicap", "n", n.Handicap, "board", size)
	}
	if _, err := store.TimeSettings(n.Clock); err != nil {
		return store.Header{}, api.Tell("bad_request", "clock", "why", err)
	}
	if n.Seat.Visits < 0 || n.Seat.Visits > 10_000_000 || !(n.Seat.Seconds >= 0 && n.Seat.Seconds <= 3600) {
		return store.Header{}, api.Tell("bad_request", "limits")
	}
	n.Seat.Auto = n.Seat.Level == engines.Auto
	if n.Seat.Auto {
		if n.Seat.Level, err = gs.levels.Fitting(size); err != nil {
			if len(gs.levels.On(size)) == 0 {
				return store.Header{}, api.Tell("unsupported", "no_levels", "board", size)
			}
			return store.Header{}, api.Refuse("unsupported", "%v", err)
		}
	}
	if n.Seat.Level != "" {
		if err := gs.levels.Check(size, n.Seat.Level); err != nil {
			return store.Header{}, err
		}
	}
	if !engines.KnownStrictness(n.Teach) {
		return store.Header{}, api.Refuse("bad_request", "teach: gentle, usual or strict")
	}
	colour := n.Colour
	switch colour {
	case "b", "w":
	case "random":
		colour = "b"
		if store.NewID()[0]&1 == 0 {
			colour = "w"
		}
	default:
		return store.Header{}, api.Refuse("bad_request", "colour: b, w or random")
	}
	return store.Header{V: 1, ID: store.NewID(), Created: time.Now(), Size: n.Size, Rules: rules.JSON(), Komi: float64(rules.Komi),
		Handicap: n.Handicap, Free: n.Free, Colour: colour, Seat: n.Seat, Teach: n.Teach, Clock: n.Clock}, nil
}

// Merge takes from a backup the journal of a game that is missing here, or that goes on longer in
// the backup. If do is false, it changes nothing.
func (gs *games) Merge(e store.Entry, do bool) (fresh, all int, err error) {
	ok, err := gs.folder.FreshJournal(e.ID, e.Data)
	if err != nil || !ok {
		return 0, 1, err
	}
	if !do {
		return 1, 1, nil
	}
	if g := gs.All()[e.ID]; g != nil { // the backup's game begins like the game here and goes on longer
		g.close()
		g.mu.Lock()
		g.removed = true
		g.mu.Unlock()
	}
	err = file.WritePrivate(gs.folder.Path("games", e.ID, ".jsonl"), e.Data)
	gs.Drop(e.ID) // after the write, so that nobody reopens the old journal
	if err != nil {
		return 0, 1, api.NotSaved(err)
	}
	if _, err = gs.Open(e.ID); err != nil { // opening the game writes its record
		return 0, 1, err
	}
	return 1, 1, nil
}

// Score performs one step of counting: it changes or accepts the dead stones, or resumes play.
func (gs *games) Score(v *api.Score) error {
	return onGame(func(g *game) error {
		if g.rec.Phase != store.Counting {
			return api.RefuseWith("illegal", "over", "the game is not being counted")
		}
		switch {
		case v.PlayOn:
			return g.commit(store.Step{K: "playon"})
		case v.Toggle != "":
			dead, err := g.rec.Toggle(v.Toggle)
			if err != nil {
				return err
			}
			return g.commit(store.Step{K: "dead", Dead: dead})
		case v.Ask:
			if !g.rec.Marking.Sure {
				return nil
			}
			return g.commit(store.Step{K: "dead", Dead: wire.Vertices(g.rec.Size(), g.rec.Marking.Judged, len(g.rec.Marking.Judged))})
		case v.Accept:
			return g.accept()
		}
		return api.Refuse("bad_request", "a step of the count needs exactly one action")
	})(gs, &api.GameCommand{Game: v.Game, Rev: v.Rev})
}

// LevelsOn lists the levels that can be played on a board.
func (gs *games) LevelsOn(b *api.OnBoard) ([]api.Level, error) {
	size := board.Size{W: b.Size[0], H: b.Size[1]}
	if err := size.Check(); err != nil {
		return nil, api.Refuse("bad_request", "%v", err)
	}
	all := gs.levels.On(size)
	next, err := gs.levels.Fitting(size)
	for i := range all {
		all[i].Next = err == nil && all[i].ID == next
	}
	return all, nil
}

// onGame performs a command of the player on a game.
func onGame(do func(*game) error) func(*games, *api.GameCommand) error {
	return func(gs *games, v *api.GameCommand) error {
		g, err := gs.Open(v.Game)
		if err != nil {
			return err
		}
		return g.command(v.Rev, do)
	}
}

// Play makes a move of the player.
func (gs *games) Play(p *api.Play) error {
	return onGame(func(g *game) error { return g.playerMoves(p.Move) })(gs, &api.GameCommand{Game: p.Game, Rev: p.Rev})
}

// leaveIdle stops the clocks of games that no page watches, and of all games after the machine
// slept for gap. It frees engines that nobody uses.
func (gs *games) leaveIdle(now time.Time, watched map[string]bool, gap time.Duration) {
	for _, g := range gs.All() {
		g.leaveIdle(now, watched["game:"+g.rec.Head.ID], gap)
	}
}

// List lists the games, newest first.
func (gs *games) List() (*api.Games, error) {
	cards, unread, err := store.List(gs.Shelf, func(id string) (card api.GameCard, err error) {
		g, err := gs.Open(id)
		if err == nil {
			card = g.card()
		}
		return card, err
	})
	slices.SortFunc(cards, func(a, b api.GameCard) int { return int(b.Changed - a.Changed) })
	return &api.Games{Games: cards, Unread: unread}, err
}

func (gs *games) publishList() {
	if list, err := gs.List(); err == nil {
		gs.pages.Publish("games", api.GamesNews.Of(*list))
	}
}

// SGF returns a game as SGF, and when it began.
func (gs *games) SGF(id string) (data []byte, at time.Time, err error) {
	g, err := gs.Open(id)
	if err != nil {
		return nil, at, err
	}
	root, began, _ := g.Record()
	data, err = sgf.Marshal(root)
	return data, began, err
}

// refit replaces the rating shown with a finished game after a review of that game has changed it.
func (gs *games) refit(id string, fit *api.Fit) {
	g, err := gs.Open(id)
	if err != nil {
		return // the game was not played on this server
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fit != nil {
		fit.Was, g.fit = g.fit.Was, fit
		gs.pages.Publish("game:"+id, api.GameNews.Of(*g.stateLocked()))
	}
}
