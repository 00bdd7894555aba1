package setting_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/search/setting"
)

func TestNear(t *testing.T) {
	names := []string{"genmove", "play", "undo", "showboard", "final_score", "komi", "boardsize"}
	for word, want := range map[string]string{
		"genmvoe": "genmove", "GENMOVE": "genmove", "shwoboard": "showboard", "finalscore": "final_score",
		"plya": "play", "und": "undo", "board": "", "": "", "x": "", "zzzzzzzz": "",
	} {
		require.Equal(t, want, setting.Near(word, names), word)
	}
	require.Empty(t, setting.Near("ac", []string{"ab", "ad"}), "two are equally near")
}
