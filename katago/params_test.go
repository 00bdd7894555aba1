package katago

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/engine"
	"kosumi/katago/config"
)

type fakeEngine struct{ cfg engine.Config }

func (s *fakeEngine) Config() engine.Config           { return s.cfg }
func (s *fakeEngine) Configure(c engine.Config) error { s.cfg = c; return nil }
func (s *fakeEngine) DropTree()                       {}

// TestParamsGoBack: every value that is shown can be set again, alone or with all others, and this changes nothing,
// even if KataGo would refuse the value. Any other value that KataGo refuses is refused here too.
func TestParamsGoBack(t *testing.T) {
	c := config.New(map[string]string{"logAllGTPCommunication": "false", "logSearchInfo": "false", "rules": "chinese",
		"numSearchThreads": "2", "maxVisits": "50"})
	g, err := c.GTP(false, func(string) {})
	require.NoError(t, err)
	p := NewParams(c, &g, &fakeEngine{engine.Defaults()}, Files{Model: "net"}, false, OpenLog(config.Log{}, c))
	before := p.JSON()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(before), &fields))
	all := map[string]string{}
	for name, raw := range fields {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		all[name] = text
		require.NoError(t, p.Set(map[string]string{name: text}), name)
		shown, ok := p.Get(name)
		require.True(t, ok, name)
		require.NoError(t, p.Set(map[string]string{name: strings.Trim(shown, `"`)}), name)
	}
	require.NoError(t, p.Set(all))
	require.Equal(t, before, p.JSON())

	all["humanSLChosenMoveProp"] = "0.5"
	require.ErrorContains(t, p.Set(all), "Provided parameter humanSLChosenMoveProp but no human model was specified")
	for _, wrong := range []string{"0", "5000"} {
		require.ErrorContains(t, p.Set(map[string]string{"numSearchThreads": wrong}), "must be in the range 1 to 4096")
	}
	require.Equal(t, before, p.JSON())
}

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"g170-b6c96-s175395328-d26788732": "g170-b6c96-s175M", "kata1-b18c384nbt-s9996604416-d4316597426": "b18c384nbt-s9996M",
		"net": "net", "x-s12345": "x-s12K", "x-s99": "x-s99",
	} {
		require.Equal(t, want, ShortName(name))
	}
}
