package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"kosumi/internal/file"
	"kosumi/train/selfplay"
)

// spool keeps finished games on disk until they are confirmed.
type spool struct {
	dir string // "" keeps the games in memory

	mu    sync.Mutex
	games []*spooled // games not being sent
	count int
	news  chan struct{} // capacity 1
}

// spooled is a game that waits to be confirmed.
type spooled struct {
	id    selfplay.ID
	more  bool
	offer string
	path  string // "" if the game is in memory
	data  []byte
}

// openSpool loads the games that an earlier run left.
func openSpool(dir string) (*spool, error) {
	s := &spool{dir: dir, news: make(chan struct{}, 1)}
	if dir == "" {
		return s, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		g := &spooled{path: filepath.Join(dir, e.Name())}
		more := 0
		if n, err := fmt.Sscanf(e.Name(), "%d.%d.%d.%16s.game", &g.id.Number, &g.id.Fork, &more, &g.offer); n != 4 && err != nil || filepath.Ext(e.Name()) != ".game" {
			if filepath.Ext(e.Name()) == ".tmp" {
				os.Remove(g.path) // an incomplete write
			}
			continue
		}
		g.more = more == 1
		s.games = append(s.games, g)
	}
	s.count = len(s.games)
	wake(s.news)
	return s, nil
}

// wake wakes the reader of a channel of capacity 1.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// put adds a game. After an error the game is only in memory.
func (s *spool) put(f *selfplay.Finished, offer string, data []byte) error {
	g := &spooled{id: f.ID, more: f.More, offer: offer, data: data}
	var err error
	if s.dir != "" {
		more := 0
		if f.More {
			more = 1
		}
		path := filepath.Join(s.dir, fmt.Sprintf("%d.%d.%d.%s.game", f.ID.Number, f.ID.Fork, more, offer))
		if err = file.WriteBytes(path, data); err == nil {
			g.path, g.data = path, nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.games = append(s.games, g)
	s.count++
	wake(s.news)
	return err
}

// next takes a game out of the list to send it, and returns nil if there is none.
func (s *spool) next() *spooled {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.games) == 0 {
		return nil
	}
	g := s.games[0]
	s.games = s.games[1:]
	return g
}

func (g *spooled) read() ([]byte, error) {
	if g.path == "" {
		return g.data, nil
	}
	return os.ReadFile(g.path)
}

// back puts a game that could not be sent into the list again.
func (s *spool) back(g *spooled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.games = append(s.games, g)
}

// drop removes a game that the server has answered.
func (s *spool) drop(g *spooled) {
	if g.path != "" {
		os.Remove(g.path) // if this fails, the game is sent again and answered as a duplicate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count--
}

// len counts the games that are not confirmed.
func (s *spool) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}
