package commands

import (
	"context"
	"encoding/json"
	"strings"

	"kosumi/gtp"
)

func (k *handlers) listParams(_ context.Context, _ gtp.Command, r *gtp.Reply) error {
	return r.Print(strings.Join(k.Params.Names(), " "))
}

func (k *handlers) getParams(_ context.Context, _ gtp.Command, r *gtp.Reply) error {
	return r.Print(k.Params.JSON())
}

func (k *handlers) getParam(_ context.Context, c gtp.Command, r *gtp.Reply) error {
	if len(c.Args) != 1 {
		return gtp.Failf("Expected one arguments for kata-get-param but got '%s'", args(c))
	}
	value, ok := k.Params.Get(c.Args[0])
	if !ok {
		return gtp.Failf("Invalid parameter: %s", c.Args[0])
	}
	return r.Print(value)
}

// setParam takes NAME [VALUE]; without a value it restores the default.
func (k *handlers) setParam(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	switch len(c.Args) {
	case 1:
		return k.set(map[string]string{c.Args[0]: ""})
	case 2:
		return k.set(map[string]string{c.Args[0]: c.Args[1]})
	}
	return gtp.Failf("Expected one or two arguments for kata-set-param but got '%s'", args(c))
}

func (k *handlers) set(values map[string]string) error {
	if err := k.Params.Set(values); err != nil {
		return gtp.Failf("Could not set params: %v", err)
	}
	return nil
}

func (k *handlers) setParams(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	if len(c.Args) == 0 {
		return gtp.Failure("Expected argument for kata-set-param but got ''")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(args(c)), &fields); err != nil || fields == nil {
		return gtp.Failure("Could not set params: Argument to kata-set-params must be a json object")
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

// kataModel is an entry of kata-get-models, its fields in alphabetical order.
type kataModel struct {
	InternalName string `json:"internalName"`
	MaxBatchSize int    `json:"maxBatchSize"`
	Name         string `json:"name"`
	HumanProfile bool   `json:"usesHumanSLProfile"`
	FP16         string `json:"usingFP16"`
	Version      int    `json:"version"`
}

func (k *handlers) getModels(_ context.Context, _ gtp.Command, r *gtp.Reply) error {
	list := []kataModel{}
	for _, m := range k.Models() {
		fp16 := "auto"
		if m.FP16 == "true" {
			fp16 = m.FP16
		}
		list = append(list, kataModel{InternalName: m.InternalName, MaxBatchSize: m.MaxBatchSize, Name: m.Name,
			HumanProfile: m.HumanProfile, FP16: fp16, Version: m.Version})
	}
	return r.PrintJSON(list)
}
