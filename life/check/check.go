// Package check verifies proofs of life and death. It shares no code with the solver: its board
// finds a chain anew each time, Benson's algorithm follows the definition, and zones are computed
// from the leaves upward. It imports the standard library only.
//
// # Claims
//
// A state consists of the stones, the point that the side to move may not retake (basic ko), the
// side to move, and the ko threats that each side has elsewhere. A pass is always legal and lifts
// the ban; a retake of the banned point costs one threat. Chains alive by assumption are never
// captured. The winner of a claim reaches its goal from the state in finitely many moves, whatever
// the other side plays:
//
//	capture  the attacker captures the target (any chain of it, or all)
//	settle   the defender makes it pass-alive, or joins it to a chain alive by assumption
//	hold     as settle, or the attacker passes while no point is banned
//	deny     as capture, or the defender passes, no point is banned, and the target is not pass-alive
//
// A claim that a side does not reach a goal is proved by an evasion: a set of states. The
// other side, the evader, can stay in these states for ever, or until it reaches a state that it has won.
//
// # Zones
//
// Each proved state has a zone. The proof also wins every state with the same stones and ban on the
// zone, the same mover, and threats no worse for the winner. If the loser moves, each legal move in
// the zone needs an answer; a move outside counts as a pass. The file zone.go computes zones.
package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Goals of claims.
const (
	Capture = "capture"
	Settle  = "settle"
	Hold    = "hold"
	Deny    = "deny"
	// Claims that a goal is not reached.
	NotCapture = "not-capture"
	NotHold    = "not-hold"
	NotSettle  = "not-settle"
)

// Special numbers of threats: Endless threats never run out, and Any stands for every finite number.
const (
	Endless     = 255
	Any         = 254
	mostThreats = 31
)

// ErrProof is wrapped by every error about a proof that is invalid or cannot be read.
var ErrProof = errors.New("the proof does not hold")

// Claim is a statement that a proof shows.
type Claim struct {
	First   string // the side to move first: "attacker" or "defender"
	Goal    string
	Threats [2]int   // of attacker and defender: a number, Endless, or Any
	Again   int      // how many threats may be spent on points on which one was spent before; 255: all
	After   []string // moves from the position to the state of the claim
	Zone    []string
	Free    bool // the claim holds for all threats
	root    int  // number of the claim's node
}

// Checked is a position with its verified claims.
type Checked struct {
	Width, Height int
	Rows          []string // rows from the top: X Black, O White, a dot for an empty point
	Targets       []string
	Assumed       []string
	All           bool   // the attacker must capture all targets
	Suicide       bool   // suicide of two stones or more is legal
	Ban           string // the point that the side Banned may not retake with its first move; empty: none
	Banned        string // "attacker" or "defender"
	Defender      string // "black" or "white"
	Claims        []Claim
	Nodes         int
}

// Magic is the first line of a proof file.
const Magic = "kosumi proof 1"

// Seal appends the checksum to a proof file.
func Seal(text []byte) []byte { return append(text, sumOf(text)...) }

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return "sum " + hex.EncodeToString(sum[:]) + "\n"
}

// Proof reads a proof file and verifies all its claims. Errors wrap ErrProof.
func Proof(data []byte) (*Checked, error) {
	end := bytes.LastIndex(data, []byte("sum "))
	if !bytes.HasPrefix(data, []byte(Magic+"\n")) || end < 0 {
		return nil, fmt.Errorf("%w: no proof file: want one that begins with %q and ends with a sum", ErrProof, Magic)
	}
	if sumOf(data[:end]) != string(data[end:]) {
		return nil, fmt.Errorf("%w: the file was changed: its checksum does not match", ErrProof)
	}
	f := &file{}
	if err := f.read(string(data[:end])); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProof, err)
	}
	box, err := f.setUp()
	if err == nil {
		switch {
		case box.bits <= 64:
			err = verified[[1]uint64](f, box)
		case box.bits <= 128:
			err = verified[[2]uint64](f, box)
		case box.bits <= 384:
			err = verified[[6]uint64](f, box)
		default:
			err = verified[[mostWords]uint64](f, box)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProof, err)
	}
	return &f.Checked, nil
}

// file is the content of a proof file. Its points are those of the whole board, numbered row by row.
type file struct {
	Checked
	stones  []byte // 1 + the side; 0 for an empty point
	fixed   []bool // stones alive by assumption
	targets []int
	banned  int
	// order holds what a step to the right and a step down add to a point's number in the fight; if both are 0,
	// numbers run row by row. Zones depend on these numbers: if any one of several liberties will do, a zone gets the
	// one with the lowest number.
	order [2]int
	nodes []node
	goals []string
}

// Limits of a proof file.
const (
	maxSide  = 25
	mostStep = 63 // largest absolute value of the entries of order
	maxNodes = 1 << 20
	maxCells = 1 << 28
)

type answer struct {
	move int // point of the move, or passed
	to   int // number of the next node, or ended if the pass ends play
}

const (
	passed = -1
	ended  = -1
)

type node struct {
	kind    byte // an end: t taken, s safe, d doomed; or the mover: w winner, l loser, W evader, L its opponent
	answers []answer
	free    bool
}

func (f *file) read(text string) error {
	f.Defender, f.Ban = "", ""
	f.nodes = make([]node, 0, min(strings.Count(text, "\n"), maxNodes))
	n := 0
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if n++; n == 1 {
			continue
		}
		if err := f.line(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if len(f.nodes) > maxNodes || len(f.nodes)*f.Width*f.Height > maxCells {
			return errors.New("too many nodes")
		}
	}
	switch {
	case f.Width == 0 || len(f.Rows) != f.Height:
		return errors.New("no board")
	case len(f.Targets) == 0 || f.Defender == "":
		return errors.New("no target")
	case len(f.Claims) == 0:
		return errors.New("no claim")
	}
	return nil
}

// line reads one line: a keyword and its arguments.
func (f *file) line(line string) error {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return errors.New("an empty line")
	}
	rest := fields[1:]
	switch word := fields[0]; word {
	case "board":
		size, ok := pair(rest, maxSide)
		if !ok || f.Width != 0 || min(size[0], size[1]) < 0 {
			return errors.New("a bad board")
		}
		f.Width, f.Height = size[0], size[1]
	case "row":
		if len(rest) != 1 || len(rest[0]) != f.Width || strings.Trim(rest[0], ".XO") != "" {
			return errors.New("a bad row")
		}
		f.Rows = append(f.Rows, rest[0])
	case "order":
		order, ok := pair(rest, mostStep)
		if !ok || f.order != [2]int{} {
			return errors.New("a bad order")
		}
		f.order = order
	case "defender":
		if len(rest) != 1 || rest[0] != "black" && rest[0] != "white" {
			return errors.New("the defender is black or white")
		}
		f.Defender = rest[0]
	case "target":
		f.Targets = rest
	case "assumed":
		f.Assumed = rest
	case "all":
		f.All = true
	case "suicide":
		f.Suicide = true
	case "ban":
		if len(rest) != 2 || rest[1] != "attacker" && rest[1] != "defender" {
			return errors.New("a bad ban")
		}
		f.Ban, f.Banned = rest[0], rest[1]
	case "claim":
		return f.claim(rest)
	case "t", "s", "d", "w", "l", "W", "L":
		return f.node(word[0], rest)
	default:
		return fmt.Errorf("unknown word %q", word)
	}
	return nil
}

// pair reads two numbers from -most to most except 0; ok is false for anything else.
func pair(words []string, most int) (numbers [2]int, ok bool) {
	if len(words) != 2 {
		return numbers, false
	}
	for i, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || n == 0 || max(n, -n) > most {
			return numbers, false
		}
		numbers[i] = n
	}
	return numbers, true
}

func (f *file) claim(rest []string) error {
	if len(rest) < 5 || len(rest) > 8 {
		return errors.New("a bad claim")
	}
	c := Claim{First: rest[0], Goal: rest[1], After: rest[5:], Again: unbounded}
	root, err := strconv.Atoi(rest[4])
	if err := errors.Join(err, c.count(0, rest[2]), c.count(1, rest[3])); err != nil {
		return errors.New("a bad claim")
	}
	c.root = root
	if (c.any() || c.Again != unbounded) && min(c.Threats[0], c.Threats[1]) > 0 {
		return errors.New("both sides have threats, where one may")
	}
	if c.First != "attacker" && c.First != "defender" {
		return errors.New("attacker or defender moves first")
	}
	switch c.Goal {
	case Capture, Settle, Hold, Deny, NotCapture, NotHold, NotSettle:
	default:
		return fmt.Errorf("unknown goal %q", c.Goal)
	}
	f.Claims = append(f.Claims, c)
	return nil
}

// count reads the threats of one side: endless, any, or a number. A slash and a second number may follow: how many
// threats may be spent on points on which one was spent before.
func (c *Claim) count(i int, text string) error {
	switch n, again, limited := strings.Cut(text, "/"); {
	case text == "endless":
		c.Threats[i] = Endless
	case text == "any" && c.Goal == [2]string{Hold, Capture}[i]:
		c.Threats[i] = Any
	default:
		var errs [2]error
		if c.Threats[i], errs[0] = strconv.Atoi(n); limited {
			c.Again, errs[1] = strconv.Atoi(again)
		}
		if errors.Join(errs[:]...) != nil || min(c.Threats[i], c.Again) < 0 || c.Threats[i] > mostThreats || limited && c.Again > mostThreats {
			return errors.New("a bad claim")
		}
	}
	return nil
}

// node reads a node: the winner's move, or the loser's moves, each with the number of the next node.
func (f *file) node(kind byte, rest []string) error {
	n := node{kind: kind}
	n.answers = make([]answer, 0, len(rest))
	for _, r := range rest {
		name, to, ok := strings.Cut(r, ":")
		if !ok {
			return fmt.Errorf("a bad move %q", r)
		}
		a := answer{move: passed, to: ended}
		if name != "pass" {
			if a.move = f.point(name); a.move < 0 {
				return fmt.Errorf("no point %q", name)
			}
		}
		if to != "end" {
			v, err := strconv.Atoi(to)
			if err != nil || v < 0 || v <= len(f.nodes) && !n.evades() {
				return fmt.Errorf("the node after %s must come later", name)
			}
			a.to = v
		}
		n.answers = append(n.answers, a)
	}
	switch {
	case strings.IndexByte("tsd", kind) >= 0 && len(rest) > 0:
		return errors.New("a leaf with moves")
	case (kind == 'w' || kind == 'W') && (len(rest) != 1 || n.answers[0].to == ended):
		return errors.New("the winner has one move")
	}
	f.nodes = append(f.nodes, n)
	return nil
}

// point returns the number of the point with a given GTP name, or -1 if the board has no such point.
func (f *file) point(name string) int {
	if len(name) < 2 {
		return -1
	}
	x := strings.IndexByte("ABCDEFGHJKLMNOPQRSTUVWXYZ", name[0])
	y, err := strconv.Atoi(name[1:])
	if x < 0 || x >= f.Width || err != nil || y < 1 || y > f.Height || name[1] == '0' || name[1] == '+' {
		return -1
	}
	return (f.Height-y)*f.Width + x
}

func (f *file) name(p int) string {
	return "ABCDEFGHJKLMNOPQRSTUVWXYZ"[p%f.Width:p%f.Width+1] + strconv.Itoa(f.Height-p/f.Width)
}

// Text describes the verified claims, a line each.
func (c *Checked) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the proof holds: %d positions\n%s\n%s's %s", c.Nodes, strings.Join(c.Rows, "\n"), c.Defender, strings.Join(c.Targets, " "))
	if len(c.Assumed) > 0 {
		fmt.Fprintf(&b, ", if these are alive: %s", strings.Join(c.Assumed, " "))
	}
	if c.Ban != "" {
		fmt.Fprintf(&b, "; the %s may not retake on %s at first", c.Banned, c.Ban)
	}
	b.WriteByte('\n')
	shown := map[string]string{
		Capture: "is taken", Settle: "is made pass-alive", Hold: "is not taken", Deny: "is not made pass-alive",
		NotCapture: "is not taken unless positions repeat", NotHold: "is not held unless positions repeat", NotSettle: "is not made pass-alive",
	}
	for _, x := range c.Claims {
		fmt.Fprintf(&b, "%s first", x.First)
		if len(x.After) > 0 {
			fmt.Fprintf(&b, ", after %s", strings.Join(x.After, " "))
		}
		fmt.Fprintf(&b, ", %s", under(x.Threats))
		if x.Again != unbounded {
			fmt.Fprintf(&b, ", of which %d may retake a point again", x.Again)
		}
		fmt.Fprintf(&b, ": it %s\n", shown[x.Goal])
	}
	return b.String()
}

// under describes the ko threats under which a claim holds.
func under(threats [2]int) string {
	for k, who := range []string{"attacker", "defender"} {
		switch n := threats[k]; {
		case n == Any:
			return "with any number of ko threats for the " + who
		case n == Endless:
			return "with endless ko threats for the " + who
		case n > 0:
			return fmt.Sprintf("with %d ko threat%s more for the %s", n, "s"[:min(1, n-1)], who)
		}
	}
	return "without ko threats"
}
