package features_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn/features"
	"kosumi/nn/features/featurestest"
	"kosumi/nn/katago"
)

// diff describes the first differences of two sets of planes.
func diff(area int, want, got []float32) string {
	text := ""
	for i := range want {
		if want[i] != got[i] {
			text += fmt.Sprintf(" plane %d point %d: want %v got %v;", i/area, i%area, want[i], got[i])
		}
		if len(text) > 400 {
			break
		}
	}
	return text
}

func TestV7EqualsKataGo(t *testing.T) {
	s := features.NewScratch()
	for _, p := range featurestest.Read(t, testshared.Path(t, "golden/katago/features.jsonl.gz")) {
		t.Run(p.ID+"/"+p.Kind, func(t *testing.T) {
			g, area := p.Game(t), p.Size().Area()
			want := make([]float32, 22*area)
			for plane, points := range p.Spatial {
				for _, at := range points {
					want[plane*area+at] = 1
				}
			}
			spatial, global := make([]float32, 22*area), make([]float32, 19)
			for i := range spatial {
				spatial[i] = 7 // must be overwritten
			}
			features.Encode(features.V7, spatial, global, g, p.Options(), s)
			require.Empty(t, diff(area, want, spatial))
			require.InDeltaSlice(t, p.Global, global, 1e-6)
		})
	}
}

func TestAllVersionsEqualKataGo(t *testing.T) {
	s := features.NewScratch()
	seen := map[features.Encoding]int{}
	for _, p := range featurestest.Read(t, testshared.Path(t, "golden/katago/synthetic.jsonl.gz")) {
		t.Run(p.ID, func(t *testing.T) {
			e, err := features.Parse((&katago.Header{Version: p.ModelVersion}).Encoder())
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("v%d", p.InputsVersion), e.String())
			g := p.Game(t)
			spatial := make([]float32, e.Planes()*p.Size().Area())
			global := make([]float32, e.Globals())
			features.Encode(e, spatial, global, g, p.Options(), s)
			require.Len(t, spatial, len(p.Input.Spatial))
			require.Empty(t, diff(p.Size().Area(), p.Input.Spatial, spatial))
			require.InDeltaSlice(t, p.Input.Global, global, 1e-6)
			seen[e]++
			if p.Input.Profile == "" {
				return
			}
			m, _, err := features.ParseProfile(p.Input.Profile)
			require.NoError(t, err)
			meta := make([]float32, features.MetaSize)
			features.EncodeMeta(meta, &m, g.ToMove(), g.Size())
			require.InDeltaSlice(t, p.Input.Meta, meta, 1e-6)
		})
	}
	for _, e := range []features.Encoding{features.V3, features.V4, features.V5, features.V6, features.V7} {
		require.NotZero(t, seen[e], e)
	}
}
