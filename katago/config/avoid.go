package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
)

// AvoidGames charges for moves like those of recorded games (avoidSgfPattern*).
type AvoidGames struct {
	Utility  float64  // of a move like one of the newest game
	Lambda   float64  // what is left of it from game to older game
	FromTurn int      // moves before this one are passed over
	MaxGames int      // of the newest games
	Names    []string // of players whose moves count; none: everybody's
	Paths    []string // folders of SGF files, or files
}

// AvoidOwn charges for moves like those that the program itself has chosen in earlier
// games, and keeps them in a folder (autoAvoidRepeat*).
type AvoidOwn struct {
	Dir   string
	Chunk int // moves that are gathered before they are written down
	All   AvoidRange
	Sizes map[board.Size]AvoidRange // where a board's differ
}

// AvoidRange is which of its own moves the program keeps, and what they cost.
type AvoidRange struct {
	Utility          float64 // of a move like the newest one
	Lambda           float64 // what is left of it from move to older move
	FromTurn, ToTurn int     // turns that count
	MaxMoves         int64   // that are kept; files beyond are deleted
}

// Avoid are the moves of earlier games that are charged for.
type Avoid struct {
	Games []AvoidGames
	Own   *AvoidOwn // nil: not wanted
}

// Range returns what holds on a size of board.
func (o *AvoidOwn) Range(size board.Size) AvoidRange {
	if r, found := o.Sizes[size]; found {
		return r
	}
	return o.All
}

// avoid reads what is asked for about moves of earlier games. Only the gtp program
// keeps its own.
func (a *asker) avoid(of Program) (v Avoid) {
	for _, set := range a.avoidSets() {
		prefix := "avoidSgf" + set + "Pattern"
		v.Games = append(v.Games, a.avoidGames(prefix, a.c.either(prefix+"Utility")))
	}
	if of == GTP && a.c.Has("autoAvoidRepeatDir") {
		v.Own = a.avoidOwn()
		if len(v.Games) > 0 { // KataGo refuses both together, in these words
			a.fail(errors.New("Providing both sgf avoid patterns and auto avoid patterns is not implemented right now"))
		}
	}
	return v
}

// avoidSets returns what stands behind avoidSgf in the names of the sets that are
// given: nothing, 2, 3 and so on.
func (a *asker) avoidSets() []string {
	var numbers []int
	for _, key := range a.c.Keys() {
		rest, isAvoid := strings.CutPrefix(strings.TrimSuffix(key, "0"), "avoidSgf")
		number, isUtility := strings.CutSuffix(rest, "PatternUtility")
		if !isAvoid || !isUtility {
			continue
		}
		if number == "" {
			numbers = append(numbers, 1)
		} else if n, err := strconv.Atoi(number); err == nil && n > 1 && n < 100000 && strconv.Itoa(n) == number {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	var sets []string
	for _, n := range slices.Compact(numbers) {
		if sets = append(sets, ""); n > 1 {
			sets[len(sets)-1] = strconv.Itoa(n)
		}
	}
	return sets
}

// either returns the key that is given of one that may have the number of a bot, 0,
// behind it; empty if none is.
func (c *Config) either(key string) string {
	for _, name := range []string{key + "0", key} {
		if c.Has(name) {
			return name
		}
	}
	return ""
}

func (a *asker) avoidGames(prefix, utility string) AvoidGames {
	name := func(key string) string {
		if found := a.c.either(prefix + key); found != "" {
			return found
		}
		return prefix + key
	}
	g := AvoidGames{
		Utility: a.number(utility, -3, 3, 0), Lambda: a.number(name("Lambda"), 0, 1, 1),
		FromTurn: a.whole(name("MinTurnNumber"), 0, 1e6, 0), MaxGames: a.whole(name("MaxFiles"), 1, 1e6, 1e6),
	}
	for player := range strings.SplitSeq(a.text(name("AllowedNames")), ",") {
		if player = strings.Trim(player, spaces); player != "" {
			g.Names = append(g.Names, player)
		}
	}
	if a.c.either(prefix+"Dirs") == "" {
		a.fail(a.c.errorf("Could not find key '%sDirs0' '%sDirs'", prefix, prefix))
	}
	for path := range strings.SplitSeq(a.text(name("Dirs")), ",") {
		if path = strings.Trim(path, spaces); path != "" {
			g.Paths = append(g.Paths, path)
		}
	}
	return g
}

// ofSize are the keys of autoAvoidRepeat that a size of board may have of its own.
var ofSize = []string{"Utility", "Lambda", "MinTurnNumber", "MaxTurnNumber", "MaxPoses"}

func (a *asker) avoidOwn() *AvoidOwn {
	const prefix = "autoAvoidRepeat"
	o := &AvoidOwn{Dir: a.text(prefix + "Dir"), Chunk: a.whole(prefix+"SaveChunkSize", 1, 10000, 200), Sizes: map[board.Size]AvoidRange{}}
	read := func(name func(key string) string) AvoidRange {
		return AvoidRange{
			Utility: a.number(name("Utility"), -3, 3, 0), Lambda: a.number(name("Lambda"), 0, 1, 0),
			FromTurn: a.whole(name("MinTurnNumber"), 0, 1e6, 0), ToTurn: a.whole(name("MaxTurnNumber"), 0, 1e6, 0),
			MaxMoves: a.value(Key{Name: name("MaxPoses"), Kind: Int64, High: 1e12}, Value{}).Int,
		}
	}
	for _, key := range ofSize {
		if !a.c.Has(prefix + key) {
			a.fail(errors.New(prefix + key + " was not specified in the config"))
		}
	}
	for _, key := range append([]string{"SaveChunkSize"}, ofSize...) {
		a.c.Use(prefix + key) // whatever stands behind it
	}
	o.All = read(func(key string) string { return prefix + key })
	for _, key := range a.c.Keys() {
		size, ok := sizeAfter(key, prefix)
		if _, had := o.Sizes[size]; !ok || had {
			continue
		}
		o.Sizes[size] = read(func(key string) string {
			if own := fmt.Sprintf("%s%s%dx%d", prefix, key, size.W, size.H); a.c.Has(own) {
				return own
			}
			return prefix + key
		})
	}
	return o
}

// sizeAfter reads the size of board behind a key such as autoAvoidRepeatLambda13x13.
func sizeAfter(key, prefix string) (size board.Size, ok bool) {
	for _, middle := range ofSize {
		rest, found := strings.CutPrefix(key, prefix+middle)
		if !found {
			continue
		}
		w, h, _ := strings.Cut(rest, "x")
		width, errW := strconv.Atoi(w)
		height, errH := strconv.Atoi(h)
		size = board.Size{W: width, H: height}
		return size, errW == nil && errH == nil && size.Check() == nil && fmt.Sprintf("%dx%d", width, height) == rest
	}
	return size, false
}
