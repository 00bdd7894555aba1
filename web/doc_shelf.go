package web

import (
	"errors"
	"maps"
	"os"
	"runtime/debug"
	"time"

	"kosumi/web/api"
	"kosumi/web/folder"
	"kosumi/web/wire"
)

// doc returns a document, read from its file if need be.
func (s *Server) doc(id string) (*doc, error) {
	if !folder.ValidID(id) {
		return nil, api.Refuse("not_found", "no such document")
	}
	s.mu.Lock()
	d, ok := s.docs[id]
	s.mu.Unlock()
	if ok {
		return d, nil
	}
	// A large one takes a while, and others need not wait for it.
	d, err := s.readDoc(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, ok := s.docs[id]; ok {
		return other, nil
	}
	d.at = s.places[id]
	s.docs[id] = d
	return d, nil
}

// hold returns a document whose lock the caller has, and which is the one that the
// server has.
func (s *Server) hold(id string) (*doc, error) {
	for {
		d, err := s.doc(id)
		if err != nil {
			return nil, err
		}
		d.mu.Lock()
		if !d.left {
			return d, nil
		}
		d.mu.Unlock()
	}
}

func (s *Server) readDoc(id string) (*doc, error) {
	data, err := s.folder.Read("docs", id, ".sgf", wire.MaxSGF)
	if errors.Is(err, os.ErrNotExist) {
		return nil, api.Refuse("not_found", "no such document")
	}
	if err != nil {
		return nil, api.Refuse("not_found", "%v", err)
	}
	d, err := s.parseDoc(id, data)
	if err != nil {
		return nil, api.Refuse("not_found", "%v", err)
	}
	if info, err := os.Stat(s.folder.Path("docs", id, ".sgf")); err == nil {
		d.changed = info.ModTime()
	}
	return d, nil
}

// manyNodes is how many nodes are worth a collection of garbage.
const manyNodes = 50_000

// leaveDocs lets go of documents that no page has watched for a while, as long as
// reading them again gives every node the ID that pages know: those that nobody has
// changed.
func (s *Server) leaveDocs(now time.Time, watched map[string]bool) {
	freed := 0
	s.mu.Lock()
	open := maps.Clone(s.docs)
	s.mu.Unlock()
	for id, d := range open {
		d.mu.Lock() // before the server's, as where changes are told
		switch {
		case watched["doc:"+id]:
			d.alone = time.Time{}
		case d.alone.IsZero():
			d.alone = now
		case now.Sub(d.alone) > aloneFor && d.rev == 0:
			d.left = true
			s.mu.Lock()
			s.places[id] = d.at
			delete(s.docs, id)
			s.mu.Unlock()
			freed += len(d.nodes)
		}
		d.mu.Unlock()
	}
	if freed > manyNodes {
		debug.FreeOSMemory()
	}
}

// docCard is what a list says of a document, and of which state of its file.
type docCard struct {
	changed time.Time
	size    int64
	card    api.DocCard
}

// docCards lists the newest documents.
func (s *Server) docCards() (*api.Docs, error) {
	ids, err := s.folder.Newest("docs", ".sgf", maxCards)
	if err != nil {
		return nil, err
	}
	list := &api.Docs{Docs: []api.DocCard{}}
	for _, id := range ids {
		card, err := s.cardOf(id)
		if err != nil {
			list.Unread = append(list.Unread, s.unread("docs", id+".sgf", err))
			continue
		}
		list.Docs = append(list.Docs, card)
	}
	return list, nil
}

// cardOf reads a document for its card, unless it is open, or its card is known; it
// does not stay open for that.
func (s *Server) cardOf(id string) (api.DocCard, error) {
	s.mu.Lock()
	d, open := s.docs[id]
	known := s.cards[id]
	s.mu.Unlock()
	if open {
		return d.card(), nil
	}
	info, err := os.Stat(s.folder.Path("docs", id, ".sgf"))
	if err != nil {
		return api.DocCard{}, err
	}
	if info.ModTime().Equal(known.changed) && info.Size() == known.size {
		return known.card, nil
	}
	if d, err = s.readDoc(id); err != nil {
		return api.DocCard{}, err
	}
	card := d.card()
	s.mu.Lock()
	s.cards[id] = docCard{info.ModTime(), info.Size(), card}
	s.mu.Unlock()
	return card, nil
}

func (d *doc) card() api.DocCard {
	d.mu.Lock()
	defer d.mu.Unlock()
	moves := 0
	for n := d.nodes[0]; len(n.kids) > 0; n = n.kids[0] {
		moves++
	}
	return api.DocCard{Doc: d.id, Size: [2]int{d.size.W, d.size.H}, Title: d.title(), Moves: moves, Changed: d.changed.Unix()}
}
