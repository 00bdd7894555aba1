package model

import "kosumi/board"

// Searched tells that boards of a size are being searched, not just looked at.
// Where int8 can be made in the background (see [Config].Later), that begins now:
// a program that is told its board size only after its start should not prepare
// for another.
func (m *Model) Searched(size board.Size) {
	state := m.state(size)
	state.mu.Lock()
	defer state.mu.Unlock()
	state.searched = true
	if state.owed {
		m.prepareBehind(size, state)
	}
}

// prepareBehind makes the integer network of a board size while the float one
// plays, and says so when it is there. The caller holds the state's mutex.
func (m *Model) prepareBehind(size board.Size, state *sized) {
	state.owed = false
	key := m.int8Key(size)
	go func() {
		var c *choice
		var err error
		quietly(func() { c, err = m.prepare(m.ctx, size, key, true) })
		switch {
		case m.ctx.Err() != nil:
			return
		case err != nil:
			m.conf.Log.Warn("int8 could not be prepared; the network stays in fp32", "error", err)
			c = &choice{precision: floatPrecision, why: "int8 could not be prepared: " + err.Error()}
		}
		state.choice.Store(c)
		if c.precision == int8Precision {
			m.conf.Later(size)
		}
	}()
}
