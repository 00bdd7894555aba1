package board_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

func TestParseRulesByName(t *testing.T) {
	for _, c := range []struct {
		names, rules string // names are separated by commas
		komi         float32
	}{
		{"tromp-taylor,Tromp Taylor,tromptaylor,TROMP_TAYLOR", "koPOSITIONALscoreAREAtaxNONEsui1", 7.5},
		{"chinese,CHINESE", "koSIMPLEscoreAREAtaxNONEsui0whbNfpok1", 7.5},
		{"chinese-ogs,chinese_kgs,ChineseOGS,chinesekgs", "koPOSITIONALscoreAREAtaxNONEsui0whbNfpok1", 7.5},
		{"japanese,korean", "koSIMPLEscoreTERRITORYtaxSEKIsui0", 6.5},
		{"stone-scoring,Stone Scoring,ancient-area,ancientarea", "koSIMPLEscoreAREAtaxALLsui0fpok1", 7.5},
		{"ancient-territory", "koSIMPLEscoreTERRITORYtaxALLsui0", 6.5},
		{"aga,bga,french", "koSITUATIONALscoreAREAtaxNONEsui0whbN-1fpok1", 7.5},
		{"aga-button,AGA Button,agabutton", "koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1", 7},
		{"new-zealand,New Zealand,new_zealand,newzealand,nz, NZ ", "koSITUATIONALscoreAREAtaxNONEsui1fpok1", 7},
		{"ing,goe", "koPOSITIONALscoreAREAtaxNONEsui1fpok1", 7.5},
	} {
		for name := range strings.SplitSeq(c.names, ",") {
			r, err := board.ParseRules(name)
			require.NoError(t, err, name)
			require.Equal(t, c.rules, r.Text(), name)
			require.Equal(t, c.komi, r.Komi, name)
		}
	}
}

func TestParseRulesJSON(t *testing.T) {
	for text, want := range map[string]string{ // the rules and the komi
		`{}`:                      "koPOSITIONALscoreAREAtaxNONEsui1 7.5",
		` {"ko":"SPIGHT"} `:       "koSPIGHTscoreAREAtaxNONEsui1 7.5",
		`{"suicide":false}`:       "koPOSITIONALscoreAREAtaxNONEsui0 7.5",
		`{"score":"AREA"}`:        "koPOSITIONALscoreAREAtaxNONEsui1 7.5",
		`{"hasButton":true}`:      "koPOSITIONALscoreAREAtaxNONEsui1button1 7",
		`{"komi":-3.5}`:           "koPOSITIONALscoreAREAtaxNONEsui1 -3.5",
		`{"friendlyPassOk":true}`: "koPOSITIONALscoreAREAtaxNONEsui1fpok1 7.5",
		`{"score":"TERRITORY"}`:   "koPOSITIONALscoreTERRITORYtaxSEKIsui1 6.5",
		`{"scoring":"TERRITORY","tax":"ALL","komi":0,"whiteHandicapBonus":"N-1"}`: "koPOSITIONALscoreTERRITORYtaxALLsui1whbN-1 0",
	} {
		r, err := board.ParseRules(text)
		require.NoError(t, err, text)
		require.Equal(t, want, fmt.Sprint(r.Text(), " ", r.Komi), text)
	}
	_, given, err := board.ParseRulesKomi(`{"komi":5}`)
	require.NoError(t, err)
	require.True(t, given)
	_, given, err = board.ParseRulesKomi(`{"ko":"SIMPLE"}`)
	require.NoError(t, err)
	require.False(t, given)
}

func TestParseRulesRefuses(t *testing.T) {
	for _, text := range []string{
		"", "siming", "tromp", `{`, `{}{}`, `{} x`, `{"ko":"MAYBE"}`, `{"ko":1}`, `{"scoring":"NONE"}`, `{"tax":"x"}`,
		`{"whiteHandicapBonus":"2"}`, `{"suicide":"true"}`, `{"unknown":1}`, `{"komi":1e9}`, `{"komi":"6"}`,
		`{"hasButton":true,"scoring":"TERRITORY"}`, `[]`,
	} {
		r, err := board.ParseRules(text)
		require.ErrorIs(t, err, board.ErrRules, text)
		require.Zero(t, r)
	}
	for _, change := range []func(r *board.Rules){
		func(r *board.Rules) { r.Ko = 9 }, func(r *board.Rules) { r.Scoring = 9 }, func(r *board.Rules) { r.Tax = 9 },
		func(r *board.Rules) { r.HandicapBonus = 9 }, func(r *board.Rules) { r.Komi = float32(math.NaN()) },
		func(r *board.Rules) { r.Komi = float32(math.Inf(1)) },
		func(r *board.Rules) { r.Button, r.Scoring = true, board.ScoringTerritory },
	} {
		r := board.TrompTaylor()
		change(&r)
		_, err := board.NewGame(board.Square(9), r)
		require.ErrorIs(t, err, board.ErrRules)
	}
}

func FuzzParseRules(f *testing.F) {
	for _, text := range []string{"chinese", "New Zealand", `{"ko":"SPIGHT","komi":7}`, `{"tax":"ALL","score":"TERRITORY"}`, `{`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := board.ParseRules(text)
		if err != nil {
			require.ErrorIs(t, err, board.ErrRules)
			return
		}
		require.NoError(t, r.Check())
		again, err := board.ParseRules(r.JSON())
		require.NoError(t, err)
		again.Komi = r.Komi
		require.Equal(t, r, again)
	})
}

// TestKataGoRuleNames: ParseKataGoRules refuses names that KataGo does not read, even if ParseRules
// does.
func TestKataGoRuleNames(t *testing.T) {
	for text, ok := range map[string]bool{
		"Chinese-KGS": true, "chinese_ogs": true, "chineseogs": true, "chinese kgs": false, "New Zealand": true, "new_zealand": true, "nz": true,
		" stone scoring ": true, "chi-nese": false, "aga-button": true, "tromp - taylor": false, "{\"ko\":\"SIMPLE\"}": true, "koSIMPLEscoreAREA": true,
	} {
		_, _, err := board.ParseKataGoRules(text)
		require.Equal(t, ok, err == nil, text)
	}
}
