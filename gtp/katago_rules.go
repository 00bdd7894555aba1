package gtp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"kosumi/board"
)

func (k *kataServer) rules() []handler {
	return []handler{
		{name: "kata-get-rules", run: k.getRules}, {name: "kata-set-rules", run: k.setRules},
		{name: "kata-set-rule", run: k.setRule}, {name: "kgs-rules", run: k.kgsRules},
	}
}

func (k *kataServer) getRules(_ context.Context, c Command, r *Reply) error {
	reply := k.engine.Game().Rules().JSON()
	if len(c.Args) > 0 {
		reply = fmt.Sprintf("Expected no arguments for kata-get-rules but got '%s'", c.args())
	}
	_, err := r.WriteString(reply)
	return err
}

// reason returns why a text is no rules, in KataGo's words.
func reason(err error) string {
	var known *board.RulesError
	if errors.As(err, &known) {
		return known.Reason
	}
	return err.Error()
}

func (k *kataServer) setRules(_ context.Context, c Command, _ *Reply) error {
	text := c.args()
	rules, komi, err := board.ParseKataGoRules(text)
	why := ""
	switch {
	case err != nil:
		why = reason(err)
	case komi && strings.HasPrefix(text, "{"):
		why = "Unknown rules option: komi"
	case komi:
		why = "Could not parse rules: " + text
	}
	if why != "" {
		return kataErrorf("Unknown rules '%s', %s", text, why)
	}
	return k.change(rules)
}

// change puts rules in force, komi apart.
func (k *kataServer) change(rules board.Rules) error {
	defer k.k.Say("Changed rules to " + rules.Name())
	if !k.k.Supports(rules) || rules.Check() != nil {
		return kataErrorf("Rules %s are not supported by this neural net version", rules.JSON())
	}
	return k.applyRules(rules)
}

func (k *kataServer) setRule(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) != 2 {
		return kataErrorf("Expected two arguments for kata-set-rule but got '%s'", c.args())
	}
	rules, err := k.engine.Game().Rules().With(c.Args[0], c.Args[1])
	if err != nil {
		return kataError(reason(err))
	}
	return k.change(rules)
}

func (k *kataServer) kgsRules(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) == 0 {
		return kataError("Expected one argument kgs-rules")
	}
	word := strings.ToLower(c.Args[0])
	name := map[string]string{"chinese": "chinese-kgs", "aga": "aga", "new_zealand": "new_zealand", "japanese": "japanese"}[word]
	if name == "" {
		return kataErrorf("Unknown rules '%s'", word)
	}
	rules, err := board.ParseRules(name)
	if err != nil {
		return err
	}
	return k.change(rules)
}

func (k *kataServer) params() []handler {
	return []handler{
		{name: "kata-list-params", run: k.listParams}, {name: "kata-get-params", run: k.getParams}, {name: "kata-get-param", run: k.getParam},
		{name: "kata-set-param", run: k.setParam}, {name: "kata-set-params", run: k.setParams}, {name: "kata-get-models", run: k.getModels},
	}
}

func (k *kataServer) listParams(_ context.Context, _ Command, r *Reply) error {
	_, err := r.WriteString(strings.Join(k.k.Params.Names(), " "))
	return err
}

func (k *kataServer) getParams(_ context.Context, _ Command, r *Reply) error {
	_, err := r.WriteString(k.k.Params.JSON())
	return err
}

func (k *kataServer) getParam(_ context.Context, c Command, r *Reply) error {
	if len(c.Args) != 1 {
		return kataErrorf("Expected one arguments for kata-get-param but got '%s'", c.args())
	}
	value, ok := k.k.Params.Get(c.Args[0])
	if !ok {
		return kataErrorf("Invalid parameter: %s", c.Args[0])
	}
	_, err := r.WriteString(value)
	return err
}

// setParam takes NAME [VALUE]; without a value the default comes back.
func (k *kataServer) setParam(_ context.Context, c Command, _ *Reply) error {
	switch len(c.Args) {
	case 1:
		return k.set(map[string]string{c.Args[0]: ""})
	case 2:
		return k.set(map[string]string{c.Args[0]: c.Args[1]})
	}
	return kataErrorf("Expected one or two arguments for kata-set-param but got '%s'", c.args())
}

func (k *kataServer) set(values map[string]string) error {
	if err := k.k.Params.Set(values); err != nil {
		return kataErrorf("Could not set params: %v", err)
	}
	return nil
}

func (k *kataServer) setParams(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) == 0 {
		return kataError("Expected argument for kata-set-param but got ''")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(c.args()), &fields); err != nil || fields == nil {
		return kataError("Could not set params: Argument to kata-set-params must be a json object")
	}
	values := map[string]string{}
	for name, raw := range fields {
		var text string
		if string(raw) == "null" || json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		values[name] = text
	}
	return k.set(values)
}

// kataModel is an entry of kata-get-models, names in order.
type kataModel struct {
	InternalName string `json:"internalName"`
	MaxBatchSize int    `json:"maxBatchSize"`
	Name         string `json:"name"`
	HumanProfile bool   `json:"usesHumanSLProfile"`
	FP16         string `json:"usingFP16"`
	Version      int    `json:"version"`
}

func (k *kataServer) getModels(_ context.Context, _ Command, r *Reply) error {
	list := []kataModel{}
	for _, m := range k.opts.Models() {
		fp16 := "auto"
		if m.FP16 == "true" {
			fp16 = m.FP16
		}
		list = append(list, kataModel{InternalName: m.InternalName, MaxBatchSize: m.MaxBatchSize, Name: m.Name,
			HumanProfile: m.HumanProfile, FP16: fp16, Version: m.Version})
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(list); err != nil {
		return err
	}
	_, err := r.WriteString(strings.TrimSpace(b.String()))
	return err
}
