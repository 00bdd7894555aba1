package gtp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"kosumi/board"
)

// rulesCommands read and change the rules, in KataGo's way. Komi is not part of
// them here: names of rule sets never change it.
func (s *Server) rulesCommands() []handler {
	return []handler{
		{name: "kata-get-rules", run: s.getRules},
		{name: "kata-set-rules", run: s.setRules},
		{name: "kata-set-rule", run: s.setRule},
	}
}

func (s *Server) getRules(_ context.Context, _ Command, r *Reply) error {
	_, err := r.WriteString(s.engine.Game().Rules().JSON())
	return err
}

// setRules takes a JSON object or a name, which may have blanks in it.
func (s *Server) setRules(_ context.Context, c Command, _ *Reply) error {
	if c.Rest == "" {
		return errSyntax
	}
	rules, komiGiven, err := board.ParseRulesKomi(c.Rest)
	if err != nil {
		return err
	}
	if komiGiven {
		return errors.New("rules have no komi here: use the command komi")
	}
	return s.applyRules(rules)
}

// applyRules changes everything but komi.
func (s *Server) applyRules(rules board.Rules) error {
	rules.Komi = s.engine.Game().Rules().Komi
	return s.engine.SetRules(rules)
}

// setRule takes KEY VALUE.
func (s *Server) setRule(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) != 2 {
		return errSyntax
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
	return s.applyRules(rules)
}
