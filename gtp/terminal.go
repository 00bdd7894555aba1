package gtp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/search/setting"
	"kosumi/search/thinking"
)

// Terminal adapts a [Server] to a person who types: the colour may be left out, a vertex alone is a
// move that the engine answers, a failed command shows its usage, and the board is drawn whenever
// it has changed. It is not for programs.
type Terminal struct {
	// Colour draws boards in 256 colours, with Unicode characters as stones.
	Colour bool
	// Remark returns a note about play on boards of the given size, or "".
	Remark func(board.Size) string
}

// terminal is the state of a session at a terminal.
type terminal struct {
	engine  Engine
	table   *Table
	mover   *Mover
	options Terminal
	shown   string     // board as last drawn
	turns   []int      // for each answer of the engine, the number of moves on the board after it
	even    *float32   // komi before handicap stones
	ended   int        // number of moves when the engine resigned; 0: it has not resigned
	size    board.Size // board size at the last call of Remark
}

// newTerminal adds the commands for people to a table. They are not listed: no client has
// to know them.
func newTerminal(e Engine, table *Table, mover *Mover, options *Terminal) *terminal {
	p := &terminal{engine: e, table: table, mover: mover, options: *options, size: e.Game().Size()}
	p.shown = p.drawing()
	table.Wrap(func(HandlerFunc) HandlerFunc { return p.undo }, "undo")
	table.Wrap(p.rules, "kata-set-rules")
	table.Wrap(p.handicap, "fixed_handicap", "place_free_handicap")
	table.Wrap(p.newGame, "clear_board", "boardsize")
	for name, run := range map[string]HandlerFunc{"help": p.help, "turn": p.turn, "hint": p.hint, "score": p.score, "level": p.level} {
		table.Add(Handler{Name: name, Run: run, Hidden: true})
	}
	return p
}

// forPeople explains the commands that a person needs, in the order in which help lists them.
var forPeople = []struct{ call, does string }{
	{"D4", "plays there, and the engine answers; pass does too"},
	{"genmove", "the engine plays for the side to move"},
	{"play B D4", "plays without an answer; the colour may be left out"},
	{"undo", "takes the last move back; an answer goes with the move that it answers"},
	{"hint", "the move that the engine would play, without playing it"},
	{"score", "who is ahead, and by how much"},
	{"level 10k", "plays like a person of a rank, 30k to 9d; level off: as well as it can"},
	{"boardsize 13", "a new, empty board of that size"},
	{"komi 6.5", "points that White gets"},
	{"fixed_handicap 2", "a new game's handicap stones"},
	{"kata-set-rules japanese", "other rules, such as chinese, korean or aga; komi goes with them"},
	{"clear_board", "a new game"},
	{"showboard", "the board, the captures, komi and rules"},
	{"printsgf game.sgf", "saves the game as a record; without a name it is shown"},
	{"help COMMAND", "how a command is called; help all: every command"},
	{"quit", "ends"},
}

// otherNames are other names that people type for commands.
var otherNames = map[string]string{
	"exit": "quit", "bye": "quit", "?": "help", "board": "showboard", "show": "showboard", "new": "clear_board",
	"size": "boardsize", "handicap": "fixed_handicap", "rules": "kata-set-rules", "sgf": "printsgf", "save": "printsgf", "move": "genmove",
}

func (p *terminal) complete(c Command) Command {
	if _, known := p.table.Find(c.Name); !known {
		lower := strings.ToLower(c.Name)
		if other := otherNames[lower]; other != "" {
			lower = other
		}
		_, known = p.table.Find(lower)
		known = known && !(lower == "printsgf" && len(c.Args) == 0 && strings.EqualFold(c.Name, "save")) // a bare save writes a file
		switch {
		case known:
			c.Name = lower
		case c.Name != "" && len(c.Args) == 0 && p.isVertex(c.Name):
			c.Name, c.Args, c.Rest = "turn", []string{c.Name}, c.Name
		case len(c.Args) == 1 && p.isVertex(c.Args[0]) && isColor(c.Name):
			c.Name, c.Args, c.Rest = "play", []string{c.Name, c.Args[0]}, c.Name+" "+c.Rest
		}
	}
	if c.Name == "boardsize" && len(c.Args) == 1 {
		c.Args = strings.FieldsFunc(c.Args[0], func(r rune) bool { return r == 'x' || r == 'X' })
	}
	color := "b"
	if p.engine.Game().ToMove() == board.White {
		color = "w"
	}
	switch {
	case len(c.Args) == 0 && slices.Contains([]string{"genmove", "reg_genmove", "kata-search"}, c.Name):
		c.Args, c.Rest = []string{color}, color
	case len(c.Args) == 1 && c.Name == "play" && p.isVertex(c.Args[0]):
		c.Args, c.Rest = []string{color, c.Args[0]}, color+" "+c.Rest
	}
	return c
}

func isColor(word string) bool {
	_, err := board.ParseColor(word)
	return err == nil
}

func (p *terminal) isVertex(word string) bool {
	_, err := p.engine.Game().Size().ParseVertex(word)
	return err == nil
}

// after returns the text below the reply: the usage of a failed command, and the board if it
// has changed.
func (p *terminal) after(c Command, err error) []byte {
	var b strings.Builder
	if err != nil {
		b.WriteString(p.advice(c, err))
	}
	moves := p.engine.Game().NumMoves()
	p.turns = slices.DeleteFunc(p.turns, func(n int) bool { return n > moves })
	if moves != p.ended {
		p.ended = 0
	}
	if now := p.drawing(); now != p.shown {
		p.shown = now
		b.WriteString(now + "\n")
	}
	if size := p.engine.Game().Size(); size != p.size {
		p.size = size
		if p.options.Remark != nil {
			if text := p.options.Remark(size); text != "" {
				b.WriteString(text + "\n")
			}
		}
	}
	if b.Len() > 0 && err == nil {
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

func (p *terminal) advice(c Command, err error) string {
	switch {
	case c.Name == "" && c.ID == "":
		return ""
	case errors.Is(err, errUnknownCommand):
		if strings.EqualFold(c.Name, "resign") {
			return "GTP has no word for it: clear_board begins a new game, quit ends.\n\n"
		}
		if strings.EqualFold(c.Name, "save") {
			return "printsgf FILE saves the game, for example: printsgf game.sgf\n\n"
		}
		names := append(slices.Collect(maps.Keys(otherNames)), p.table.order...)
		names = slices.DeleteFunc(names, func(n string) bool { return n == "?" || n == "turn" })
		slices.Sort(names)
		if near := setting.Near(c.Name, names); near != "" {
			return fmt.Sprintf("Did you mean %s? help lists the commands.\n\n", near)
		}
		return "help lists the commands; a move is a letter and a number, such as D4.\n\n"
	case errors.Is(err, errUnusable):
		return ""
	case errors.Is(err, errNotEmpty):
		return "clear_board begins a new game.\n\n"
	}
	usage := "Usage: " + p.usage(c.Name) + "\n\n"
	if why, more := strings.CutPrefix(err.Error(), string(ErrIllegalMove)+": "); more {
		return why + "\n" + usage
	}
	return usage
}

func (p *terminal) usage(name string) string {
	if name == "turn" {
		name = forPeople[0].call
	}
	if h, _ := p.table.Find(name); h.usage.does != "" && name != "undo" && name != "kata-set-rules" {
		return strings.TrimSpace(name+" "+h.usage.args) + ": " + h.usage.does
	}
	for _, f := range forPeople {
		if word, _, _ := strings.Cut(f.call, " "); word == name {
			return f.call + ": " + f.does
		}
	}
	return name
}

func (p *terminal) help(_ context.Context, c Command, r *Reply) error {
	var b strings.Builder
	switch {
	case len(c.Args) > 1:
		return ErrSyntax
	case len(c.Args) == 0:
		for _, f := range forPeople {
			fmt.Fprintf(&b, "\n  %-24s %s", f.call, f.does)
		}
	case c.Args[0] == "all":
		for _, name := range p.table.Listed() {
			b.WriteString("\n  " + p.usage(name))
		}
	default:
		asked := p.complete(Command{Name: c.Args[0]})
		if _, known := p.table.Find(asked.Name); !known {
			return fmt.Errorf("there is no command %q", c.Args[0])
		}
		b.WriteString(p.usage(asked.Name))
	}
	return r.Print(b.String())
}

func (p *terminal) turn(ctx context.Context, c Command, r *Reply) error {
	if len(c.Args) != 1 {
		return ErrSyntax
	}
	g := p.engine.Game()
	point, err := g.Size().ParseVertex(c.Args[0])
	if err != nil {
		return err
	}
	me := g.ToMove()
	if p.ended > 0 {
		return Because(ErrIllegalMove, errors.New("the engine has resigned: clear_board starts a new game, undo resumes this one"))
	}
	if err := g.Legal(me, point); err != nil {
		return Because(ErrIllegalMove, err)
	}
	before := g.NumMoves()
	if err := p.engine.Play(me, point); err != nil {
		return Because(ErrIllegalMove, err)
	}
	if p.engine.Game().Ended() {
		return (&handlers{engine: p.engine}).finalScore(ctx, c, r)
	}
	move, err := p.mover.Think(ctx, thinking.MoveRequest{Color: me.Opponent()})
	if err != nil {
		return err
	}
	switch n := p.engine.Game().NumMoves(); {
	case n == before+2:
		p.turns = append(p.turns, n)
	case move == "resign":
		p.ended = n
		move = fmt.Sprintf("resign: %s wins; clear_board begins a new game", me)
	}
	if err := r.Print(move); err != nil || !p.engine.Game().Ended() {
		return err
	}
	score, err := p.engine.FinalScore(ctx)
	if err != nil {
		return err
	}
	return r.Print(", and the game is over: " + scoreText(score))
}

// undo takes back the last move or, if that was the engine's answer to a move, both.
func (p *terminal) undo(context.Context, Command, *Reply) error {
	if k := len(p.turns) - 1; k >= 0 && p.turns[k] == p.engine.Game().NumMoves() {
		return undoMoves(p.engine, 2)
	}
	return undoMoves(p.engine, 1)
}

func (p *terminal) hint(ctx context.Context, _ Command, r *Reply) error {
	g := p.engine.Game()
	request := thinking.MoveRequest{Color: g.ToMove(), Keep: true, Deterministic: true}
	found := Listen(&request)
	if _, err := p.mover.Think(ctx, request); err != nil {
		return err
	}
	if len(found.Moves) == 0 {
		return errors.New("the engine found no move")
	}
	best := found.Moves[0]
	e, err := p.engine.Estimate(ctx)
	if err != nil {
		return Because(ErrCannotScore, err)
	}
	text := g.Size().Vertex(best.Move) + ": " + forSide(e, g.ToMove(), "would win %.0f %% of such games")
	if len(best.PV) > 1 {
		text += "; then " + Vertices(g.Size(), best.PV[1:min(len(best.PV), 6)])
	}
	return r.Print(text)
}

// score shows who is ahead, and the result if the game ended now.
func (p *terminal) score(ctx context.Context, _ Command, r *Reply) error {
	counted, err := p.engine.FinalScore(ctx)
	if err != nil {
		return Because(ErrCannotScore, err)
	}
	if p.engine.Game().Ended() {
		return r.Print("the game is over: " + scoreText(counted))
	}
	e, err := p.engine.Estimate(ctx)
	if err != nil {
		return Because(ErrCannotScore, err)
	}
	who := board.White
	if e.Winrate > 0.5 {
		who = board.Black
	}
	text := "the game is even"
	if e.Winrate != 0.5 || e.Lead != 0 {
		text = forSide(e, who, "is ahead: wins %.0f %% of such games")
	}
	return r.Print(text + "; the result would be " + scoreText(counted))
}

// forSide describes an estimate from the view of c: its percentage of wins, formatted with the string
// chances, and its lead in points.
func forSide(e *thinking.Estimate, c board.Color, chances string) string {
	win, lead := e.Winrate, -e.Lead
	if c == board.White {
		win, lead = 1-win, -lead
	}
	text := fmt.Sprintf("%s "+chances, c, 100*win)
	if e.Settled || e.Low != e.High || e.Lead != 0 { // the network predicts scores
		text += fmt.Sprintf(", %+.1f points", tenths(lead))
	}
	return text
}

func (p *terminal) level(_ context.Context, c Command, r *Reply) error {
	if len(c.Args) > 1 {
		return ErrSyntax
	}
	if len(c.Args) == 1 {
		if err := p.engine.SetParams(map[string]string{"level": c.Args[0]}); err != nil {
			return err
		}
	}
	for _, param := range p.engine.Params() {
		if param.Name == "level" {
			return r.Print(cmp.Or(param.Value, "off"))
		}
	}
	return errors.New("this engine has no levels")
}

// customKomi is the usual komi of an even game under these rules.
func customKomi(r board.Rules) float32 {
	if r.Scoring == board.ScoringTerritory {
		return 6.5
	}
	return 7.5
}

// handicapKomi is the komi of handicap games; it only prevents draws.
const handicapKomi = 0.5

// handicap wraps a command that places handicap stones: it then sets komi to handicapKomi.
func (p *terminal) handicap(run HandlerFunc) HandlerFunc {
	return func(ctx context.Context, c Command, r *Reply) error {
		before := p.engine.Game().Rules().Komi
		if err := run(ctx, c, r); err != nil {
			return err
		}
		if before != handicapKomi {
			p.even = &before
		}
		return p.newKomi(handicapKomi, r)
	}
}

// newGame wraps a command that begins an even game: if handicap stones had changed komi, it then
// restores the komi from before.
func (p *terminal) newGame(run HandlerFunc) HandlerFunc {
	return func(ctx context.Context, c Command, r *Reply) error {
		if err := run(ctx, c, r); err != nil {
			return err
		}
		komi := p.even
		p.even = nil
		if komi == nil || p.engine.Game().Rules().Komi != handicapKomi {
			return nil
		}
		return p.newKomi(*komi, r)
	}
}

// rules wraps a command that sets the rules: if there are no handicap stones, it then sets the usual
// komi.
func (p *terminal) rules(run HandlerFunc) HandlerFunc {
	return func(ctx context.Context, c Command, r *Reply) error {
		if err := run(ctx, c, r); err != nil {
			return err
		}
		if p.engine.Game().HandicapStones() > 0 {
			return nil
		}
		return p.newKomi(customKomi(p.engine.Game().Rules()), r)
	}
}

func (p *terminal) newKomi(komi float32, r *Reply) error {
	if p.engine.Game().Rules().Komi == komi {
		return nil
	}
	if err := p.engine.SetKomi(komi); err != nil {
		return err
	}
	return r.Printf("\nkomi is %g now, as is the custom; komi NUMBER changes it", komi)
}
