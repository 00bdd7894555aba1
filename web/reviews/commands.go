package reviews

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/review/drill"
	"kosumi/web/api"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// Delete removes a review and its files.
func (rs *Reviews) Delete(v *api.ID) error {
	rs.mu.Lock()
	j, name := rs.jobs[v.ID], rs.archive.byID[v.ID]
	if j == nil && name == "" {
		rs.mu.Unlock()
		return api.Refuse("not_found", "no such review")
	}
	rs.quit(v.ID)
	var errs []error
	game := ""
	if name != "" {
		known, _ := rs.archive.done.Known(name)
		game = known.card.Name
		errs = append(errs, rs.archive.folder.Remove(name))
	}
	if store.ValidID(v.ID) {
		for _, ext := range []string{".sgf", ".txt"} {
			if err := os.Remove(rs.record(v.ID, ext)); !errors.Is(err, os.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	rs.mu.Unlock()
	if game != "" {
		errs = append(errs, rs.Drills.collect(func(d *drill.Set) { d.Forget(game) }))
	}
	if err := errors.Join(errs...); err != nil {
		return api.Refuse("internal", "%v", err)
	}
	rs.PublishList()
	return nil
}

// Front moves a waiting game to the front of the queue.
func (rs *Reviews) Front(v *api.ID) error {
	rs.mu.Lock()
	j := rs.jobs[v.ID]
	if j == nil || j.game == nil {
		rs.mu.Unlock()
		return api.Refuse("not_found", "this game does not wait")
	}
	if len(rs.queue) > 0 && rs.queue[0] != j {
		rs.leave(j)
		rs.queue = slices.Insert(rs.queue, 0, j)
		if rs.cut != nil {
			rs.cut()
		}
	}
	rs.mu.Unlock()
	wire.Wake(rs.woken)
	rs.PublishList()
	return nil
}

// Again reviews a finished game again, with the present network.
func (rs *Reviews) Again(v *api.ID) (api.ID, error) {
	rs.mu.Lock()
	name := rs.archive.byID[v.ID]
	rs.mu.Unlock()
	if name == "" {
		return api.ID{}, api.Refuse("not_found", "no such review")
	}
	data, err := file.ReadPlain(rs.records(), v.ID+".sgf", wire.MaxSGF)
	if errors.Is(err, os.ErrNotExist) {
		data, err = file.ReadPlain(rs.archive.folder.Path("", ""), name+".sgf", wire.MaxSGF)
	}
	if err != nil {
		return api.ID{}, api.Refuse("not_found", "%v", err)
	}
	roots, err := wire.ParseSGF(data)
	if err != nil {
		return api.ID{}, api.Refuse("bad_request", "%v", err)
	}
	res, err := rs.result(v.ID)
	if err != nil {
		return api.ID{}, err
	}
	_, notes := rs.about(v.ID)
	id, _, err := rs.AddAs(store.NewID(), cmp.Or(res.Game.File, name), roots[0], notes, true)
	if err != nil {
		return api.ID{}, api.BadRequest(err)
	}
	rs.PublishList()
	return api.ID{ID: id}, nil
}

// Pause stops all reviews, or resumes them.
func (rs *Reviews) Pause(p *api.PauseReviews) error {
	rs.mu.Lock()
	rs.paused = p.Paused
	rs.mu.Unlock()
	if p.Paused {
		rs.Interrupt()
	}
	wire.Wake(rs.woken)
	rs.PublishList()
	return nil
}

// Try judges another move in place of a mistake, from the review's results or by a search.
func (rs *Reviews) Try(ctx context.Context, v *api.TryMove) (*api.Verdict, error) {
	res, err := rs.found(v.Review)
	if err != nil {
		return nil, err
	}
	if v.Ply < 0 || v.Ply >= len(res.Moves) || len(res.Moves[v.Ply].Best) == 0 {
		return nil, api.Tell("bad_request", "not_looked")
	}
	p := drill.ProblemOf(res, v.Ply)
	t, err := rs.judge.verdict(ctx, &p, nil, v.Move)
	if err != nil {
		return nil, err
	}
	if t.Accepted {
		rs.Drills.solved(&p)
	}
	return wireVerdict(&t.Answer, p.Played), nil
}

// Position returns the position of a reviewed game after ply moves, without its history.
func (rs *Reviews) Position(id string, ply int) (*board.Game, error) {
	res, err := rs.found(id)
	if err != nil {
		return nil, err
	}
	if ply < 0 || ply >= len(res.Positions) {
		return nil, api.Refuse("bad_request", "the game has %d moves", len(res.Moves))
	}
	p := &res.Positions[ply]
	q := drill.Problem{Width: res.Game.Width, Height: res.Game.Height, Stones: p.Stones, ToMove: p.ToMove, Rules: res.Game.Rules, Komi: res.Game.Komi}
	return q.Position()
}

// maxReviewFile bounds the files of reviews that are sent.
const maxReviewFile = 256 << 20

// ServeFile sends a file of a review: data, record or page.
func (rs *Reviews) ServeFile(w http.ResponseWriter, r *http.Request) {
	for ext, kind := range map[string]string{".json": "application/json", ".sgf": "application/x-go-sgf; charset=utf-8", ".html": "text/html; charset=utf-8"} {
		id, ok := store.ParseName(r.PathValue("file"), ext)
		if !ok {
			continue
		}
		rs.mu.Lock()
		err := rs.archive.refresh()
		name := rs.archive.byID[id]
		rs.mu.Unlock()
		if err != nil || name == "" {
			break
		}
		data, err := file.ReadPlain(rs.archive.folder.Path("", ""), name+ext, maxReviewFile)
		if err != nil {
			rs.conf.Warnings.Warn(fmt.Sprintf("a file of a review is not sent: %v", err), "review "+name+ext)
			break
		}
		if ext == ".html" {
			w.Header().Set("Content-Security-Policy", "sandbox")
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Disposition", `attachment; filename="kosumi-review`+ext+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		return
	}
	http.NotFound(w, r)
}
