package selfplay

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"kosumi/nn"
)

// Summary is the report of `engine selfplay`, printed by --json.
type Summary struct {
	Network      string  `json:"network"`
	Games        int     `json:"games"`
	Rows         int     `json:"rows"`
	Moves        int64   `json:"moves"`
	Seconds      float64 `json:"seconds"`
	GamesPerHour float64 `json:"games_per_hour"`
	RowsPerHour  float64 `json:"rows_per_hour"`
	Evals        uint64  `json:"evaluations"`
	EvalsPerSec  float64 `json:"evaluations_per_second"`
	CacheHits    float64 `json:"cache_hit_rate"`
	MeanBatch    float64 `json:"mean_batch"`
	MeanLength   float64 `json:"mean_length"`
	Black        int     `json:"black_won"`
	White        int     `json:"white_won"`
	Draws        int     `json:"draws"`
	MoveLimit    int     `json:"move_limit"`
	Resigned     int     `json:"resigned"`
	Tested       int     `json:"resignations_tested"`
	Wrong        int     `json:"resignations_wrong"`
}

// NextGame returns the number after the last game in a writer's folder.
func NextGame(dir string) (uint64, error) {
	list, err := os.ReadDir(filepath.Join(dir, "tdata"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, e := range slices.Backward(list) {
		name, isRows := strings.CutSuffix(e.Name(), ".npz")
		first, err := strconv.ParseUint(name, 16, 64)
		if !isRows || err != nil || first > 1<<53 {
			continue // not a file of this program
		}
		if f, err := ReadFileInfo(filepath.Join(dir, "tdata", e.Name())); err == nil {
			return first + uint64(f.Games), nil
		}
	}
	return 0, nil
}

// Summarise returns the summary of a session. server is the evaluator of the session; nil for
// random games.
func Summarise(network string, st Stats, server *nn.Server, took time.Duration) Summary {
	took = max(took, time.Millisecond) // a coarse clock may measure no time
	out := Summary{Network: network, Games: st.Games, Rows: st.Rows, Moves: st.Moves, Seconds: took.Seconds(),
		GamesPerHour: float64(st.Games) / took.Hours(), RowsPerHour: float64(st.Rows) / took.Hours(), MeanLength: st.MeanLength(),
		Black: st.Black, White: st.White, Draws: st.Draws, MoveLimit: st.Limit, Resigned: st.Resigned, Tested: st.Tested, Wrong: st.WrongResigns}
	if server != nil {
		n := server.Stats()
		out.Evals, out.EvalsPerSec = n.Rows, float64(n.Rows)/took.Seconds()
		out.CacheHits, out.MeanBatch = n.HitRate(), n.MeanBatch()
	}
	return out
}

// Line formats the summary as a line of progress.
func (s *Summary) Line() string {
	return fmt.Sprintf("%d games (%.0f/h), %d rows, %.0f evals/s, length %.1f, B %.0f %% W %.0f %%",
		s.Games, s.GamesPerHour, s.Rows, s.EvalsPerSec, s.MeanLength,
		100*float64(s.Black)/float64(max(1, s.Games)), 100*float64(s.White)/float64(max(1, s.Games)))
}

// Print prints the summary for people.
func (s *Summary) Print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d games in %.1f s (%.0f an hour), %d rows (%.0f an hour)\n", s.Network, s.Games, s.Seconds, s.GamesPerHour, s.Rows, s.RowsPerHour)
	fmt.Fprintf(w, "  %.0f evaluations/s, batches of %.1f, %.0f %% from the cache\n", s.EvalsPerSec, s.MeanBatch, 100*s.CacheHits)
	fmt.Fprintf(w, "  mean length %.1f moves; Black won %d, White %d, drawn %d; %d hit the move limit, %d resigned", s.MeanLength, s.Black, s.White, s.Draws, s.MoveLimit, s.Resigned)
	if s.Tested > 0 {
		fmt.Fprintf(w, " (of %d played out, %d would have been wrong)", s.Tested, s.Wrong)
	}
	fmt.Fprintln(w)
}
