package remote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// gtpTalk records the commands that made the position and those without an answer.
type gtpTalk struct {
	history []string // commands for a new engine, without ids
	open    []*gtpCommand
	begun   bool // the first line of the current answer has arrived
}

type gtpCommand struct {
	line   string
	name   string
	args   []string
	replay bool // sent again to restore the engine; the user gets no answer
	shown  bool // the user has part of the answer
	failed bool
	first  string // first line of the answer, without = and id
	played string // the move of an analysing genmove
}

func parseGTP(line string) *gtpCommand {
	if i := strings.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	words := strings.Fields(line)
	if len(words) > 0 && strings.Trim(words[0], "0123456789") == "" {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	return &gtpCommand{name: strings.ToLower(words[0]), args: words[1:]}
}

func (t *gtpTalk) sent(line []byte) {
	if c := parseGTP(string(line)); c != nil {
		c.line = string(bytes.TrimRight(line, "\r\n"))
		t.open = append(t.open, c)
	}
}

func (t *gtpTalk) came(line []byte) []byte {
	if len(t.open) == 0 {
		return line
	}
	c := t.open[0]
	text := strings.TrimRight(string(line), "\r\n")
	switch {
	case text == "":
		if !t.begun {
			return line
		}
		t.open, t.begun = t.open[1:], false
		if !c.failed && !c.replay {
			t.remember(c)
		}
	case !t.begun && (text[0] == '=' || text[0] == '?'):
		t.begun = true
		c.failed = text[0] == '?'
		c.first = strings.TrimSpace(strings.TrimLeft(text[1:], "0123456789"))
		if c.shown && !c.replay {
			return nil
		}
		c.shown = true
	default:
		if move, found := strings.CutPrefix(text, "play "); found {
			c.played = move
		}
	}
	if c.replay {
		return nil
	}
	return line
}

// setters are commands that replace an earlier command of the same name with the same leading
// arguments; the value is the number of these arguments.
var setters = map[string]int{"komi": 0, "kata-set-rules": 0, "kata-set-rule": 1, "kata-set-param": 1, "kata-set-params": 0, "time_settings": 0,
	"kgs-time_settings": 0, "kata-time_settings": 0, "kgs-rules": 0, "kata-set-komi": 0}

var changing = []string{"play", "undo", "set_free_handicap", "fixed_handicap", "set_position", "loadsgf", "gogui-play_sequence", "gogui-setup"}

// remember adds the effect of a command to the history.
func (t *gtpTalk) remember(c *gtpCommand) {
	text := strings.Join(append([]string{c.name}, c.args...), " ")
	switch {
	case c.name == "boardsize" || c.name == "rectangular_boardsize":
		t.drop(func(l string) bool { return !isSetter(l) })
		t.history = append(t.history, text)
	case c.name == "clear_board":
		t.drop(func(l string) bool { return !isSetter(l) && !strings.Contains(l, "boardsize") })
		t.history = append(t.history, text)
	case isSetter(text):
		n := setters[c.name]
		key := strings.Join(append([]string{c.name}, c.args[:min(n, len(c.args))]...), " ")
		t.drop(func(l string) bool { return l == key || strings.HasPrefix(l, key+" ") })
		t.history = append(t.history, text)
	case c.name == "place_free_handicap":
		t.history = append(t.history, "set_free_handicap "+c.first)
	case slices.Contains(changing, c.name):
		t.history = append(t.history, text)
	case strings.Contains(c.name, "genmove") && !strings.HasPrefix(c.name, "reg_"):
		move := c.first
		if c.played != "" {
			move = c.played
		}
		if len(c.args) > 0 && move != "" && !strings.EqualFold(move, "resign") {
			t.history = append(t.history, fmt.Sprintf("play %s %s", c.args[0], move))
		}
	}
}

func isSetter(line string) bool {
	name, _, _ := strings.Cut(line, " ")
	_, ok := setters[name]
	return ok
}

func (t *gtpTalk) drop(old func(line string) bool) {
	t.history = slices.DeleteFunc(t.history, old)
}

func (t *gtpTalk) again() []byte {
	var b bytes.Buffer
	var open []*gtpCommand
	for _, line := range t.history {
		b.WriteString(line + "\n")
		open = append(open, &gtpCommand{line: line, replay: true})
	}
	for _, c := range t.open {
		if c.replay {
			continue
		}
		b.WriteString(c.line + "\n")
		c.played = ""
		open = append(open, c)
	}
	t.open, t.begun = open, false
	return b.Bytes()
}

func (t *gtpTalk) waits() bool {
	return slices.ContainsFunc(t.open, func(c *gtpCommand) bool { return !c.replay })
}

// analysisTalk records the queries that still lack answers.
type analysisTalk struct {
	open  map[string]*query
	order []string
}

type query struct {
	line  []byte
	want  int
	given map[int]bool // turns that were answered
}

// queryKeys are the identifying fields of queries and answers.
type queryKeys struct {
	ID      string          `json:"id"`
	Action  string          `json:"action"`
	Turns   []int           `json:"analyzeTurns"`
	Turn    *int            `json:"turnNumber"`
	During  bool            `json:"isDuringSearch"`
	Error   json.RawMessage `json:"error"`
	Warning json.RawMessage `json:"warning"`
}

func (t *analysisTalk) sent(line []byte) {
	var k queryKeys
	if json.Unmarshal(line, &k) != nil || k.ID == "" || k.Action == "terminate" || k.Action == "terminate_all" {
		return
	}
	if t.open[k.ID] == nil {
		t.order = append(t.order, k.ID)
	}
	t.open[k.ID] = &query{line: bytes.Clone(line), want: max(1, len(k.Turns)), given: map[int]bool{}}
}

func (t *analysisTalk) came(line []byte) []byte {
	var k queryKeys
	if json.Unmarshal(line, &k) != nil {
		return line
	}
	q := t.open[k.ID]
	if q == nil || k.During || k.Warning != nil {
		return line
	}
	turn := -1
	if k.Turn != nil {
		turn = *k.Turn
	}
	if q.given[turn] {
		return nil // the earlier engine has answered it
	}
	q.given[turn] = true
	if len(q.given) >= q.want || k.Error != nil {
		delete(t.open, k.ID)
		t.order = slices.DeleteFunc(t.order, func(id string) bool { return id == k.ID })
	}
	return line
}

func (t *analysisTalk) waits() bool { return len(t.open) > 0 }

func (t *analysisTalk) again() []byte {
	var b bytes.Buffer
	for _, id := range t.order {
		b.Write(t.open[id].line)
	}
	return b.Bytes()
}
