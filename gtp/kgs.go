package gtp

import (
	"context"
	"strings"

	"kosumi/board"
	"kosumi/thinking"
)

// kgsCommands are what kgsGtp, the bridge to the KGS server, may send.
func (s *Server) kgsCommands() []handler {
	return []handler{
		{name: "kgs-genmove_cleanup", run: s.genMove(thinking.MoveRequest{Cleanup: true})},
		{name: "kgs-rules", run: s.kgsRules},
		{name: "kgs-game_over", run: s.stop}, // perhaps only adjourned: the position stays
		{name: "kgs-chat", run: s.kgsChat},
	}
}

// kgsRuleNames are the words of KGS and the rule sets that they mean.
var kgsRuleNames = map[string]string{
	"japanese": "japanese", "chinese": "chinese-kgs", "aga": "aga", "new_zealand": "new-zealand", "siming": "chinese",
}

// kgsRules ignores words after the first.
func (s *Server) kgsRules(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) == 0 {
		return errSyntax
	}
	name, known := kgsRuleNames[strings.ToLower(c.Args[0])]
	if !known {
		return errSyntax
	}
	rules, err := board.ParseRules(name)
	if err != nil {
		return err
	}
	return s.applyRules(rules)
}

// kgsChat answers "game|private NAME TEXT...".
func (s *Server) kgsChat(_ context.Context, c Command, r *Reply) error {
	if len(c.Args) < 3 || c.Args[0] != "game" && c.Args[0] != "private" {
		return errSyntax
	}
	_, err := r.WriteString("I am " + programName + " " + s.opts.Version + ", a program. I can play, not chat.")
	return err
}
