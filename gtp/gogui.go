package gtp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/search/setting"
	"kosumi/search/thinking"
)

// goguiCommands are GoGui's extensions and the commands of its analysis menu.
type goguiCommands struct {
	engine   Engine
	position *positionCommands
}

func (s *goguiCommands) list() []Handler {
	return []Handler{
		{Name: "gogui-analyze_commands", Run: Text(strings.Join(analyzeMenu, "\n")), usage: usage{"", "GoGui's analysis menu", byGoGui}},
		{Name: "gogui-interrupt", Run: Text(""), usage: usage{"", "reports that the line \"# interrupt\" makes a genmove answer at once", byGoGui}},
		{Name: "gogui-version", Run: Text(""), usage: usage{"", "accepts any version of GoGui", byGoGui}},
		{Name: "gogui-title", Run: Text(programName), usage: usage{"", "the title of GoGui's window", byGoGui}},
		{Name: "gogui-play_sequence", Run: s.playSequence, usage: usage{"COLOR VERTEX...", "plays moves, all or none", byGoGui}},
		{Name: "gogui-setup", Run: s.goguiSetup, usage: usage{"COLOR VERTEX...", "puts stones on an empty board", byGoGui}},
		{Name: "gogui-setup_player", Run: s.goguiSetupPlayer, args: 1, usage: usage{"COLOR", "the side to move first in a position that was set up", byGoGui}},
		{Name: "kosumi-param", Run: s.paramMenu, usage: usage{"[NAME VALUE]", "the settings that people change, as GoGui's dialog wants them", byUs}},
		{Name: "kosumi-policy", Run: s.numbersBoard(policyNumbers), usage: usage{"", "the network's policy on the board, for GoGui: the best move is 1", byUs}},
		{Name: "kosumi-ownership", Run: s.numbersBoard(ownershipNumbers), usage: usage{"", "the network's ownership on the board, for GoGui: Black's points are positive", byUs}},
	}
}

// analyzeMenu lists the entries of GoGui's analysis menu: type, label and command, as GoGui's
// manual defines them in its chapter on analyze commands. Labels are unique.
var analyzeMenu = []string{
	"hpstring/Best Move/reg_genmove %m",
	"dboard/Network Policy/kosumi-policy",
	"dboard/Network Ownership/kosumi-ownership",
	"string/Network Values/kata-raw-nn 0",
	"string/Final Score/final_score",
	"hstring/Estimate Score/estimate_score",
	"plist/Dead Stones/final_status_list dead",
	"plist/Alive Stones/final_status_list alive",
	"plist/Stones in Seki/final_status_list seki",
	"plist/Black Territory/final_status_list black_territory",
	"plist/White Territory/final_status_list white_territory",
	"string/Status of Point/final_status %p",
	"plist/Legal Moves/all_legal %m",
	"string/Is Legal/is_legal %m %p",
	"string/Last Move/last_move",
	"string/Move History/move_history",
	"string/Show Board/showboard",
	"string/Rules/kata-get-rules",
	"none/Set Rules/kata-set-rules %s",
	"param/Parameters/kosumi-param",
	"string/Thinking Time/cputime",
	"none/Clear Cache/clear_cache",
	"none/Stop Pondering/stop",
}

// playSequence takes pairs of colour and vertex and plays all of them or, if one is illegal,
// none.
func (s *goguiCommands) playSequence(_ context.Context, c Command, _ *Reply) error {
	g := s.engine.Game()
	moves, err := parseMoves(g.Size(), c.Args)
	if err != nil {
		return err
	}
	trial := g.Clone()
	for _, m := range moves {
		if err := cmp.Or(s.position.acceptable(trial, m), trial.PlayTolerant(m.Color, m.Point)); err != nil {
			return Because(ErrIllegalMove, err)
		}
	}
	for _, m := range moves {
		if err := s.engine.Play(m.Color, m.Point); err != nil {
			return Because(ErrIllegalMove, err)
		}
	}
	return nil
}

func (s *goguiCommands) goguiSetup(_ context.Context, c Command, _ *Reply) error {
	if err := boardEmpty(s.engine.Game()); err != nil {
		return err
	}
	return s.position.setUp(c.Args, board.Black)
}

func (s *goguiCommands) goguiSetupPlayer(_ context.Context, c Command, _ *Reply) error {
	color, err := parseColor(c.Args[0])
	if err != nil {
		return err
	}
	g := s.engine.Game()
	switch {
	case g.ToMove() == color:
		return nil
	case g.NumMoves() > 0:
		return fmt.Errorf("moves have been played: play a pass instead")
	}
	var points [3][]board.Point
	for p := range board.Point(g.Size().Area()) {
		points[g.At(p)] = append(points[g.At(p)], p)
	}
	return s.engine.Setup(points[board.Black], points[board.White], color)
}

// paramMenu lists the parameters for GoGui's dialog, or sets one: KEY VALUE.
func (s *goguiCommands) paramMenu(_ context.Context, c Command, r *Reply) error {
	params := s.engine.Params()
	if len(c.Args) == 0 {
		for _, p := range params {
			if p.Change == setting.Expert {
				continue
			}
			kind, value := "[string]", p.Value
			switch {
			case p.Kind == setting.Bool:
				kind, value = "[bool]", map[bool]string{true: "1", false: "0"}[p.Value == "true"]
			case len(p.Words) > 0:
				kind = "[list/" + strings.Join(p.Words, "/") + "]"
			}
			fmt.Fprintf(r, "%s %s %s\n", kind, p.Name, value)
		}
		return nil
	}
	name, value := nextWord(c.Rest)
	if i := slices.IndexFunc(params, func(p setting.Param) bool { return p.Name == name }); i >= 0 && params[i].Kind == setting.Bool {
		if on, err := strconv.ParseBool(value); err == nil {
			value = strconv.FormatBool(on)
		}
	}
	return s.engine.SetParams(map[string]string{name: value})
}

// numbersBoard returns a handler that prints one number of the network's evaluation for each point.
func (s *goguiCommands) numbersBoard(numbers func(*thinking.Evaluation) []float32) HandlerFunc {
	return func(ctx context.Context, _ Command, r *Reply) error {
		g := s.engine.Game()
		o, err := s.engine.Evaluate(ctx, thinking.EvaluationRequest{Color: g.ToMove()})
		if err != nil {
			return err
		}
		shown := make([]float32, g.Size().Area())
		copy(shown, numbers(o))
		_, err = r.Write(appendRows([]byte{'\n'}, g.Size(), shown))
		return err
	}
}

// policyNumbers returns the policy, scaled so that the likeliest move has 1.
func policyNumbers(o *thinking.Evaluation) []float32 {
	policy := slices.Clone(o.Policy[:len(o.Policy)-1])
	top := slices.Max(policy)
	for i, p := range policy {
		if policy[i] = 0; p > 0 && top > 0 && !math.IsInf(float64(p), 0) {
			policy[i] = p / top
		}
	}
	return policy
}

// ownershipNumbers returns the ownership, Black's points positive.
func ownershipNumbers(o *thinking.Evaluation) []float32 {
	numbers := slices.Clone(o.Ownership)
	for i := range numbers {
		numbers[i] = -numbers[i]
	}
	return numbers
}
