package learn

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTrainedName(t *testing.T) {
	for name, want := range map[string]string{
		"kb6c96-s6648960-d1616146": "kb6c96-s6649460-d1616146",
		"b6-s500":                  "b6-s1000",
		"fresh-kb1c16":             "fresh-kb1c16-s500",
		"x-s99999999999999999999":  "x-s99999999999999999999",
		"":                         "-s500",
	} {
		require.Equal(t, want, trainedName(name, 500), name)
	}
}
