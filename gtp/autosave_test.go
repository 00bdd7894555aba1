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

// player is a fake engine that plays A9, B9 and so on and puts the number of moves into the record.
type player struct {
	*fakeEngine
	chose bool
}

func (p *player) Chose() (black, white bool) { return false, p.chose }

func (p *player) GenMove(ctx context.Context, r thinking.MoveRequest) (thinking.Decision, error) {
	p.chose = true
	return p.fakeEngine.GenMove(ctx, r)
}

func (p *player) SaveSGF(context.Context) ([]byte, error) {
	return []byte(strings.Repeat(";", 1+p.game.NumMoves())), nil
}

// TestAutosave: a game stays in one file when moves are taken back, and another game gets another
// file.
func TestAutosave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "games")
	var log strings.Builder
	f, err := OpenAutosave(dir, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	p := &player{fakeEngine: newFake()}
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
	require.True(t, p.game.Undo())
	_, err = e.FinalScore(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{";;;"}, records(), "the game goes on")
	require.NoError(t, p.NewGame(board.Square(19)))
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

// TestNoAutosave: without a folder nothing is saved; a folder that cannot be made is an error.
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
