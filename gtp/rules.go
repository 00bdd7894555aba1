package gtp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"kosumi/board"
)

// ruleCommands read and change the rules, in KataGo's way. Komi is not part of
// them here: names of rule sets never change it.
type ruleCommands struct {
	engine Engine
}

func (s *ruleCommands) list() []Handler {
	return []Handler{
		{Name: "kata-get-rules", Run: s.getRules},
		{Name: "kata-set-rules", Run: s.setRules},
		{Name: "kata-set-rule", Run: s.setRule},
	}
}

func (s *ruleCommands) getRules(_ context.Context, _ Command, r *Reply) error {
	_, err := r.WriteString(s.engine.Game().Rules().JSON())
	return err
}

// setRules takes a JSON object or a name, which may have blanks in it.
func (s *ruleCommands) setRules(_ context.Context, c Command, _ *Reply) error {
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

// setRule takes KEY VALUE.
func (s *ruleCommands) setRule(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) != 2 {
		return ErrSyntax
	}
	key, value := c.Args[0], c.Args[1]
	if key == "score" {
		key = "scoring"
	}
	values := map[string]any{}
	if err := json.Unmarshal([]byte(s.engine.Game().Rules().JSON()), &values); err != nil {
		return err
	}
	switch values[key].(type) {
	case bool:
		b, err := parseBool(value)
		if err != nil {
			return err
		}
		values[key] = b
	case string:
		values[key] = strings.ToUpper(value)
	default:
		return fmt.Errorf("unknown rule %q", key)
	}
	text, err := json.Marshal(values)
	if err != nil {
		return err
	}
	rules, err := board.ParseRules(string(text))
	if err != nil {
		return err
	}
	return setRules(s.engine, rules)
}
