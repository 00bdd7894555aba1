package loop

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/internal/file"
	"kosumi/match"
	"kosumi/match/elo"
)

// RatingsFile is the name of the file with rating games.
const RatingsFile = "ratings.json"

// Ratings are the rating games of a loop's networks and other players, with their Elo.
type Ratings struct {
	Visits  int           `json:"visits"`
	Pairs   []RatedPair   `json:"pairs"`
	Players []RatedPlayer `json:"players"`
}

// RatedPair counts the games of two players, from A's view.
type RatedPair struct {
	A      string `json:"a"`
	B      string `json:"b"`
	Wins   int    `json:"wins"`
	Losses int    `json:"losses"`
	Draws  int    `json:"draws"`
	// Repeats is the number of games that repeated an earlier one move for move; they are not
	// counted.
	Repeats int `json:"repeats,omitempty"`
}

func (p *RatedPair) games() int { return p.Wins + p.Losses + p.Draws }

// RatedPlayer is a player with its rating. Hours and Games say how long the loop had run and how many
// games it had when it made the network; both are 0 for an anchor.
type RatedPlayer struct {
	Name   string  `json:"name"`
	Anchor bool    `json:"anchor,omitempty"`
	Hours  float64 `json:"hours"`
	Games  int64   `json:"games"`
	Elo    float64 `json:"elo"`
	Error  float64 `json:"error"` // 95 % error of Elo
	Played int     `json:"played"`
}

// Anchor is a GTP program to play against.
type Anchor struct {
	Name    string
	Command string
}

// RateOptions are the settings of rating games.
type RateOptions struct {
	Games    int // games per pair of players
	Visits   int // visits per move of a network
	Networks int // maximum number of networks to rate, evenly spread over the run, the newest included
	Anchors  []Anchor
	// Program is the command line that runs a network over GTP when --model FILE is appended.
	Program string
	Log     *slog.Logger
	Status  func(line string)
}

// Rate plays the missing games of every network against the two before it and each anchor, then
// rates all players. Games are saved after each pair, so an interrupted rating resumes. The first
// anchor, else the first network, has Elo 0.
func Rate(ctx context.Context, dir string, o RateOptions) (*Ratings, error) {
	s, err := stateOf(dir)
	if err != nil {
		return nil, err
	}
	conf, err := loadRecipe(dir)
	if err != nil {
		return nil, err
	}
	lock, err := file.Lock(filepath.Join(dir, RatingsFile))
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	r := &rater{dir: dir, state: s, conf: conf, o: o, open: map[string]*player{}}
	defer r.close()
	if r.ratings, err = loadRatings(dir); err != nil {
		return nil, err
	}
	if r.ratings.Visits != o.Visits {
		r.ratings = &Ratings{Visits: o.Visits}
	}
	switch n := len(r.networks()); {
	case n == 0:
		return nil, fmt.Errorf("%s: no network has been promoted yet: run engine loop on it first", dir)
	case n == 1 && len(o.Anchors) == 0:
		return nil, fmt.Errorf("%s: there is one network so far: nothing to play it against but programs (--against)", dir)
	}
	if err := r.play(ctx); err != nil {
		return nil, err
	}
	r.rate()
	return r.ratings, r.save()
}

func loadRatings(dir string) (*Ratings, error) {
	r := new(Ratings)
	_, err := file.ReadJSON(filepath.Join(dir, RatingsFile), r)
	return r, err
}

// rater plays rating games with networks that it keeps open.
type rater struct {
	dir     string
	state   *State
	conf    Recipe
	o       RateOptions
	ratings *Ratings
	open    map[string]*player
}

func (r *rater) close() {
	for _, p := range r.open {
		p.close()
	}
}

func (r *rater) save() error {
	return file.WriteJSON(filepath.Join(r.dir, RatingsFile), r.ratings, " ")
}

// networks lists the networks to rate, oldest first.
func (r *rater) networks() []*Network {
	var kept []*Network
	for i := range r.state.Networks {
		n := &r.state.Networks[i]
		if _, err := os.Stat(modelPath(r.dir, r.state.Arch, n.Name)); err == nil && n.Promoted {
			kept = append(kept, n)
		}
	}
	if most := r.o.Networks; most > 1 && len(kept) > most {
		var some []*Network
		for k := range most {
			some = append(some, kept[k*(len(kept)-1)/(most-1)])
		}
		kept = some
	}
	return kept
}

func (r *rater) play(ctx context.Context) error {
	list := r.networks()
	for i := len(list) - 1; i >= 0 && ctx.Err() == nil; i-- {
		for back := 1; back <= 2 && i-back >= 0; back++ {
			if err := r.between(ctx, list[i].Name, list[i-back].Name); err != nil {
				return err
			}
		}
		for k := range r.o.Anchors {
			if err := r.against(ctx, list[i].Name, &r.o.Anchors[k]); err != nil {
				return err
			}
		}
		if i+2 < len(list) { // network i+2 has met all its opponents
			r.open[list[i+2].Name].close()
			delete(r.open, list[i+2].Name)
		}
	}
	return context.Cause(ctx)
}

// pair returns the games of two players so far.
func (r *rater) pair(a, b string) *RatedPair {
	for i := range r.ratings.Pairs {
		if p := &r.ratings.Pairs[i]; p.A == a && p.B == b {
			return p
		}
	}
	r.ratings.Pairs = append(r.ratings.Pairs, RatedPair{A: a, B: b})
	return &r.ratings.Pairs[len(r.ratings.Pairs)-1]
}

func (r *rater) player(name string) (*player, error) {
	if p := r.open[name]; p != nil {
		return p, nil
	}
	p, err := openPlayer(modelPath(r.dir, r.state.Arch, name), name, &r.conf.Compute, r.conf.Selfplay.Boards, r.state.Seed, r.o.Log)
	if err == nil {
		r.open[name] = p
	}
	return p, err
}

// between plays the missing games of two networks.
func (r *rater) between(ctx context.Context, a, b string) error {
	p := r.pair(a, b)
	missing := r.o.Games - p.games()
	if missing <= 0 {
		return nil
	}
	one, err := r.player(a)
	if err != nil {
		return err
	}
	two, err := r.player(b)
	if err != nil {
		return err
	}
	gate := r.conf.Gate
	gate.Games, gate.Visits = missing, r.o.Visits
	got, err := playMatch(ctx, local(one.server, two.server), &gate, r.conf.Selfplay.Boards[:1], r.state.Seed+uint64(p.games())*7919, new(matchCount))
	if err != nil {
		return err
	}
	p.Wins, p.Losses, p.Draws = p.Wins+got.wins, p.Losses+got.losses, p.Draws+got.draws
	return r.played(p)
}

// played reports the score of a pair of players and saves the ratings.
func (r *rater) played(p *RatedPair) error {
	if r.o.Status != nil {
		r.o.Status(fmt.Sprintf("%s - %s: %d won, %d lost, %d drawn", p.A, p.B, p.Wins, p.Losses, p.Draws))
	}
	return r.save()
}

// against plays the missing games of a network and a GTP program.
func (r *rater) against(ctx context.Context, name string, anchor *Anchor) error {
	p := r.pair(name, anchor.Name)
	missing := r.o.Games - p.games() - p.Repeats
	if missing <= 0 {
		return nil
	}
	command := fmt.Sprintf("%s --model %q --visits %d", r.o.Program, modelPath(r.dir, r.state.Arch, name), r.o.Visits)
	own, err := match.SplitCommand(r.o.Program)
	if err != nil {
		return err
	}
	komi := r.conf.Gate.Komi
	sum, err := match.Run(ctx, match.Config{Engine: own[0], A: match.Program{Command: command, Name: name}, B: match.Program{Command: anchor.Command, Name: anchor.Name},
		Games: missing, Size: r.conf.Selfplay.Boards[0].Size(), Rules: "chinese", Komi: &komi, Log: r.o.Log})
	if err != nil {
		return err
	}
	d := sum.Distinct
	p.Wins, p.Losses, p.Draws, p.Repeats = p.Wins+d.Wins, p.Losses+d.Losses, p.Draws+d.Draws, p.Repeats+sum.Repeats
	return r.played(p)
}

func (r *rater) rate() {
	index := map[string]int{}
	var players []RatedPlayer
	id := func(name string) int {
		if i, ok := index[name]; ok {
			return i
		}
		p := RatedPlayer{Name: name, Anchor: true}
		if n := r.state.network(name); n != nil {
			p = RatedPlayer{Name: name, Hours: n.Hours, Games: n.Games}
		}
		index[name] = len(players)
		players = append(players, p)
		return index[name]
	}
	var points []elo.Pair
	for i := range r.ratings.Pairs {
		p := &r.ratings.Pairs[i]
		if p.games() == 0 {
			continue
		}
		a, b := id(p.A), id(p.B)
		players[a].Played += p.games()
		players[b].Played += p.games()
		points = append(points, elo.Pair{A: a, B: b, Points: float64(p.Wins) + float64(p.Draws)/2, Games: float64(p.games())})
	}
	if len(players) == 0 {
		return
	}
	zero := max(0, slices.IndexFunc(players, func(p RatedPlayer) bool { return p.Anchor }))
	fit, errs := elo.Fit(len(players), points, zero)
	for i := range players {
		players[i].Elo, players[i].Error = fit[i], errs[i]
	}
	slices.SortStableFunc(players, func(a, b RatedPlayer) int {
		if a.Anchor != b.Anchor {
			if a.Anchor {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Games, b.Games), strings.Compare(a.Name, b.Name))
	})
	r.ratings.Players = players
}

// Print writes the players as a table.
func (r *Ratings) Print(w io.Writer) {
	fmt.Fprintf(w, "%-32s %8s %9s %6s %6s %6s\n", "player", "hours", "games", "Elo", "+-95%", "played")
	for _, p := range r.Players {
		hours, games := fmt.Sprintf("%.2f", p.Hours), fmt.Sprint(p.Games)
		if p.Anchor {
			hours, games = "", ""
		}
		fmt.Fprintf(w, "%-32s %8s %9s %6.0f %6.0f %6d\n", p.Name, hours, games, p.Elo, p.Error, p.Played)
	}
}
