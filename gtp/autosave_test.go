package gtp

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/search/thinking"
)

// player plays where it is asked to, and writes down how many moves there were.
type player struct {
	Engine
	HandicapChooser
	game  *board.Game
	chose bool
	next  board.Point
}

func (p *player) Chose() (black, white bool) { return false, p.chose }

func (p *player) Game() *board.Game { return p.game }

func (p *player) Play(c board.Color, at board.Point) error { return p.game.Play(c, at) }

func (p *player) GenMove(_ context.Context, r thinking.MoveRequest) (thinking.Decision, error) {
	p.chose = true
	p.next++
	return thinking.Decision{Point: p.next}, p.game.Play(r.Color, p.next)
}

func (p *player) FinalScore(context.Context) (float64, error) { return 0.5, nil }

func (p *player) FinalStatus(context.Context) ([]thinking.Status, error) { return nil, nil }

func (p *player) SaveSGF(context.Context) ([]byte, error) {
	return []byte(strings.Repeat(";", 1+p.game.NumMoves())), nil
}

// TestAutosave plays a game, takes moves back, and begins another one.
func TestAutosave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "games")
	var log strings.Builder
	f, err := OpenAutosave(dir, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	g, err := board.NewGame(board.Square(9), board.Chinese())
	require.NoError(t, err)
	p := &player{game: g}
	e := f.Save(p)
	records := func() (all []string) {
		list, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, one := range list {
			data, err := os.ReadFile(filepath.Join(dir, one.Name()))
			require.NoError(t, err)
			all = append(all, string(data))
		}
		return all
	}
	require.NoError(t, e.Play(board.Black, 40))
	require.Empty(t, records(), "the engine has no part in it yet")
	_, err = e.GenMove(t.Context(), thinking.MoveRequest{Color: board.White})
	require.NoError(t, err)
	require.NoError(t, e.Play(board.Black, 41))
	require.Equal(t, []string{";;;;"}, records())
	require.True(t, g.Undo())
	_, err = e.FinalScore(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{";;;"}, records(), "the game goes on")
	next, err := board.NewGame(board.Square(9), board.Chinese())
	require.NoError(t, err)
	p.game, p.next = next, 70
	_, err = e.GenMove(t.Context(), thinking.MoveRequest{Color: board.Black})
	require.NoError(t, err)
	_, err = e.FinalStatus(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, []string{";;;", ";;"}, records(), "another beginning is another game")
	require.Empty(t, log.String())
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, e.Play(board.White, 1))
	require.Contains(t, log.String(), "the game could not be saved")
}

// TestNoAutosave saves nothing where no folder is named, and refuses one that cannot be.
func TestNoAutosave(t *testing.T) {
	f, err := OpenAutosave("", nil)
	require.NoError(t, err)
	p := &player{}
	require.Same(t, p, f.Save(p))
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	_, err = OpenAutosave(blocked, nil)
	require.Error(t, err)
}
