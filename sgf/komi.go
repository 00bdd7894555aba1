package sgf

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
)

// mostKomi is the largest plausible komi. The board's area is the other bound.
const mostKomi = 400

// readKomi interprets the komi of a record, with a note if its meaning is not the number in
// the file. named is the number in HA.
func (r *Record) readKomi(root *Node, named int) {
	text := strings.TrimSpace(root.SimpleText("KM"))
	if text == "" {
		return
	}
	fox := slices.ContainsFunc(root.Values("AP"), func(v string) bool { return strings.HasPrefix(v, "foxwq") }) // that server writes AP twice
	written, ok := parseKomi(text)
	if ok && fox && written == 0 && named == 0 {
		return // the Fox server also writes 0 for even games that have komi
	}
	k := written
	if ok {
		rules, err := parseRules(r.Rules)
		k, ok = r.komiPoints(written, fox, err == nil && rules.Scoring == board.ScoringArea)
	}
	if !ok {
		r.badKomi = text
		return
	}
	r.Komi, r.HasKomi = k, true
	if k != written {
		r.note("The komi %q of the record means %g points.", clip(text), k)
	}
}

// komiPoints converts the number of a record to points; false if it makes no sense. The Fox
// server and its imitators write hundredths of points (650 for 6.5) or, under Chinese rules, of
// stones worth two points (375 for 7.5). In any record a number with a quarter counts such
// stones: 3.75 means 7.5 points.
func (r *Record) komiPoints(k float64, fox, area bool) (float64, bool) {
	most := min(mostKomi, float64(r.Size.Area()))
	size := math.Abs(k)
	hundredths := fox && size >= 25 || size > most && size >= 250 && size <= 850 ||
		slices.Contains([]float64{275, 325, 350, 375, 550, 650, 700, 750}, size)
	if hundredths && size < 1000 && math.Mod(size, 25) == 0 {
		k, size = k/100, size/100
		if size == 3.5 || area && size >= 2 && size < 5 && 2*k == math.Trunc(2*k) {
			k, size = 2*k, 2*size
		}
	}
	if 2*k != math.Trunc(2*k) && size <= 5 && 4*k == math.Trunc(4*k) {
		k, size = 2*k, 2*size
	}
	return k, size <= most && 2*k == math.Trunc(2*k)
}

var (
	komiFraction = regexp.MustCompile(`^([+-]?) ?(?:(\d{1,4})[ -]+)?(\d{1,4}) ?/ ?(\d{1,4})`)
	komiNumber   = regexp.MustCompile(`^[+-]? ?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`)
	behindKomi   = regexp.MustCompile(`^[^\s(（]?\d`) // 6'5 is not a number
	komiWords    = strings.NewReplacer("komi", "", "コミ", "", "こみ", "", "黑", "", "黒", "", "贴", "", "貼", "", "덤", "", ":", "", "：", "", "逆", "-")
	numberSigns  = strings.NewReplacer(",", ".", "，", ".", "．", ".", "−", "-", "＋", "+", "－", "-", "½", " 1/2", "¼", " 1/4", "¾", " 3/4", "⁄", "/",
		"四分之三", " 3/4", "四分之一", " 1/4", "又", " ", "０", "0", "１", "1", "２", "2", "３", "3", "４", "4", "５", "5", "６", "6", "７", "7", "８", "8", "９", "9",
		"〇", "0", "零", "0", "一", "1", "二", "2", "三", "3", "四", "4", "五", "5", "六", "6", "七", "7", "八", "8", "九", "9")
)

// parseKomi reads a number as people write it: 6.5, 6,5, 6 1/2, 6½, 1e1, ６．５, 6目半.
// A unit may stand behind it.
func parseKomi(text string) (float64, bool) {
	text = strings.Join(strings.Fields(numberSigns.Replace(text)), " ")
	if i := strings.IndexAny(text, "0123456789."); i > 0 {
		text = strings.TrimSpace(komiWords.Replace(strings.ToLower(text[:i]))) + text[i:]
	}
	if m := komiFraction.FindStringSubmatch(text); m != nil {
		whole, _ := strconv.ParseFloat("0"+m[2], 64)
		above, _ := strconv.ParseFloat(m[3], 64)
		below, _ := strconv.ParseFloat(m[4], 64)
		k := whole + above/below
		if m[1] == "-" {
			k = -k
		}
		return k, below > 0
	}
	number := komiNumber.FindString(text)
	k, err := strconv.ParseFloat(strings.ReplaceAll(number, " ", ""), 64)
	if err != nil || behindKomi.MatchString(text[len(number):]) {
		return 0, false
	}
	k = math.Round(1000*k) / 1000
	for _, half := range []string{"目半", "子半", "点半", "點半", "집반", "집 반", "점반", "half"} {
		if strings.Contains(text[len(number):], half) && k == math.Trunc(k) {
			return k + math.Copysign(0.5, k), true
		}
	}
	return k + 0, true // avoids "-0"
}

// namedHandicap is the number in HA, 0 if it is missing or makes no sense.
func (r *Record) namedHandicap(root *Node) int {
	text := strings.TrimSpace(root.SimpleText("HA"))
	number := numberSigns.Replace(text)
	digits := strings.TrimLeft(number, "0123456789")
	n, err := strconv.Atoi(number[:len(number)-len(digits)])
	if text != "" && (err != nil || n > board.MaxPoints) {
		r.note("The handicap %q of the record makes no sense; it was left out.", clip(text))
		return 0
	}
	return n
}

// settleHandicap counts the handicap stones, set up or played as Black's first moves, if HA names two
// or more. If there are none and White begins, as in records of the Fox server, it places them.
func (r *Record) settleHandicap(named int) {
	if r.Handicap = named; named < 2 {
		return
	}
	set := 0
	if r.Setup != nil {
		set = len(r.Setup.Black)
		if len(r.Setup.White) > 0 && named <= set {
			return // a position from within a game: its stones do not show the handicap
		}
	}
	played, whiteFirst := r.opening()
	there := set
	if set < 2 {
		there += played
	}
	switch {
	case named == set || named == set+played || set == 0 && named <= played:
	case there >= 2:
		r.note("The record names %d handicap stones and has %d; %d were counted.", named, there, there)
		r.Handicap = there
	case set == 0 && whiteFirst && (r.Setup == nil || len(r.Setup.White) == 0) && r.place(named):
		r.note("The record names %d handicap stones and has none; they were placed on the star points.", named)
	default:
		r.note("The record names %d handicap stones and has none; none was counted.", named)
		r.Handicap = 0
	}
}

// opening returns the number of stones that Black plays before White's first stone or a set-up (0 for a
// single stone), and whether White begins or there are no moves.
func (r *Record) opening() (black int, whiteFirst bool) {
	first := slices.IndexFunc(r.Steps, func(s Step) bool { return s.Setup != nil || s.Move.Color == board.White && s.Move.Point >= 0 })
	if first < 0 {
		first = len(r.Steps)
	}
	for _, s := range r.Steps[:first] {
		if s.Move.Color == board.Black && s.Move.Point >= 0 {
			black++
		}
	}
	if black < 2 {
		black = 0
	}
	return black, first == 0
}

// place sets up n handicap stones on the usual points; false if n has no such points or a move is on one of them.
func (r *Record) place(n int) bool {
	points := board.FixedHandicap(r.Size, n)
	if points == nil || slices.ContainsFunc(r.Steps, func(s Step) bool { return slices.Contains(points, s.Move.Point) }) {
		return false
	}
	slices.Sort(points)
	toMove := board.Empty
	if r.Setup != nil {
		toMove = r.Setup.ToMove
	}
	r.Setup = &Setup{Black: points, ToMove: toMove}
	r.placed = true
	return true
}

// AddPlaced adds to a record's tree the handicap stones that RecordOf placed, so that other programs
// see the same board.
func (r *Record) AddPlaced(root *Node) {
	if r.placed {
		r.addSetup(root, r.Setup)
	}
}
