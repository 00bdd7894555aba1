package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/handout"
	"kosumi/internal/testshared"
	"kosumi/review/drill"
	"kosumi/web/api"
	"kosumi/web/reviews"
)

// spoilt is a game in which both sides make mistakes while the outcome is open, so that some of
// them become problems.
const spoilt = `(;GM[1]FF[4]SZ[9]KM[7.5]RU[Chinese]PB[Ann]PW[Ben]RE[W+R];B[ee];W[cc];B[gc];W[cg];B[gg];W[ce];B[dd];W[cd];B[dc];W[cb];B[df];W[dg];B[ef];W[eg];B[fg];W[fh];B[gh];W[eh];B[ff];W[db])`

// toReview uploads files for review and returns the answers by file name.
func toReview(t *testing.T, s *Server, files map[string]string) map[string]api.Imported {
	t.Helper()
	byName := map[string]api.Imported{}
	for _, a := range upload(t, s, "?to=review", files) {
		byName[a.Name] = a
	}
	return byName
}

// ask sends a command as [client.ask] does, and returns the answer as a T.
func ask[T any](c *client, typ string, d any) T {
	c.t.Helper()
	var v T
	c.ask(typ, d, &v)
	return v
}

// finishedCard waits until a review is done.
func finishedCard(t *testing.T, c *client, id string) api.ReviewCard {
	t.Helper()
	var card api.ReviewCard
	require.Eventually(t, func() bool {
		for _, r := range ask[api.Reviews](c, "watch", api.Watch{What: "reviews"}).Reviews {
			if r.Review == id {
				card = r
			}
		}
		return card.State == reviews.Done
	}, browsertest.Patience, 50*time.Millisecond)
	return card
}

func TestReview(t *testing.T) {
	needHandout(t)
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir)
	c := join(t, s)
	answers := toReview(t, s, map[string]string{"a game.sgf": spoilt, "nonsense.sgf": "%PDF-1.4", "empty.sgf": "(;GM[1]SZ[9])"})
	require.NotEmpty(t, answers["nonsense.sgf"].Error)
	require.Equal(t, "it has no moves", answers["empty.sgf"].Error)
	id := answers["a game.sgf"].ID
	require.NotEmpty(t, id)
	card := finishedCard(t, c, id)
	require.Equal(t, "a game.sgf", card.Name)
	require.Equal(t, "Ann", card.Black)
	require.NotEmpty(t, card.Worst)

	r := ask[api.Review](c, "watch", api.Watch{What: "review:" + id})
	require.Len(t, r.Moves, 20)
	require.Len(t, r.Points, 21)
	require.Len(t, r.Boards, 21*81)
	require.NotEmpty(t, r.Mistakes)
	worst := r.Moves[r.Mistakes[0]]
	require.GreaterOrEqual(t, worst.Loss, 3.0)
	require.NotEmpty(t, worst.Reason)

	// The player tries other moves in place of the worst mistake: the better move is accepted, the
	// move of the game is not, and a move that the review has not searched is searched.
	at := r.Mistakes[0]
	try := func(move string) api.Verdict {
		return ask[api.Verdict](c, "review.try", api.TryMove{Review: id, Ply: at, Move: move})
	}
	require.True(t, try(worst.Better).Accepted)
	v := try(worst.Move)
	require.False(t, v.Accepted)
	require.True(t, v.Played)
	require.Equal(t, worst.Loss, v.Loss)
	require.Equal(t, "illegal", c.refused("review.try", api.TryMove{Review: id, Ply: at, Move: r.Moves[0].Move}).Code)
	require.Equal(t, "bad_request", c.refused("review.try", api.TryMove{Review: id, Ply: 99, Move: "A1"}).Code)

	// The files are the same as those that the command "engine review" writes.
	folder, err := drill.OpenFolder(filepath.Join(dir, "reviews"))
	require.NoError(t, err)
	res, err := folder.Read(id)
	require.NoError(t, err)
	require.True(t, res.Complete)
	for _, ext := range []string{".html", ".sgf"} {
		require.Contains(t, testshared.Read(t, folder.Path(id, ext)), "Ann")
	}
	drillSet(t, c, folder)

	// Once the player has said which side is theirs, only mistakes of that side are asked.
	asked := func(side string) int {
		c.ask("player.side", api.SaidSide{Review: id, Side: side}, nil)
		return ask[api.Drill](c, "drill.next", api.NextDrill{}).Total
	}
	all := ask[api.Drill](c, "drill.next", api.NextDrill{}).Total
	require.Equal(t, all, asked("b")+asked("w"))
	require.Zero(t, asked("none"))

	// A copy of the record is the same game, whatever its file name and comments; a different
	// komi or player makes another game.
	edited := strings.NewReplacer("RE[W+R]", "RE[White wins]\nAP[Other]C[a club game]", ";W[cc]", "\n;W[cc]C[good](;W[dc])").Replace(spoilt)
	edited = strings.Replace(edited, "(;W[dc])", "", 1)
	for name, a := range toReview(t, s, map[string]string{"a game (2).sgf": spoilt, "edited.sgf": edited, "shared.html": testshared.Read(t, folder.Path(id, ".html"))}) {
		require.Equal(t, id, a.ID, name)
		require.True(t, a.Known, name)
	}
	for name, a := range toReview(t, s, map[string]string{"komi.sgf": strings.Replace(spoilt, "KM[7.5]", "KM[6.5]", 1), "players.sgf": strings.Replace(spoilt, "PB[Ann]", "PB[Eve]", 1)}) {
		require.NotEqual(t, id, a.ID, name)
		require.False(t, a.Known, name)
		c.ask("review.delete", api.ID{ID: a.ID}, nil)
	}

	// A second review of the game gets another name and needs no search.
	again := ask[api.ID](c, "review.again", api.ID{ID: id}).ID
	require.Equal(t, "a game (2).sgf", finishedCard(t, c, again).Name)
	c.ask("review.delete", api.ID{ID: again}, nil)
	require.Equal(t, "not_found", c.refused("watch", api.Watch{What: "review:" + again}).Code)
	_, err = folder.Read(again)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// drillSet gives up a problem of the review, then solves it, and requires that all answers are
// stored.
func drillSet(t *testing.T, c *client, folder *drill.Folder) {
	t.Helper()
	d := ask[api.Drill](c, "drill.next", api.NextDrill{})
	require.NotNil(t, d.Problem)
	require.Equal(t, d.Total-1, d.Fresh, "the worst mistake was mended in the review")
	require.Zero(t, d.Due)
	first := d.Problem.ID
	v := ask[api.DrillVerdict](c, "drill.answer", api.DrillAnswer{ID: first, Seconds: 4})
	require.Equal(t, 1, v.Grade, "given up")
	require.True(t, v.Best.Accepted)
	require.Less(t, v.Due[0], v.Due[3])
	require.Equal(t, "bad_request", c.refused("drill.grade", api.GradeDrill{ID: first, Grade: 5}).Code)
	v = ask[api.DrillVerdict](c, "drill.answer", api.DrillAnswer{ID: first, Move: v.Best.Move, Seconds: 4})
	require.True(t, v.Verdict.Accepted)
	require.Equal(t, 4, v.Grade)
	c.ask("drill.grade", api.GradeDrill{ID: first, Grade: 3}, nil)
	d = ask[api.Drill](c, "drill.next", api.NextDrill{})
	require.Equal(t, d.Total-2, d.Fresh, "asked today")
	require.Equal(t, "stale", c.refused("drill.grade", api.GradeDrill{ID: first, Grade: 1}).Code)

	log, err := folder.Answers()
	require.NoError(t, err)
	defer log.Close()
	require.Len(t, log.Attempts, 3)
	require.Equal(t, drill.AgainGrade, log.Attempts[1].Grade)
	require.Equal(t, drill.GoodGrade, log.Attempts[2].Grade)
	require.Equal(t, "illegal", c.refused("drill.answer", api.DrillAnswer{ID: first, Move: occupied(t, folder, first)}).Code)
}

func occupied(t *testing.T, folder *drill.Folder, id string) string {
	t.Helper()
	set, err := folder.Drills()
	require.NoError(t, err)
	for _, p := range set.Problems {
		if p.ID == id {
			g, err := p.Position()
			require.NoError(t, err)
			return g.Size().Vertex(g.Size().Point(strings.IndexAny(p.Stones, "XO")%p.Width, strings.IndexAny(p.Stones, "XO")/p.Width))
		}
	}
	t.Fatal("no such problem")
	return ""
}

// TestReviewGoesOn ends a server in the middle of a queue: the next server reviews the rest.
func TestReviewGoesOn(t *testing.T) {
	testshared.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir)
	c := join(t, s)
	c.ask("review.pause", api.PauseReviews{Paused: true}, nil)
	torn := strings.TrimSuffix(spoilt, ")") // repaired when it is queued
	ids := toReview(t, s, map[string]string{"one.sgf": torn, "two.sgf": strings.Replace(spoilt, "KM[7.5]", "KM[6.5]", 1)})
	list := ask[api.Reviews](c, "watch", api.Watch{What: "reviews"})
	require.True(t, list.Paused)
	require.Len(t, list.Reviews, 2)
	require.Equal(t, reviews.Waiting, list.Reviews[0].State)
	last := list.Reviews[1].Review
	c.ask("review.front", api.ID{ID: last}, nil)
	require.Equal(t, last, ask[api.Reviews](c, "watch", api.Watch{What: "reviews"}).Reviews[0].Review)
	require.NoError(t, s.Close())

	c = join(t, serve(t, dir))
	for name, a := range ids {
		require.Equal(t, name, finishedCard(t, c, a.ID).Name)
	}
	notes := func(id string) string {
		return strings.Join(ask[api.Review](c, "watch", api.Watch{What: "review:" + id}).Notes, " ")
	}
	require.Contains(t, notes(ids["one.sgf"].ID), "the file ends before the game does")
	require.NotContains(t, notes(ids["two.sgf"].ID), "the file ends")
	again := ask[api.ID](c, "review.again", api.ID{ID: ids["one.sgf"].ID}).ID
	finishedCard(t, c, again)
	require.Contains(t, notes(again), "the file ends before the game does")
}

// needHandout skips a test if the script bundle for HTML files is not built; building it needs npm.
func needHandout(t *testing.T) {
	t.Helper()
	if err := handout.Built(); err != nil {
		testshared.Absent(t, "%v", err)
	}
}
