package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/clock"
	"kosumi/cluster"
	"kosumi/internal/file"
	"kosumi/match"
	"kosumi/models"
)

// programGame is a game between two programs that speak GTP.
type programGame struct {
	Number       int            `json:"number"`
	A            program        `json:"a"`
	B            program        `json:"b"`
	Size         board.Size     `json:"size"`
	Rules        string         `json:"rules"`
	Komi         *float64       `json:"komi,omitempty"`
	Time         clock.Settings `json:"time"`
	TimeGrace    time.Duration  `json:"time_grace"`
	MoveTimeout  time.Duration  `json:"move_timeout"`
	StartTimeout time.Duration  `json:"start_timeout"`
	MaxMoves     int            `json:"max_moves"`
	Opening      []board.Move   `json:"opening,omitempty"`
}

// program is a command that a worker can run: this program, or a command line that the
// worker's owner has allowed.
type program struct {
	Words []string `json:"words"` // "engine" is this program; a word that begins with fileMark is a file's sha256
	Name  string   `json:"name,omitempty"`
}

const (
	engineWord = "engine"
	fileMark   = "sha256:"
)

// engineFlags are the flags of engine gtp that a match may give it on another
// machine: none that name files there or load code.
var engineFlags = []string{"model", "human-model", "visits", "playouts", "time", "threads", "seed", "komi", "rules", "boardsize", "level", "pace",
	"resign", "precision", "batch", "sessions", "cache", "preset", "strict-play", "max-memory", "log-level"}

// engineBounds are the most of what a match may ask of another machine's memory.
var engineBounds = map[string]int64{"cache": 1 << 10, "max-memory": 4 << 10, "sessions": 64, "batch": 256, "threads": 256}

// fileFlags name networks, which travel.
var fileFlags = []string{"model", "human-model"}

// Programs returns what has the games of matches between programs played by
// workers.
func Programs(pool *cluster.Pool) match.Remote {
	return func(ctx context.Context, c *match.Config, number int) (*match.Played, error) {
		if c.Handicap > 0 {
			return nil, fmt.Errorf("%w: handicap games are played on this machine only", match.ErrConfig)
		}
		g := programGame{Number: number, Size: c.Size, Rules: c.Rules, Komi: c.Komi, Time: c.Time, TimeGrace: c.TimeGrace,
			MoveTimeout: c.MoveTimeout, StartTimeout: c.StartTimeout, MaxMoves: c.MaxMoves}
		if n := len(c.Openings); n > 0 {
			g.Opening = c.Openings[number/2%n]
		}
		t := cluster.Task{Kind: kindPrograms}
		for _, side := range []struct {
			from *match.Program
			to   *program
		}{{&c.A, &g.A}, {&c.B, &g.B}} {
			files, needs, err := travel(pool, side.from, side.to)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", match.ErrConfig, err)
			}
			t.Files = append(t.Files, files...)
			if needs != nil {
				t.Needs = append(t.Needs, needs)
			}
		}
		var err error
		if t.Body, err = json.Marshal(g); err != nil {
			return nil, err
		}
		p := new(match.Played)
		err = pool.Do(ctx, t, p)
		if errors.Is(err, cluster.ErrTask) {
			err = fmt.Errorf("%w: %w", match.ErrConfig, err)
		}
		return p, err
	}
}

// travel makes a command one that a worker can run.
func travel(pool *cluster.Pool, from *match.Program, to *program) (files []cluster.File, needs []string, err error) {
	words, err := match.SplitCommand(from.Command)
	if err != nil {
		return nil, nil, err
	}
	to.Name, to.Words = from.Name, words
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	if base := strings.TrimSuffix(filepath.Base(words[0]), ".exe"); base != engineWord && words[0] != self {
		to.Words[0] = base
		return nil, to.Words, nil
	}
	to.Words[0] = engineWord
	err = eachFlag(to.Words, func(name string, value *string) error {
		if !slices.Contains(fileFlags, name) || *value == "" || models.Find(*value) != nil {
			return nil
		}
		f, err := pool.Offer(*value)
		files = append(files, f)
		*value = fileMark + f.SHA256
		return err
	})
	return files, nil, err
}

// eachFlag goes through the flags of an engine's command line, and refuses those
// that no worker would take.
func eachFlag(words []string, f func(name string, value *string) error) error {
	if len(words) < 2 || words[1] != "gtp" {
		return fmt.Errorf("%q: on other machines this program plays as engine gtp FLAGS", strings.Join(words, " "))
	}
	for i := 2; i < len(words); i++ {
		flag, dashed := strings.CutPrefix(words[i], "--")
		name, value, joined := strings.Cut(flag, "=")
		if !dashed || !slices.Contains(engineFlags, name) {
			return fmt.Errorf("%q: on other machines engine gtp takes --%s", words[i], strings.Join(engineFlags, ", --"))
		}
		if !joined && i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
			i++
			if err := cmp.Or(within(name, words[i]), f(name, &words[i])); err != nil {
				return err
			}
			continue
		}
		if err := cmp.Or(within(name, value), f(name, &value)); err != nil {
			return err
		}
		if joined {
			words[i] = "--" + name + "=" + value
		}
	}
	return nil
}

// within refuses what is more than a match may ask of another machine.
func within(name, value string) error {
	most, bounded := engineBounds[name]
	if n, err := strconv.ParseInt(value, 0, 64); !bounded || err == nil && n <= most {
		return nil
	}
	return fmt.Errorf("--%s %s: on other machines a number of at most %d", name, value, most)
}

// programGames plays games between programs.
type programGames struct {
	engine  string
	allowed [][]string
}

func (h *programGames) do(ctx context.Context, body json.RawMessage, files map[string]string) (any, error) {
	var g programGame
	if err := json.Unmarshal(body, &g); err != nil {
		return nil, err
	}
	c := match.Config{Games: g.Number + 1, Size: g.Size, Rules: g.Rules, Komi: g.Komi, Time: g.Time, TimeGrace: g.TimeGrace,
		MoveTimeout: g.MoveTimeout, StartTimeout: g.StartTimeout, MaxMoves: g.MaxMoves}
	if len(g.Opening) > 0 {
		c.Openings = [][]board.Move{g.Opening}
	}
	var err error
	if c.A, err = h.program(&g.A, files); err != nil {
		return nil, err
	}
	if c.B, err = h.program(&g.B, files); err != nil {
		return nil, err
	}
	return match.Play(ctx, c, g.Number)
}

// program is the command line on this machine.
func (h *programGames) program(p *program, files map[string]string) (match.Program, error) {
	if len(p.Words) == 0 {
		return match.Program{}, errors.New("no program")
	}
	words := slices.Clone(p.Words)
	switch {
	case words[0] == engineWord:
		err := eachFlag(words, func(name string, value *string) error {
			if !slices.Contains(fileFlags, name) || models.Find(*value) != nil {
				return nil
			}
			sum, marked := strings.CutPrefix(*value, fileMark)
			if path := files[sum]; marked && path != "" {
				*value = path
				return nil
			}
			return fmt.Errorf("--%s %q: a network that came with the game is expected", name, *value)
		})
		if err != nil {
			return match.Program{}, err
		}
		words[0] = h.engine
	default:
		line := cluster.Allowed(h.allowed, words)
		if line == nil {
			return match.Program{}, fmt.Errorf("%q is not allowed here (engine work --allow)", strings.Join(words, " "))
		}
		words[0] = line[0]
	}
	for i, w := range words {
		words[i] = file.Quote(w)
	}
	return match.Program{Command: strings.Join(words, " "), Name: p.Name}, nil
}
