package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/autodiff"
	"kosumi/nn/model"
	"kosumi/train/learn"
)

var (
	flagWord = regexp.MustCompile(`--([a-z][a-z0-9-]*)`)
	others   = regexp.MustCompile(`'[^'\n]*'`) // command lines of other programs
)

// requireFlags requires that a command has every flag named in a text.
func requireFlags(t *testing.T, command string, text string) {
	t.Helper()
	cmd, _, err := newRoot().Find(strings.Fields(command))
	require.NoError(t, err)
	cmd.InitDefaultHelpFlag()
	for _, m := range flagWord.FindAllStringSubmatch(others.ReplaceAllString(text, ""), -1) {
		require.NotNil(t, cmd.Flags().Lookup(m[1]), "engine %s has no --%s: %s", command, m[1], text)
	}
}

// TestMessagesNameFlagsThatExist: every flag named in the texts of training, self-play and the
// loop exists.
func TestMessagesNameFlagsThatExist(t *testing.T) {
	for pattern, command := range map[string]string{
		"../../train/learn/*.go": "train", "../../train/rows/*.go": "train", "train*.go": "train",
		"../../train/selfplay/*.go": "selfplay", "selfplay.go": "selfplay",
		"../../train/loop/[a-qs-z]*.go": "loop", "loop.go": "loop", "loop_serve.go": "loop", "loop_rate.go": "loop rate",
	} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			require.NoError(t, err)
			ast.Inspect(f, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					text, err := strconv.Unquote(lit.Value)
					require.NoError(t, err)
					requireFlags(t, command, text)
				}
				return true
			})
		}
	}
}

// TestOtherSettingsAreNamedAsFlags changes every setting of a run: the refusal names flags of
// engine train.
func TestOtherSettingsAreNamedAsFlags(t *testing.T) {
	settings := map[string][2]any{
		"data": {[]string{"/a", "/b"}, []string{"/c"}}, "validate": {nil, []string{"/d"}}, "boardsize": {"9x9", ""}, "validation": {0.05, 0.1}, "window": {0, 100}, "memory": {256, 64},
		"no_symmetries": {false, true}, "no_history_dropout": {true, false},
		"losses": {map[string]float64{"value": 1.5, "policy": 2}, nil}, "average": {learn.Average{Every: 64, Window: 8}, learn.Average{}},
		"overrides": {model.Overrides{Encoding: "v7"}, model.Overrides{Value: "tanh"}}, "method": {autodiff.SGD, autodiff.Adam},
	}
	conf := reflect.TypeFor[learn.Config]()
	for i := range conf.NumField() {
		name, _, _ := strings.Cut(conf.Field(i).Tag.Get("json"), ",")
		if _, there := settings[name]; name == "-" || there {
			continue
		}
		switch conf.Field(i).Type.Kind() {
		case reflect.Bool:
			settings[name] = [2]any{false, true}
		case reflect.String:
			settings[name] = [2]any{"trunk", ""}
		default:
			settings[name] = [2]any{1, 2}
		}
	}
	for name, v := range settings {
		var c learn.Change
		for i, into := range []*string{&c.Was, &c.Is} {
			text, err := json.Marshal(v[i])
			require.NoError(t, err)
			*into = string(text)
		}
		c.Name = name
		text := otherRun("out", []learn.Change{c}).Error()
		requireFlags(t, "train", text)
		require.NotContains(t, text, "{", "no JSON: %s", text)
		require.NotContains(t, text, "null")
	}
	text := otherRun("out", []learn.Change{{Name: "beta1", Was: "0", Is: "0.9"}, {Name: "method", Was: `"sgd"`, Is: `"adam"`}, {Name: "momentum", Was: "0.9", Is: "0"}}).Error()
	require.Contains(t, text, "begun with --optimizer sgd, and now it is --optimizer adam: ")
}
