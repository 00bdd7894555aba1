package commands

import (
	"context"
	"fmt"
	"strings"

	"kosumi/board"
	"kosumi/gtp"
	"kosumi/katago/config"
)

func (k *handlers) getRules(_ context.Context, c gtp.Command, r *gtp.Reply) error {
	reply := k.Engine.Game().Rules().JSON()
	if len(c.Args) > 0 {
		reply = fmt.Sprintf("Expected no arguments for kata-get-rules but got '%s'", args(c))
	}
	return r.Print(reply)
}

func (k *handlers) setRules(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	text := args(c)
	rules, komi, err := board.ParseKataGoRules(text)
	why := ""
	switch {
	case err != nil:
		why = config.Reason(err).Error()
	case komi && strings.HasPrefix(text, "{"):
		why = "Unknown rules option: komi"
	case komi:
		why = "Could not parse rules: " + text
	}
	if why != "" {
		return gtp.Failf("Unknown rules '%s', %s", text, why)
	}
	return k.change(rules)
}

// change sets the rules and keeps the komi.
func (k *handlers) change(rules board.Rules) error {
	defer k.Say("Changed rules to " + rules.Name())
	if !k.Supports(rules) || rules.Check() != nil {
		return gtp.Failf("Rules %s are not supported by this neural net version", rules.JSON())
	}
	rules.Komi = k.Engine.Game().Rules().Komi
	return k.Engine.SetRules(rules)
}

func (k *handlers) setRule(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	if len(c.Args) != 2 {
		return gtp.Failf("Expected two arguments for kata-set-rule but got '%s'", args(c))
	}
	rules, err := k.Engine.Game().Rules().With(c.Args[0], c.Args[1])
	if err != nil {
		return gtp.Failure(config.Reason(err).Error())
	}
	return k.change(rules)
}

func (k *handlers) kgsRules(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	if len(c.Args) == 0 {
		return gtp.Failure("Expected one argument kgs-rules")
	}
	word := strings.ToLower(c.Args[0])
	name := map[string]string{"chinese": "chinese-kgs", "aga": "aga", "new_zealand": "new_zealand", "japanese": "japanese"}[word]
	if name == "" {
		return gtp.Failf("Unknown rules '%s'", word)
	}
	rules, err := board.ParseRules(name)
	if err != nil {
		return err
	}
	return k.change(rules)
}
