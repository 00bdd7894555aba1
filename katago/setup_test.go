package katago

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"g170-b6c96-s175395328-d26788732": "g170-b6c96-s175M", "kata1-b18c384nbt-s9996604416-d4316597426": "b18c384nbt-s9996M",
		"net": "net", "x-s12345": "x-s12K", "x-s99": "x-s99",
	} {
		require.Equal(t, want, ShortName(name))
	}
}
