package gtp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
)

// KataGo says how a server answers as KataGo 1.17 does: its commands, texts and
// forms. Clients that know KataGo by name expect them.
type KataGo struct {
	Engine KataGoEngine
	// Version is the reply to version.
	Version string
	Params  KataGoParams
	// Perspective is the side whose view numbers are given from; Empty: the side
	// that is searched for.
	Perspective board.Color
	PVLen       int // moves of a variation after the first
	MaxSize     int // longest side of a board
	ForcedKomi  *float32
	// Say writes a line that people read beside the replies.
	Say func(line string)
	// Supports reports whether the network knows rules.
	Supports func(board.Rules) bool
	// Clock holds from the start; nil is no limit.
	Clock *TimeSettings
	// Chosen hears of every move that the engine chooses, NewGame of every command that
	// begins a game or a position, before it is carried out; cleared: by clear_board.
	// Either may be nil.
	Chosen  func(before *board.Game, c board.Color, p board.Point)
	NewGame func(cleared bool)
	// LoadSGF takes a record as KataGo does, to the position before a move, from 1; 0 is
	// all of it. It says what rules are taken; errors are what a reply ends with.
	LoadSGF func(name string, data []byte, before int) error
	// Benchmark searches positions of a board size for a number of visits and writes
	// what kata-benchmark prints.
	Benchmark func(ctx context.Context, size, visits int, to *Reply) error
}

// KataGoEngine is what KataGo's commands need of an engine beside Engine.
type KataGoEngine interface {
	// Turn makes a colour the side to move; what was before is forgotten, but for what
	// the choice of a move that follows goes by.
	Turn(c board.Color, choosing bool)
	// DropTree forgets what the last search found.
	DropTree()
}

// KataGoParams are the parameters by KataGo's names and in its words.
type KataGoParams interface {
	Names() []string
	JSON() string
	Get(name string) (value string, ok bool)
	// Set changes some, all or none. An empty value brings the default back. Texts
	// of errors are replies.
	Set(values map[string]string) error
}

// kataServer answers as KataGo does.
type kataServer struct {
	*Server
	k      *KataGo
	clocks clocks
}

// kataListed are the commands that KataGo lists, in its order.
var kataListed = strings.Fields(`protocol_version name version known_command list_commands quit boardsize rectangular_boardsize clear_board
	set_position komi get_komi play undo kata-get-rules kata-set-rule kata-set-rules kata-get-models kata-get-param kata-set-param
	kata-list-params kgs-rules genmove kata-search kata-search_cancellable genmove_debug kata-search_debug clear_cache showboard
	fixed_handicap place_free_handicap set_free_handicap time_settings kgs-time_settings time_left kata-list_time_settings
	kata-time_settings final_score final_status_list loadsgf printsgf lz-genmove_analyze kata-genmove_analyze kata-search_analyze
	kata-search_analyze_cancellable lz-analyze kata-analyze kata-raw-nn kata-raw-human-nn cputime gomill-cpu_time kata-benchmark
	kata-debug-print-tc debug_moves stop`)

// kataHidden are the commands that it knows and does not list.
var kataHidden = []string{"analyze", "genmove_analyze", "kata-get-params", "kata-set-params"}

// newKataServer replaces the commands of s by KataGo's: others are unknown.
func newKataServer(s *Server) {
	k := &kataServer{Server: s, k: s.opts.KataGo, clocks: clocks{settings: "as at the start"}}
	if k.k.Clock != nil {
		k.clocks.set(*k.k.Clock, k.clocks.settings)
	}
	for _, h := range slices.Concat(k.admin(), k.position(), k.handicap(), k.rules(), k.params(), k.clock(), k.search(), k.records(), k.debug()) {
		s.add(h)
	}
	k.dropTrees()
	k.hearOfGames()
	maps.DeleteFunc(s.table, func(name string, _ handler) bool {
		return !slices.Contains(kataListed, name) && !slices.Contains(kataHidden, name)
	})
	for name, h := range s.table {
		h.hidden = !slices.Contains(kataListed, name)
		s.table[name] = h
	}
	s.order = slices.Clone(kataListed)
}

// dropTrees has searches begin anew after commands that set a position up, also where
// it is the one that was searched last, and after those that score by searches of their
// own.
func (k *kataServer) dropTrees() {
	for _, name := range []string{"clear_board", "set_position", "undo", "kata-set-rules", "kata-set-rule", "kgs-rules", "fixed_handicap",
		"place_free_handicap", "set_free_handicap", "loadsgf", "final_score", "final_status_list"} {
		h := k.table[name]
		run := h.run
		h.run = func(ctx context.Context, c Command, r *Reply) error {
			err := run(ctx, c, r)
			if err == nil {
				k.k.Engine.DropTree()
			}
			return err
		}
		k.table[name] = h
	}
}

// hearOfGames has NewGame called before the commands that begin a game.
func (k *kataServer) hearOfGames() {
	if k.k.NewGame == nil {
		return
	}
	for _, name := range []string{"boardsize", "rectangular_boardsize", "clear_board", "set_position", "fixed_handicap",
		"place_free_handicap", "set_free_handicap", "loadsgf"} {
		h := k.table[name]
		run := h.run
		h.run = func(ctx context.Context, c Command, r *Reply) error {
			k.k.NewGame(name == "clear_board")
			return run(ctx, c, r)
		}
		k.table[name] = h
	}
}

// parseKataGo reads a command line. fault, if not empty, is all that the line is
// answered with.
func parseKataGo(line string) (c Command, fault string) {
	text := strings.TrimSpace(clean(line))
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits > 0 {
		id, err := strconv.ParseInt(text[:digits], 10, 32)
		if err != nil {
			return c, fmt.Sprintf("? GTP id '0' could not be parsed: Could not parse digits, overflow: %s\n", text[:digits])
		}
		c.ID = strconv.FormatInt(id, 10)
		if text = strings.TrimSpace(text[digits:]); text == "" {
			return c, "? empty command\n"
		}
	}
	c.Name, c.Rest, _ = strings.Cut(text, " ")
	if c.Rest != "" {
		c.Args = strings.Split(c.Rest, " ") // a second blank is an argument without a letter
	}
	c.Rest = strings.TrimSpace(c.Rest)
	return c, ""
}

// args are the arguments as KataGo repeats them in complaints.
func (c *Command) args() string { return strings.Join(c.Args, " ") }

func (k *kataServer) admin() []handler {
	return []handler{
		{name: "name", run: text("KataGo")},
		{name: "version", run: text(k.k.Version)},
		{name: "known_command", run: k.known},
		{name: "cputime", run: k.cpuTime}, {name: "gomill-cpu_time", run: k.cpuTime},
	}
}

func (k *kataServer) known(_ context.Context, c Command, r *Reply) error {
	if len(c.Args) != 1 {
		return kataErrorf("Expected single argument for known_command but got '%s'", c.args())
	}
	_, err := fmt.Fprint(r, slices.Contains(kataListed, c.Args[0]))
	return err
}

func (k *kataServer) cpuTime(_ context.Context, _ Command, r *Reply) error {
	_, err := r.WriteString(general(k.thought.Seconds()))
	return err
}

// general writes a number with six digits that count, as C++ streams do.
func general(x float64) string {
	text := strconv.FormatFloat(x, 'g', 6, 64)
	mantissa, exponent, ok := strings.Cut(text, "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	if ok {
		return mantissa + "e" + exponent
	}
	return mantissa
}

// color reads a colour.
func (k *kataServer) color(word string) (board.Color, error) {
	c, err := board.ParseColor(word)
	if err != nil {
		return c, kataErrorf("Could not parse color: '%s'", word)
	}
	return c, nil
}
