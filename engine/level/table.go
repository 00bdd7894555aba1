package level

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"kosumi/board"
)

// Visits is how many visits a level searches before it chooses, if its number, the dial, is 0 to [Reading].
const Visits = 48

// The ends of the dial. Below 0 a level plays as at 0 but after a longer search; beyond [Reading] it
// plays like a beginner.
const (
	Strongest = -4.0
	Weakest   = 25.0
)

// VisitsAt returns the number of visits of the search at a dial. It is [Visits] from 0 to [Reading], doubles with
// each step below 0, and falls by a fifth of [Visits] with each step above [Reading], down to a third.
func VisitsAt(dial float64) int64 {
	return int64(math.Round(Visits * math.Pow(2, max(0, -dial)) * max(1.0/3, 1-0.2*max(0, dial-Reading))))
}

// Considered is how many of the likeliest moves a level's search considers.
const Considered = 16

// Support is a dial with a measured strength.
type Support struct {
	Dial  float64 `json:"dial"`
	Elo   float64 `json:"elo"`
	Error float64 `json:"error"` // of Elo, at 95 %
	Games int     `json:"games"`
	// PointsLost is the mean loss of a move, LargeLosses the share of moves that lose more than
	// ten points, both by the search that the moves were chosen from.
	PointsLost  float64 `json:"pointsLost"`
	LargeLosses float64 `json:"blunders"`
	// Nonsense is how many moves in 1,000 fill an eye, or put five stones or more into atari for
	// nothing and lose a point or more by a search of the position. Suspects counts the moves that
	// put five stones or more into atari for nothing, whatever they lose; Moves counts all moves.
	Nonsense float64 `json:"nonsense"`
	Suspects int     `json:"suspects,omitempty"`
	Moves    int     `json:"moves,omitempty"`
	Habits   Habits  `json:"habits,omitzero"`
}

// Anchor is another program that the dials were measured against.
type Anchor struct {
	Name  string  `json:"name"`
	Elo   float64 `json:"elo"`
	Error float64 `json:"error"`
	Games int     `json:"games"`
}

// Pair is A's result in games against B: a win is a point, a draw half of one.
type Pair struct {
	A      string  `json:"a"`
	B      string  `json:"b"`
	Points float64 `json:"points"`
	Games  int     `json:"games"`
}

// Ladder holds the strength of each dial with one network on one board. GNU Go 3.8 at level 10 has
// Elo 0.
type Ladder struct {
	Network string    `json:"network"` // name of the network
	SHA256  string    `json:"sha256"`  // of the network's file
	Size    int       `json:"size"`
	Visits  int       `json:"visits"`
	Machine string    `json:"machine"`
	Date    string    `json:"date"`
	Support []Support `json:"supports"` // by dial
	Anchors []Anchor  `json:"anchors"`
	Pairs   []Pair    `json:"pairs,omitempty"` // all games that were played
}

// Relation of ranks to Elo: GNU Go 3.8 at level 10 is assumed to be 10k, give or take three
// ranks, and one rank to be worth eloARank on 9x9 and eloARank19 on 19x19. docs/levels.md has the
// sources of both assumptions.
const (
	anchorRank = Rank(10) // 10k
	eloARank   = 50.0
	eloARank19 = 64.0
)

// eloOf is the Elo of a rank on 9x9, relative to GNU Go's level 10.
func eloOf(r Rank) float64 { return eloARank * float64(r-anchorRank) }

// eloARank is the Elo between neighbouring ranks on the ladder's board.
func (l *Ladder) eloARank() float64 {
	return eloARank + (eloARank19-eloARank)*max(0, float64(l.Size-9))/10
}

// EloOf is the Elo of a rank on the ladder's board, relative to GNU Go's level 10.
func (l *Ladder) EloOf(r Rank) float64 { return l.eloARank() * float64(r-anchorRank) }

//go:embed ladder.json
var ladderFile []byte

// Ladders returns the measured ladders that the program carries. Callers do not change them.
var Ladders = sync.OnceValue(func() []Ladder {
	all, err := ParseLadders(ladderFile)
	if err != nil {
		panic(err) // the file in the program is damaged
	}
	return all
})

// ParseLadders reads a file of ladders, as "engine match ladder" writes it.
func ParseLadders(data []byte) ([]Ladder, error) {
	var all []Ladder
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("not a file of ladders: %w", err)
	}
	for i := range all {
		l := &all[i]
		sorted := slices.IsSortedFunc(l.Support, func(a, b Support) int { return cmp.Compare(a.Dial, b.Dial) })
		if len(l.Support) < 2 || !sorted || l.Size < board.MinSize || l.Size > board.MaxSize {
			return nil, fmt.Errorf("not a file of ladders: ladder %d has fewer than two supports, in order of their dials, or no size of a board", i)
		}
		for _, s := range l.Support {
			if math.IsNaN(s.Elo) || !(s.Dial >= Strongest && s.Dial <= Weakest) {
				return nil, fmt.Errorf("not a file of ladders: ladder %d has a dial of %g", i, s.Dial)
			}
		}
	}
	return all, nil
}

// Setting is how a rank is played: by which dial, and how well that dial's rank is known.
type Setting struct {
	Rank   Rank
	Served Rank // the rank that it really plays at: Rank, or the end of the ladder
	Dial   float64
	// Measured reports whether the rank was measured in games against GNU Go, on this board and
	// with this network.
	Measured bool
	// Note is a caveat for users: how well the rank is measured, or, if it is not served, which
	// ranks are.
	Note string
	// Refusal lists the served ranks if Rank is not among them; otherwise it is nil.
	Refusal error
}

// nearest returns the network's ladder of the nearest size (own is true), otherwise another
// network's; nil if there is none.
func nearest(ladders []Ladder, sha256 string, size board.Size) (best *Ladder, own bool) {
	if len(ladders) == 0 {
		return nil, false
	}
	side := math.Sqrt(float64(size.Area()))
	distance := func(l *Ladder) float64 {
		d := math.Abs(float64(l.Size) - side)
		if l.SHA256 != sha256 {
			d += 100
		}
		return d
	}
	l := slices.MinFunc(ladders, func(a, b Ladder) int { return cmp.Compare(distance(&a), distance(&b)) })
	return &l, l.SHA256 == sha256
}

// Find returns how a rank is played on a board with the network whose file has this sha256: by
// that network's ladder of the nearest size, else by another network's.
func Find(ladders []Ladder, sha256 string, size board.Size, r Rank) (Setting, error) {
	best, own := nearest(ladders, sha256, size)
	if best == nil {
		return Setting{}, errors.New("there is no ladder: make one with engine match ladder")
	}
	side := math.Sqrt(float64(size.Area()))
	s := Setting{Rank: r}
	s.Dial, s.Served = best.dial(r)
	switch {
	case s.Served != r:
		low, high := best.Reach()
		s.Refusal = fmt.Errorf("%s is not served by %s on %s: %s to %s are", r, best.Network, size, low, high)
		s.Note = fmt.Sprintf("%s. It plays at %s", s.Refusal, s.Served)
	case !own:
		s.Note = fmt.Sprintf("%s: not measured with this network, taken from %s on %dx%d; engine match ladder measures it", r, best.Network, best.Size, best.Size)
	case float64(best.Size) != side:
		s.Note = fmt.Sprintf("%s: not measured on %s, taken over from %dx%d", r, size, best.Size, best.Size)
	case best.measured(s.Dial):
		s.Measured = true
		s.Note = fmt.Sprintf("%s: measured on %dx%d, give or take %d ranks", r, best.Size, best.Size, best.doubt(s.Dial))
	default:
		s.Note = fmt.Sprintf("%s: extrapolated on %dx%d from games between levels, give or take %d ranks", r, best.Size, best.Size, best.doubt(s.Dial))
	}
	return s, nil
}

// Reach returns the weakest and the strongest rank that the ladder serves, that is, has a dial for.
func (l *Ladder) Reach() (low, high Rank) {
	_, low = l.dial(Lowest)
	_, high = l.dial(Highest)
	return low, high
}

// anchorProgram begins the names of the reference players.
const anchorProgram = "GNU Go "

// A pair of players contributes to the measurement if its score is between these.
const (
	leastShare = 0.05
	mostShare  = 0.95
)

// measured reports whether a dial lies between two dials that were measured against GNU Go:
// they took 5 to 95 % of the points, with or without a handicap. All others are known only by
// games between levels.
func (l *Ladder) measured(dial float64) bool {
	first, last := math.Inf(1), math.Inf(-1)
	for _, p := range l.Pairs {
		d, a, _ := ParseDial(p.A)
		if !a || !strings.HasPrefix(p.B, anchorProgram) || p.Games == 0 {
			continue
		}
		if share := p.Points / float64(p.Games); share >= leastShare && share <= mostShare {
			first, last = min(first, d), max(last, d)
		}
	}
	return dial >= first && dial <= last
}

// dial returns the dial that plays a rank, and the rank at which it really plays (see Setting.Served).
func (l *Ladder) dial(r Rank) (float64, Rank) {
	elo := l.falling()
	want := l.EloOf(r)
	first, last := elo[0], elo[len(elo)-1] // strongest and weakest
	rank := func(e float64) Rank { return anchorRank + Rank(math.Round(e/l.eloARank())) }
	switch {
	case want >= first:
		return l.Support[0].Dial, min(r, max(Lowest, rank(first)))
	case want <= last:
		return l.Support[len(elo)-1].Dial, max(r, min(Highest, rank(last)))
	}
	i := slices.IndexFunc(elo, func(e float64) bool { return e <= want })
	t := (elo[i-1] - want) / max(elo[i-1]-elo[i], 1e-9)
	return l.Support[i-1].Dial + t*(l.Support[i].Dial-l.Support[i-1].Dial), r
}

// RankSupport is the dial that plays a rank, with measurements interpolated between the two
// neighbouring dials.
type RankSupport struct {
	Rank        Rank    `json:"-"`
	Name        string  `json:"rank"`     // of the rank
	Measured    bool    `json:"measured"` // against GNU Go ([Ladder.measured]); false: only by games between levels
	Dial        float64 `json:"dial"`
	Playouts    int64   `json:"playouts"` // of the search from whose moves this dial chooses
	Elo         float64 `json:"elo"`
	Error       float64 `json:"error"`
	PointsLost  float64 `json:"pointsLost"`
	LargeLosses float64 `json:"blunders"`
	Habits      Habits  `json:"habits,omitzero"` // at the nearest dial
}

// Ranks returns the ranks that the ladder serves, weakest first.
func (l *Ladder) Ranks() []RankSupport {
	all := []RankSupport{}
	elo := l.falling()
	for r := Lowest; r <= Highest; r++ {
		dial, served := l.dial(r)
		if served != r {
			continue
		}
		i, t := l.around(dial)
		a, b := l.Support[i-1], l.Support[i]
		between := func(a, b float64) float64 { return a + t*(b-a) }
		habits := a.Habits
		if t > 0.5 {
			habits = b.Habits
		}
		all = append(all, RankSupport{r, r.String(), l.measured(dial), dial, VisitsAt(dial), between(elo[i-1], elo[i]), between(a.Error, b.Error),
			between(a.PointsLost, b.PointsLost), between(a.LargeLosses, b.LargeLosses), habits})
	}
	return all
}

// anchorDoubt is the uncertainty of GNU Go's rank, in ranks.
const anchorDoubt = 3.0

// doubt is the uncertainty of a dial's rank at 95 %, in ranks: from the error of the nearest
// measured dial, and from GNU Go's rank.
func (l *Ladder) doubt(dial float64) int {
	near := slices.MinFunc(l.Support, func(a, b Support) int { return cmp.Compare(math.Abs(a.Dial-dial), math.Abs(b.Dial-dial)) })
	return int(math.Round(math.Hypot(anchorDoubt, near.Error/l.eloARank())))
}

// falling returns the Elo of the supports, changed as little as possible so that it falls as the
// dial rises (isotonic regression by pooling adjacent violators).
func (l *Ladder) falling() []float64 {
	type block struct{ sum, n float64 }
	var blocks []block
	for _, s := range l.Support {
		blocks = append(blocks, block{s.Elo, 1})
		for k := len(blocks) - 1; k > 0 && blocks[k].sum/blocks[k].n > blocks[k-1].sum/blocks[k-1].n; k-- {
			blocks[k-1].sum += blocks[k].sum
			blocks[k-1].n += blocks[k].n
			blocks = blocks[:k]
		}
	}
	var elo []float64
	for _, b := range blocks {
		for range int(b.n) {
			elo = append(elo, b.sum/b.n)
		}
	}
	return elo
}

// dialPrefix begins the name of a dial in settings and tables.
const dialPrefix = "loss:"

// DialName names a dial in tables, and in the level setting while dials are measured.
func DialName(dial float64) string { return fmt.Sprintf("%s%g", dialPrefix, dial) }

// ParseDial reads a name that [DialName] writes; named is false for any other text.
func ParseDial(name string) (dial float64, named bool, err error) {
	text, named := strings.CutPrefix(name, dialPrefix)
	if !named {
		return 0, false, nil
	}
	dial, err = strconv.ParseFloat(text, 64)
	if err != nil || !(dial >= Strongest && dial <= Weakest) {
		return 0, true, fmt.Errorf("no level %q: %sDIAL has a dial from %g to %g", name, dialPrefix, Strongest, Weakest)
	}
	return dial, true, nil
}

// around returns the two supports around a dial, which is a share t of the way from Support[i-1] to Support[i].
func (l *Ladder) around(dial float64) (i int, t float64) {
	i = min(max(1, slices.IndexFunc(l.Support, func(s Support) bool { return s.Dial >= dial })), len(l.Support)-1)
	a, b := l.Support[i-1], l.Support[i]
	return i, (dial - a.Dial) / max(b.Dial-a.Dial, 1e-9)
}

// PointsLost is the mean loss, in points, of a rank's move on a board, by the ladder that [Find]
// chooses for a network; 0 if there is no ladder.
func PointsLost(ladders []Ladder, sha256 string, size board.Size, r Rank) float64 {
	l, _ := nearest(ladders, sha256, size)
	if l == nil {
		return 0
	}
	dial, _ := l.dial(r)
	i, t := l.around(dial)
	a, b := l.Support[i-1].PointsLost, l.Support[i].PointsLost
	return max(0, a+t*(b-a))
}
