package setting

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbers(t *testing.T) {
	for x, want := range map[float64][2]string{
		0: {"0", "0.0"}, 1: {"1", "1.0"}, 0.04: {"0.04", "0.04"}, 1e6: {"1e+06", "1000000.0"}, 1e20: {"1e+20", "1e+20"}, 1234567: {"1.23457e+06", "1234567.0"},
		1e-7: {"1e-07", "1e-07"}, -3.5: {"-3.5", "-3.5"},
	} {
		require.Equal(t, want[0], General(x))
		require.Equal(t, want[1], Float(x))
	}
}
