package board_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// TestOldRulesForm: KataGo's older form of rules is read and written.
func TestOldRulesForm(t *testing.T) {
	for text, want := range map[string]string{
		"koSIMPLEscoreAREAtaxNONEsui0whbNfpok1komi7.5": "Chinese",
		"koPOSITIONAL":                                        "TrompTaylor",
		" koSIMPLE scoring TERRITORY sui0":                    "Japanese",
		"koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1": "koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1",
		"komi3.5koSIMPLEtaxALL":                               "koSIMPLEscoreAREAtaxALLsui1",
	} {
		r, err := board.ParseRules(text)
		require.NoError(t, err, text)
		require.Equal(t, want, r.Name(), text)
		again, err := board.ParseRules(r.Text())
		require.NoError(t, err)
		again.Komi = r.Komi
		require.Equal(t, r, again)
	}
	r, given, err := board.ParseRulesKomi("koPOSITIONALkomi3.5")
	require.NoError(t, err)
	require.True(t, given)
	require.Equal(t, float32(3.5), r.Komi)
	for _, text := range []string{"", "ko", "koFOO", "koSIMPLE komi", "sui2", "koSIMPLE!"} {
		_, err := board.ParseRules(text)
		require.EqualError(t, err, "invalid rules: Could not parse rules: "+text)
		require.ErrorIs(t, err, board.ErrRules)
	}
}

func TestOneRule(t *testing.T) {
	r := board.TrompTaylor()
	for _, kv := range [][2]string{{"ko", "situational"}, {"score", "AREA"}, {"tax", "all"}, {"suicide", "False"}, {"hasButton", "true"}, {"whiteHandicapBonus", "n-1"}, {"friendlyPassOk", "true"}} {
		var err error
		r, err = r.With(kv[0], kv[1])
		require.NoError(t, err, kv)
	}
	require.Equal(t, "koSITUATIONALscoreAREAtaxALLsui0button1whbN-1fpok1", r.Text())
	for kv, want := range map[[2]string]string{
		{"ko", "foo"}: "Rules::parseKoRule: Invalid ko rule: FOO", {"suicide", "maybe"}: "could not parse bool: MAYBE", {"x", "1"}: "Unknown rules option: x",
	} {
		_, err := r.With(kv[0], kv[1])
		var reason *board.RulesError
		require.ErrorAs(t, err, &reason)
		require.Equal(t, want, reason.Reason)
	}
}
