package model

import "kosumi/board"

// prepareBehind makes the integer network of a board size while the float one
// plays, and says so when it is there.
func (m *Model) prepareBehind(size board.Size, state *sized, key graphKey) {
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
