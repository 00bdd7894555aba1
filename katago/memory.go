package katago

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"kosumi/board"
	"kosumi/katago/config"
	"kosumi/search"
)

// Memory keeps the moves that a program has chosen from game to game, so that it
// varies its play. Files are KataGo's: either program goes on where the other left.
type Memory struct {
	conf  *config.AvoidOwn
	log   func(line string)
	moves []ownMove // not yet written down
	fresh bool      // there are files that have not been read
}

// ownMove is a move and the position before it, as a line of a file.
type ownMove struct {
	Board             string   `json:"board"`
	HintLoc           string   `json:"hintLoc"`
	InitialTurnNumber int64    `json:"initialTurnNumber"`
	MoveLocs          []string `json:"moveLocs"`
	MovePlas          []string `json:"movePlas"`
	NextPla           string   `json:"nextPla"`
	Weight            float64  `json:"weight"`
	XSize             int      `json:"xSize"`
	YSize             int      `json:"ySize"`
}

// NewMemory returns an empty memory. log hears what was read and written.
func NewMemory(conf *config.AvoidOwn, log func(line string)) *Memory {
	return &Memory{conf: conf, log: log}
}

// Chosen takes down a move and the position before it.
func (m *Memory) Chosen(before *board.Game, c board.Color, p board.Point) {
	size := before.Size()
	o := ownMove{
		HintLoc: size.Vertex(p), InitialTurnNumber: int64(before.NumMoves() - before.Forgotten()), MoveLocs: []string{}, MovePlas: []string{},
		NextPla: players[c], Weight: 1, XSize: size.W, YSize: size.H,
	}
	var b strings.Builder
	for y := range size.H {
		for x := range size.W {
			b.WriteString(letters[before.At(size.Point(x, y))])
		}
		b.WriteByte('/')
	}
	o.Board = b.String()
	m.moves = append(m.moves, o)
}

// letters are the colours as KataGo's files have them on the board.
var letters = map[board.Color]string{board.Empty: ".", board.Black: "X", board.White: "O"}

// players are the sides as its files have them.
var players = map[board.Color]string{board.Black: "B", board.White: "W"}

// Save writes down what has gathered, if it is a chunk or at the end of the program.
func (m *Memory) Save(end bool) {
	if len(m.moves) == 0 || !end && len(m.moves) < m.conf.Chunk {
		return
	}
	lines := map[board.Size][]byte{}
	for i := range m.moves {
		o := &m.moves[i]
		size := board.Size{W: o.XSize, H: o.YSize}
		if r := m.conf.Range(size); o.InitialTurnNumber < int64(r.FromTurn) || o.InitialTurnNumber > int64(r.ToTurn) {
			continue
		}
		line, _ := json.Marshal(o) // can be marshalled
		lines[size] = append(append(lines[size], line...), '\n')
	}
	name := fmt.Sprintf("%016X_poses.txt", rand.Uint64())
	for size, text := range lines {
		dir := filepath.Join(m.conf.Dir, folder(size))
		err := os.MkdirAll(dir, 0o755)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
		}
		if err != nil {
			m.log(fmt.Sprintf("ERROR: could not open %s: %v", filepath.Join(dir, name), err))
			return
		}
	}
	m.log(fmt.Sprintf("Saved %d avoid poses to %s", len(m.moves), m.conf.Dir))
	m.moves, m.fresh = nil, true
}

// folder is the name of the folder for a size of board.
func folder(size board.Size) string { return fmt.Sprintf("%dx%d", size.W, size.H) }

// Fresh reports whether there are moves that Load has not read yet.
func (m *Memory) Fresh() bool { return m.fresh }

// Load reads all files, the newest first, and deletes those that hold moves beyond
// the number that is kept.
func (m *Memory) Load() (*search.Patterns, error) {
	m.fresh = false
	patterns := search.NewPatterns()
	list, err := os.ReadDir(m.conf.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, d := range list {
		var size board.Size
		if _, err := fmt.Sscanf(d.Name(), "%dx%d", &size.W, &size.H); err != nil || !d.IsDir() || size.Check() != nil || folder(size) != d.Name() {
			continue
		}
		if err := m.loadSize(patterns, size); err != nil {
			return nil, err
		}
	}
	return patterns, nil
}

func (m *Memory) loadSize(to *search.Patterns, size board.Size) error {
	dir := filepath.Join(m.conf.Dir, folder(size))
	files, err := newestFirst([]string{dir}, "pos files", "poses.txt")
	if err != nil {
		return err
	}
	l := loader{size: size, r: m.conf.Range(size), to: to}
	l.utility = l.r.Utility
	for _, name := range files {
		if l.used >= l.r.MaxMoves {
			m.log("Removing old pos file: " + name)
			os.Remove(name) // another program may have done so
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			l.unread++
			continue
		}
		l.file(string(data))
	}
	m.log("Loaded avoid poses from " + dir)
	m.log(fmt.Sprintf("numPosesUsed = %d", l.used))
	m.log(fmt.Sprintf("numPosesInvalid = %d", l.invalid))
	m.log(fmt.Sprintf("numPosLoadErrors = %d", l.unread))
	return nil
}

// loader adds moves from files, each costing less than the one before.
type loader struct {
	size                  board.Size
	r                     config.AvoidRange
	to                    *search.Patterns
	utility               float64
	used, invalid, unread int64
}

func (l *loader) file(text string) {
	game := l.to.Game()
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		var o ownMove
		if json.Unmarshal([]byte(line), &o) != nil {
			l.unread++
			continue
		}
		g, move, err := o.position()
		switch turn := max(0, o.InitialTurnNumber+int64(len(o.MoveLocs))); {
		case err != nil:
			l.unread++
			continue
		case turn < int64(l.r.FromTurn), turn > int64(l.r.ToTurn), len(o.MoveLocs) > 0, g.Legal(move.Color, move.Point) != nil:
			l.invalid++
			continue
		}
		game.Add(g.Board(), move, l.utility)
		l.used++
		l.utility *= l.r.Lambda
	}
}

// position returns the position before the move, and the move.
func (o *ownMove) position() (*board.Game, board.Move, error) {
	size := board.Size{W: o.XSize, H: o.YSize}
	if err := size.Check(); err != nil {
		return nil, board.Move{}, err
	}
	rules := board.TrompTaylor()
	rules.Suicide = true
	g, err := board.NewGame(size, rules)
	if err != nil {
		return nil, board.Move{}, err
	}
	m := board.Move{}
	if m.Color, err = board.ParseColor(o.NextPla); err != nil {
		return nil, m, err
	}
	if m.Point, err = size.ParseVertex(o.HintLoc); err != nil {
		return nil, m, err
	}
	rows := strings.Split(strings.TrimSuffix(strings.TrimSpace(o.Board), "/"), "/")
	if len(rows) != size.H {
		return nil, m, fmt.Errorf("%d rows on a board of %v", len(rows), size)
	}
	var stones [3][]board.Point
	for y, row := range rows {
		if len(row) != size.W {
			return nil, m, fmt.Errorf("%d points in a row on a board of %v", len(row), size)
		}
		for x, letter := range strings.ToUpper(row) {
			at := size.Point(x, y)
			switch letter {
			case 'X':
				stones[board.Black] = append(stones[board.Black], at)
			case 'O':
				stones[board.White] = append(stones[board.White], at)
			}
		}
	}
	return g, m, g.Setup(stones[board.Black], stones[board.White], m.Color)
}
