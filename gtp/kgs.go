package gtp

import (
	"context"
	"strings"

	"kosumi/board"
	"kosumi/search/thinking"
)

// kgsCommands returns the commands of kgsGtp, the bridge to the KGS server.
func (s *handlers) kgsCommands() []Handler {
	return []Handler{
		{Name: "kgs-genmove_cleanup", Run: s.mover.genMove(thinking.MoveRequest{Cleanup: true}), args: 1, usage: usage{"COLOR", "as genmove, and takes dead stones off before it passes", byKGS}},
		{Name: "kgs-rules", Run: s.kgsRules, usage: usage{"NAME", "one of chinese, japanese, aga and new_zealand", byKGS}},
		{Name: "kgs-game_over", Run: does(s.engine.Stop), usage: usage{"", "the game has ended: stop pondering", byKGS}}, // the game may only have been adjourned, so the position stays
		{Name: "kgs-chat", Run: s.kgsChat, usage: usage{"TYPE NAME TEXT", "answers people who talk to the bot with its name and version", byKGS}},
	}
}

var kgsRuleNames = map[string]string{
	"japanese": "japanese", "chinese": "chinese-kgs", "aga": "aga", "new_zealand": "new-zealand", "siming": "chinese",
}

// kgsRules sets the rules that the first word names and ignores further words.
func (s *handlers) kgsRules(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) == 0 {
		return ErrSyntax
	}
	name, known := kgsRuleNames[strings.ToLower(c.Args[0])]
	if !known {
		return ErrSyntax
	}
	rules, err := board.ParseRules(name)
	if err != nil {
		return err
	}
	return setRules(s.engine, rules)
}

// kgsChat answers "game|private NAME TEXT...".
func (s *handlers) kgsChat(_ context.Context, c Command, r *Reply) error {
	if len(c.Args) < 3 || c.Args[0] != "game" && c.Args[0] != "private" {
		return ErrSyntax
	}
	return r.Print("I am " + programName + " " + s.opts.Version + ", a program. I can play, not chat.")
}
