package loop

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/internal/handout"
	"kosumi/sgf"
	"kosumi/train/learn"
)

// ReportFile is the name of the report in a loop's folder.
const ReportFile = "report.html"

type reportData struct {
	Folder string   `json:"folder"`
	State  *State   `json:"state"`
	Games  []Replay `json:"newest"`
	Rated  *Ratings `json:"rated"`
	// Explained has an explanation of each loss, by its name.
	Explained map[string]string `json:"explained"`
	// Cluster is the state of the machines that play for the loop at the time Noted.
	Cluster json.RawMessage `json:"cluster,omitempty"`
	Noted   time.Time       `json:"noted"`
}

// Replay is a game of self-play that a reader of the report can step through.
type Replay struct {
	Name   string   `json:"name"`
	Width  int      `json:"w"`
	Height int      `json:"h"`
	Komi   float64  `json:"komi"`
	Result string   `json:"result"`
	Frames []string `json:"frames"` // the stones after each move, one character per point
	Moves  []string `json:"moves"`
	Notes  []string `json:"notes"`
}

const reportGames = 12

// WriteReport writes the loop's report into its folder: one HTML page that needs no other file.
// The error is [handout.ErrNotBuilt] if the program was built without the page.
func WriteReport(dir string) error {
	s, err := stateOf(dir)
	if err != nil {
		return err
	}
	rated, err := loadRatings(dir)
	if err != nil {
		return err
	}
	data := &reportData{Folder: NewViewer(dir).Folder(), State: s, Games: newestGames(dir), Rated: rated}
	if text, err := os.ReadFile(clusterPath(dir)); err == nil && json.Valid(text) {
		data.Cluster = text
		if info, err := os.Stat(clusterPath(dir)); err == nil {
			data.Noted = info.ModTime()
		}
	}
	return writeReport(dir, data)
}

func clusterPath(dir string) string { return filepath.Join(dir, "cluster", "status.json") }

// NoteCluster saves the state of the machines that play for a loop, for its reports.
func NoteCluster(dir string, status any) error {
	return file.WriteJSON(clusterPath(dir), status, "")
}

func writeReport(dir string, data *reportData) error {
	data.Explained = map[string]string{}
	for _, r := range data.State.History {
		for name := range r.Losses {
			data.Explained[name] = learn.Explained(name)
		}
	}
	var page bytes.Buffer
	if err := handout.Write(&page, "Kosumi: training loop "+data.Folder, map[string]any{"kind": "loop", "data": data}); err != nil {
		return err
	}
	return file.WriteBytes(filepath.Join(dir, ReportFile), page.Bytes())
}

// newestGames reads up to reportGames games from the two newest files, newest first.
func newestGames(dir string) []Replay {
	paths, err := filepath.Glob(filepath.Join(dir, "selfplay", "*", "sgfs", "*.sgfs"))
	if err != nil {
		return nil
	}
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(filepath.Base(b), filepath.Base(a)) })
	var games []Replay
	for _, path := range paths[:min(2, len(paths))] {
		roots, err := sgf.ReadFile(path)
		if err != nil {
			continue
		}
		for k := len(roots) - 1; k >= 0 && len(games) < reportGames; k-- {
			if g, err := toReport(roots[k]); err == nil {
				games = append(games, g)
			}
		}
	}
	slices.SortStableFunc(games, func(a, b Replay) int { return cmp.Compare(gameNumber(b.Name), gameNumber(a.Name)) })
	return games
}

func gameNumber(name string) uint64 {
	n, _ := strconv.ParseUint(name, 10, 64) // other file names count as 0
	return n
}

func toReport(root *sgf.Node) (Replay, error) {
	r, err := sgf.RecordOf(root)
	if err != nil {
		return Replay{}, err
	}
	rules, _ := r.RulesOr(board.TrompTaylor())
	g, err := r.Game(rules, 0)
	if err != nil {
		return Replay{}, err
	}
	out := Replay{Name: r.Name, Width: r.Size.W, Height: r.Size.H, Komi: r.Komi, Result: r.Result, Frames: []string{frame(g)}}
	for _, step := range r.Steps {
		if step.Setup != nil {
			continue
		}
		if err := g.PlayTolerant(step.Move.Color, step.Move.Point); err != nil {
			return out, err
		}
		out.Frames = append(out.Frames, frame(g))
		out.Moves = append(out.Moves, strings.ToUpper(step.Move.Color.String()[:1])+" "+r.Size.Vertex(step.Move.Point))
		out.Notes = append(out.Notes, step.Comment)
	}
	return out, nil
}

func frame(g *board.Game) string {
	b := make([]byte, g.Size().Area())
	for p := range b {
		b[p] = ".XO"[g.At(board.Point(p))]
	}
	return string(b)
}
