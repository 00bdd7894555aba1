package web

import (
	"slices"
	"sync"
)

const maxNewcomers = 64

// newcomers are connections that have not said hello, the oldest first.
type newcomers struct {
	mu    sync.Mutex
	conns []*conn
}

// welcome adds a connection that has not said hello. If there are too many, it closes the oldest
// connection of the machine that has the most: a machine that opens sockets and says nothing does
// not keep others out.
func (n *newcomers) welcome(c *conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conns = append(n.conns, c); len(n.conns) <= maxNewcomers {
		return
	}
	has := map[string]int{}
	for _, c := range n.conns {
		has[c.from]++
	}
	oldest := 0
	for i, c := range n.conns {
		if has[c.from] > has[n.conns[oldest].from] {
			oldest = i
		}
	}
	n.conns[oldest].cancel()
	n.conns = slices.Delete(n.conns, oldest, oldest+1)
}

// forget removes a connection that has said hello, or has ended.
func (n *newcomers) forget(c *conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = slices.DeleteFunc(n.conns, func(other *conn) bool { return other == c })
}
