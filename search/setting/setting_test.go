package setting_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/search/setting"
)

type part struct {
	Share float64
	Form  uint8
}

type whole struct {
	On     bool
	Count  int
	Visits int64
	Bytes  int64
	Seed   uint64
	Wait   time.Duration
	Name   string
	Word   string
	Komi   float32
	Upper  string
	Part   part
}

// upper is a string field that holds upper case and shows lower case.
type upper struct{ at *string }

func (u upper) String() string { return strings.ToLower(*u.at) }
func (u upper) Set(text string) error {
	if text == "" {
		return errors.New("no text")
	}
	*u.at = strings.ToUpper(text)
	return nil
}

var table = setting.Join(
	setting.Under("Whole", setting.Table[whole]{
		setting.Of(setting.Info{Name: "on", KataGo: "isOn", Change: setting.Common}, func(w *whole) *bool { return &w.On }),
		setting.Of(setting.Info{Name: "count", Low: -2, High: 5, Change: setting.Expert}, func(w *whole) *int { return &w.Count }),
		setting.Of(setting.Info{Name: "visits", KataGo: "maxVisits", High: 1000, NoLimit: 1 << 50, Change: setting.Common}, func(w *whole) *int64 { return &w.Visits }),
		setting.Of(setting.Info{Name: "memory", High: 1 << 24, Unit: 1 << 20}, func(w *whole) *int64 { return &w.Bytes }),
		setting.Of(setting.Info{Name: "seed"}, func(w *whole) *uint64 { return &w.Seed }),
		setting.Of(setting.Info{Name: "wait", High: 60}, func(w *whole) *time.Duration { return &w.Wait }),
		setting.Of(setting.Info{Name: "name"}, func(w *whole) *string { return &w.Name }),
		setting.Of(setting.Info{Name: "word", Words: []string{"one", "two"}}, func(w *whole) *string { return &w.Word }),
		setting.Of(setting.Info{Name: "komi", Low: -400, High: 400}, func(w *whole) *float32 { return &w.Komi }),
		setting.Custom(setting.Info{Name: "upper", KataGo: "lower", Change: setting.Common,
			From: func(s string) (string, error) {
				if s == "?" {
					return "", errors.New("a question")
				}
				return strings.TrimPrefix(s, "kata"), nil
			},
			To: func(s string) string { return "kata" + s }},
			func(w *whole) setting.Value { return upper{&w.Upper} }),
	}),
	setting.Lift(setting.Under("Part", setting.Table[part]{
		setting.Of(setting.Info{Name: "share", KataGo: "share", High: 1, Section: "part"}, func(p *part) *float64 { return &p.Share }),
		setting.Enum(setting.Info{Name: "form", Words: []string{"loss", "count"}, Section: "part"}, func(p *part) *uint8 { return &p.Form }),
	}), func(w *whole) *part { return &w.Part }),
)

func TestSet(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"on", "true", "true"}, {"count", "-2", "-2"}, {"count", "5", "5"}, {"visits", "1e3", "1000"},
		{"memory", "16777216", "16777216"}, {"seed", "18446744073709551615", "18446744073709551615"},
		{"wait", "1.5", "1.5"}, {"name", "", ""}, {"name", "a b", "a b"}, {"word", "TWO", "two"},
		{"komi", "6.5", "6.5"}, {"upper", "abc", "abc"}, {"share", "0.25", "0.25"}, {"form", "Count", "count"},
	} {
		var w whole
		require.NoError(t, table.Set(&w, c.name, c.text), c.name)
		require.Equal(t, c.want, table.Find(c.name).Get(&w), c.name)
		var again whole
		require.NoError(t, table.Set(&again, c.name, c.want))
		require.Equal(t, w, again, "Get returns what Set reads")
	}
	for _, c := range []struct{ name, text, complaint string }{
		{"on", "2", `on is "2", must be true or false`}, {"count", "6", "an integer from -2 to 5"}, {"count", "1.5", "an integer"},
		{"count", "NaN", "an integer"}, {"memory", "1e19", "an integer"}, {"seed", "-1", "seed"}, {"wait", "61", "a number from 0 to 60"}, {"wait", "inf", "a number"},
		{"word", "three", "one of one, two"}, {"komi", "nan", "a number"}, {"upper", "", "upper: no text"},
		{"form", "2", "one of loss, count"}, {"nothing", "1", "unknown setting nothing"}, {"shares", "1", "did you mean share?"}, {"MaxVisits", "1", "did you mean maxVisits?"}, {"coun", "1", "did you mean count?"}, {"", "1", "unknown setting"},
	} {
		w := whole{Word: "one"}
		require.ErrorContains(t, table.Set(&w, c.name, c.text), c.complaint, c.name)
		require.Equal(t, whole{Word: "one"}, w, "after an error nothing has changed")
	}
}

func TestKataGo(t *testing.T) {
	var w whole
	require.NoError(t, table.Set(&w, "maxVisits", "50"))
	require.EqualValues(t, 50, w.Visits)
	require.NoError(t, table.Set(&w, "maxVisits", "1125899906842624"))
	require.Zero(t, w.Visits)
	require.Equal(t, "1125899906842624", table.Find("visits").GetParam(&w))
	require.ErrorContains(t, table.Set(&w, "maxVisits", "0"), "an integer from 1 up")
	require.ErrorContains(t, table.Set(&w, "maxVisits", "inf"), "an integer from 1 up")
	require.NoError(t, table.Set(&w, "visits", "0"))

	require.NoError(t, table.SetParam(&w, "lower", "katax"))
	require.Equal(t, "X", w.Upper)
	require.Equal(t, "katax", table.Find("lower").GetParam(&w))
	require.ErrorContains(t, table.SetParam(&w, "lower", "?"), `lower is "?": a question`)
	require.NoError(t, table.Set(&w, "upper", "katax"))
	require.Equal(t, "KATAX", w.Upper, "our own name takes our own words")
	require.NoError(t, table.SetParam(&w, "count", "3"), "what KataGo has no name for")
}

// TestApply: values are set in the order of the table, and all errors are returned.
func TestApply(t *testing.T) {
	w := whole{}
	err := table.Apply(&w, map[string]string{"share": "0.5", "on": "true", "count": "9", "zzz": "1", "maxVisits": "x"}, table.Set)
	require.Equal(t, whole{On: true, Part: part{Share: 0.5}}, w)
	require.ErrorContains(t, err, "count")
	require.ErrorContains(t, err, "unknown setting zzz")
	require.ErrorContains(t, err, "maxVisits")
	require.NoError(t, table.Apply(&w, nil, table.Set))
}

func TestCheck(t *testing.T) {
	good := whole{Word: "one"}
	require.Empty(t, table.Check(&good))
	for _, spoil := range []func(*whole){
		func(w *whole) { w.Count = 6 }, func(w *whole) { w.Visits = -1 }, func(w *whole) { w.Wait = -1 },
		func(w *whole) { w.Komi = float32(math.NaN()) }, func(w *whole) { w.Part.Form = 2 }, func(w *whole) { w.Word = "" },
	} {
		bad := good
		spoil(&bad)
		require.Len(t, table.Check(&bad), 1)
	}
}

func TestParams(t *testing.T) {
	w := whole{Upper: "X"}
	params := table.Changeable().Params(&w)
	var got []string
	for _, p := range params {
		got = append(got, p.Name+"="+p.Value)
	}
	require.Equal(t, []string{"isOn=false", "count=0", "maxVisits=1125899906842624", "lower=katax"}, got)
}

func FuzzSet(f *testing.F) {
	for _, s := range table {
		f.Add(s.Name, "1")
	}
	f.Add("komi", "0x1p-2")
	f.Fuzz(func(t *testing.T, name, text string) {
		var w whole
		if table.Set(&w, name, text) != nil {
			require.Equal(t, whole{}, w)
			return
		}
		s := table.Find(name)
		require.NoError(t, s.Check(&w))
		again := w
		require.NoError(t, s.Set(&again, s.Get(&w)))
		require.Equal(t, w, again)
	})
}
