package web

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/review"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/folder"
	"kosumi/web/wire"
)

// addReview puts a game of this server's on the list. The review of a game that is
// over has the game's ID: asked for again, it is the same one.
func (c *conn) addReview(a *api.AddReview) (any, error) {
	var root *sgf.Node
	name, id := "", folder.NewID()
	switch {
	case a.Game != "":
		g, err := c.s.game(a.Game)
		if err != nil {
			return nil, err
		}
		g.mu.Lock()
		root, name = g.record().Tree(), g.head.Created.Format("2006-01-02 15.04")+".sgf"
		if g.phase == phaseOver {
			id = g.head.ID
		}
		g.mu.Unlock()
	case a.Doc != "":
		d, err := c.s.doc(a.Doc)
		if err != nil {
			return nil, err
		}
		d.mu.Lock()
		data, err := sgf.Marshal(d.root)
		name = cmp.Or(d.title(), "game") + ".sgf"
		d.mu.Unlock()
		if err != nil {
			return nil, err
		}
		roots, err := wire.ParseSGF(data) // a copy: people go on changing the document
		if err != nil {
			return nil, err
		}
		root = roots[0]
	default:
		return nil, api.Refuse("bad_request", "a game or a document")
	}
	if err := c.s.reviews.addAs(id, name, root, nil); err != nil {
		return nil, api.BadRequest(err)
	}
	c.s.reviews.publishList()
	return api.ID{ID: id}, nil
}

// deleteReview takes a review off the list, with its files.
func (c *conn) deleteReview(v *api.ID) (any, error) {
	rs := c.s.reviews
	rs.mu.Lock()
	j, name := rs.jobs[v.ID], rs.byID[v.ID]
	if j == nil && name == "" {
		rs.mu.Unlock()
		return nil, api.Refuse("not_found", "no such review")
	}
	if j != nil {
		if rs.cut != nil && len(rs.queue) > 0 && rs.queue[0] == j {
			rs.cut()
		}
		rs.leave(j)
		delete(rs.jobs, v.ID)
	}
	var errs []error
	if name != "" {
		errs = append(errs, rs.folder.Remove(name))
	}
	if folder.ValidID(v.ID) {
		for _, ext := range []string{".sgf", ".txt"} {
			if err := os.Remove(rs.record(v.ID, ext)); !errors.Is(err, os.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	rs.mu.Unlock()
	if err := errors.Join(errs...); err != nil {
		return nil, api.Refuse("internal", "%v", err)
	}
	rs.publishList()
	return nil, nil
}

// frontReview lets a game be the next.
func (c *conn) frontReview(v *api.ID) (any, error) {
	rs := c.s.reviews
	rs.mu.Lock()
	j := rs.jobs[v.ID]
	if j == nil || j.game == nil {
		rs.mu.Unlock()
		return nil, api.Refuse("not_found", "this game does not wait")
	}
	if len(rs.queue) > 0 && rs.queue[0] != j {
		rs.leave(j)
		rs.queue = slices.Insert(rs.queue, 0, j)
		if rs.cut != nil {
			rs.cut()
		}
	}
	rs.mu.Unlock()
	rs.look()
	rs.publishList()
	return nil, nil
}

// againReview reviews a finished game once more, with the present network.
func (c *conn) againReview(v *api.ID) (any, error) {
	rs := c.s.reviews
	rs.mu.Lock()
	name := rs.byID[v.ID]
	rs.mu.Unlock()
	if name == "" {
		return nil, api.Refuse("not_found", "no such review")
	}
	data, err := file.ReadPlain(rs.records(), v.ID+".sgf", wire.MaxSGF)
	if errors.Is(err, os.ErrNotExist) {
		data, err = file.ReadPlain(rs.folder.Path("", ""), name+".sgf", wire.MaxSGF)
	}
	if err != nil {
		return nil, api.Refuse("not_found", "%v", err)
	}
	roots, err := wire.ParseSGF(data)
	if err != nil {
		return nil, api.Refuse("bad_request", "%v", err)
	}
	res, err := rs.result(v.ID)
	if err != nil {
		return nil, err
	}
	_, notes := rs.about(v.ID)
	id, err := rs.add(cmp.Or(res.Game.File, name), roots[0], notes)
	if err != nil {
		return nil, api.BadRequest(err)
	}
	rs.publishList()
	return api.ID{ID: id}, nil
}

func (c *conn) pauseReviews(p *api.PauseReviews) (any, error) {
	rs := c.s.reviews
	rs.mu.Lock()
	rs.paused = p.Paused
	rs.mu.Unlock()
	if p.Paused {
		rs.interrupt()
	}
	rs.look()
	rs.publishList()
	return nil, nil
}

// tryMove judges another move in place of a mistake: by what the review knows, or
// by a search.
func (c *conn) tryMove(v *api.TryMove) (any, error) {
	res, err := c.s.reviews.found(v.Review)
	if err != nil {
		return nil, err
	}
	if v.Ply < 0 || v.Ply >= len(res.Moves) || len(res.Moves[v.Ply].Best) == 0 {
		return nil, api.Refuse("bad_request", "this move was not looked at")
	}
	p := res.Problem(v.Ply)
	return c.verdict(&p, v.Move)
}

// verdict says what a move is worth as an answer.
func (c *conn) verdict(p *review.Problem, move string) (*api.Verdict, error) {
	start, err := p.Position()
	if err != nil {
		return nil, api.Refuse("internal", "%v", err)
	}
	at, err := start.Size().ParseVertex(move)
	if err != nil {
		return nil, api.Refuse("bad_request", "%v", err)
	}
	if err := start.Legal(start.ToMove(), at); err != nil {
		return nil, wire.Illegal(err)
	}
	move = start.Size().Vertex(at)
	a := p.Answer(move)
	if a == nil {
		if a, err = p.Search(func(g *board.Game) (*review.Eval, error) {
			return c.s.reviews.judge(c.ctx, review.Defaults().Visits)(g)
		}, move); err != nil {
			return nil, api.Refuse("engine_failed", "%v", err)
		}
	}
	return wireVerdict(p, a), nil
}

func wireVerdict(p *review.Problem, a *review.Answer) *api.Verdict {
	return &api.Verdict{Move: a.Move, Accepted: a.Accepted, Played: a.Move == p.Played, Loss: a.Loss, Class: review.ClassIndex(a.Loss), Line: a.Line}
}

// maxReviewFile bounds the files of reviews that are sent.
const maxReviewFile = 256 << 20

// serveReview sends a file of a review: data, record or page.
func (s *Server) serveReview(w http.ResponseWriter, r *http.Request) {
	for ext, kind := range map[string]string{".json": "application/json", ".sgf": "application/x-go-sgf; charset=utf-8", ".html": "text/html; charset=utf-8"} {
		id, ok := folder.ParseName(r.PathValue("file"), ext)
		if !ok {
			continue
		}
		s.reviews.mu.Lock()
		err := s.reviews.refresh()
		name := s.reviews.byID[id]
		s.reviews.mu.Unlock()
		if err != nil || name == "" {
			break
		}
		data, err := file.ReadPlain(s.reviews.folder.Path("", ""), name+ext, maxReviewFile)
		if err != nil {
			s.complain(fmt.Sprintf("a file of a review is not sent: %v", err), "review "+name+ext)
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
