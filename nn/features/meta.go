package features

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"kosumi/board"
)

// MetaSize is the number of metadata inputs of KataGo's human-like networks
// (metadata encoder version 1).
const MetaSize = 192

// The codes of [Meta] that profiles use.
const (
	ratedYes    = 1
	timeByoYomi = 4
	sourceKGS   = 2
	sourceGoGoD = 5
	sourceGo4Go = 6
)

// Player describes one player to a human-like network.
type Player struct {
	Human bool
	// Rank counts from the top: 9d = 1, 1d = 9, 1k = 10, 20k = 29, at most 34;
	// 0 is none.
	Rank int
}

// Meta is the profile of a game's players and circumstances: the metadata inputs of
// KataGo's human-like networks. It is comparable; equal values give equal inputs.
type Meta struct {
	Black, White  Player
	Rated         uint8 // 0 unknown, 1 yes, 2 no
	Time          uint8 // 0 unknown, 1 none, 2 absolute, 3 simple, 4 byo-yomi, 5 Canadian, 6 Fischer
	MainSeconds   float64
	PeriodSeconds float64
	Periods       int
	Days          int   // days since 1970-01-01
	Source        uint8 // of the record: 0 other, 1 OGS, 2 KGS, 3 Fox, 4 Tygem, 5 GoGoD, 6 Go4Go
}

// ParseProfile returns the profile of a name that KataGo's humanSLProfile takes: rank_5k,
// rank_1d_3d (Black's rank, then White's), preaz_5k (the style before AlphaZero),
// proyear_1995. Case matters. Empty text, _ and two double quotes are no profile:
// then set is false. The text of an error is KataGo's.
func ParseProfile(name string) (m Meta, set bool, err error) {
	if name == "" || name == "_" || name == `""` {
		return Meta{}, false, nil
	}
	kind, rest, _ := strings.Cut(name, "_")
	ok := false
	switch kind {
	case "rank":
		m, ok = rankMeta(rest, days(2020, time.March))
	case "preaz":
		m, ok = rankMeta(rest, days(2016, time.September))
	case "proyear":
		m, ok = yearMeta(rest)
	}
	if !ok {
		return Meta{}, false, fmt.Errorf("Unknown human SL network profile: %s", name) //nolint:staticcheck // KataGo's text, which clients show
	}
	return m, true, nil
}

// Amateurs are two players of 1 dan: a default profile for measuring human-like networks.
var Amateurs, _ = rankMeta("1d", days(2020, time.March))

// rankMeta describes a game on KGS between two players of a rank, or of two ranks separated by _.
func rankMeta(ranks string, day int) (Meta, bool) {
	black, white, two := strings.Cut(ranks, "_")
	if !two {
		white = black
	}
	b, w := inverseRank(black), inverseRank(white)
	return Meta{Black: Player{Human: true, Rank: b}, White: Player{Human: true, Rank: w},
		Time: timeByoYomi, MainSeconds: 1200, PeriodSeconds: 30, Periods: 5,
		Days: day, Source: sourceKGS}, b > 0 && w > 0
}

// yearMeta describes a professionals' game of a year.
func yearMeta(text string) (Meta, bool) {
	year, err := strconv.Atoi(strings.Trim(text, " \t\n\v\f\r"))
	if err != nil || year < 1800 || year > 2023 {
		return Meta{}, false
	}
	pro := Player{Human: true, Rank: 1}
	m := Meta{Black: pro, White: pro, Rated: ratedYes, Days: days(year, time.June), Source: sourceGoGoD}
	if year > 2020 {
		m.Source = sourceGo4Go
	}
	return m, true
}

// rankNames lists the ranks from the top: KataGo's inverse rank is the place in this list, from 1.
var rankNames = strings.Fields("9d 8d 7d 6d 5d 4d 3d 2d 1d 1k 2k 3k 4k 5k 6k 7k 8k 9k 10k 11k 12k 13k 14k 15k 16k 17k 18k 19k 20k")

// inverseRank reads 9d..1d and 1k..20k as 1..29; 0 for anything else.
func inverseRank(name string) int { return slices.Index(rankNames, name) + 1 }

// days returns the days from 1970-01-01 to the first of a month.
func days(year int, month time.Month) int {
	return int(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// Offsets of the metadata inputs.
const (
	metaOwnRank = 6
	metaOppRank = 40
	metaRanks   = 34
	metaUnrated = 74
	metaTime    = 75
	metaDate    = 87
	metaSource  = 151
)

// EncodeMeta writes the MetaSize metadata inputs of m into dst for the player
// toMove on a board of that size. It allocates nothing.
func EncodeMeta(dst []float32, m *Meta, toMove board.Color, size board.Size) {
	dst = dst[:MetaSize]
	clear(dst)
	own, opp := &m.Black, &m.White
	if toMove == board.White {
		own, opp = opp, own
	}
	for i, p := range [2]*Player{own, opp} {
		dst[i] = indicator(p.Human)
		ranks := dst[metaOwnRank+i*(metaOppRank-metaOwnRank):]
		for r := range min(max(p.Rank, 0), metaRanks) {
			ranks[r] = 1
		}
	}
	dst[metaUnrated] = [...]float32{0.5, 0, 1}[m.Rated%3]
	dst[metaTime+int(m.Time)%7] = 1
	const day = 86400
	dst[82] = float32(0.4 * (math.Log(clamp(m.MainSeconds, 3*day)+60) - 6.5))
	dst[83] = float32(0.3 * (math.Log(clamp(m.PeriodSeconds, day)+1) - 3))
	dst[84] = float32(0.5 * (math.Log(clamp(float64(m.Periods), 50)+2) - 1.5))
	dst[85] = float32(0.25 * (math.Ln2 - 1.5)) // no moves of Canadian time
	dst[86] = float32(0.5 * math.Log(float64(size.Area())/361))
	period := 7.0
	for i := range 32 {
		sin, cos := math.Sincos(2 * math.Pi * float64(m.Days) / period)
		dst[metaDate+2*i], dst[metaDate+2*i+1] = float32(cos), float32(sin)
		period = 7 * math.Pow(80000, float64(i+1)/31)
	}
	dst[metaSource+int(m.Source)%16] = 1
}

// clamp limits x to 0..hi; NaN gives 0.
func clamp(x, hi float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, hi)
}

func indicator(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
