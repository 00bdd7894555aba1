package gtp

import (
	"context"
	"errors"

	"kosumi/board"
)

// ruleCommands returns the commands that read and change the rules as KataGo does. They never
// change komi.
func (s *handlers) ruleCommands() []Handler {
	return []Handler{
		{Name: "kata-get-rules", Run: s.getRules, usage: usage{"", "the rules as JSON, without komi", byKataGo}},
		{Name: "kata-set-rules", Run: s.setRules, usage: usage{"RULES", "rules by name or as JSON; komi stays, but at a terminal the custom one comes with them", byKataGo}},
		{Name: "kata-set-rule", Run: s.setRule, args: 2, usage: usage{"KEY VALUE", "one part of the rules", byKataGo}},
	}
}

func (s *handlers) getRules(_ context.Context, _ Command, r *Reply) error {
	return r.Print(s.engine.Game().Rules().JSON())
}

// setRules takes a JSON object or a name, which may have blanks in it.
func (s *handlers) setRules(_ context.Context, c Command, _ *Reply) error {
	if c.Rest == "" {
		return ErrSyntax
	}
	rules, komiGiven, err := board.ParseRulesKomi(c.Rest)
	if err != nil {
		return err
	}
	if komiGiven {
		return errors.New("rules have no komi here: use the command komi")
	}
	return setRules(s.engine, rules)
}

// setRules changes everything but komi.
func setRules(e Engine, rules board.Rules) error {
	rules.Komi = e.Game().Rules().Komi
	return e.SetRules(rules)
}

func (s *handlers) setRule(_ context.Context, c Command, _ *Reply) error {
	rules, err := s.engine.Game().Rules().With(c.Args[0], c.Args[1])
	if err == nil {
		err = rules.Check()
	}
	if err != nil {
		return err
	}
	return setRules(s.engine, rules)
}
