package web

import (
	"sync"
	"time"

	"kosumi/web/api"
	"kosumi/web/wire"
)

// frameEvery is the minimum time between frames. After frameUnacked the next frame is sent even if
// the client has not acknowledged the last one.
const (
	frameEvery   = 95 * time.Millisecond
	frameUnacked = 250 * time.Millisecond
)

// frames passes results of an analysis to a page: only the newest is sent, only while the page is
// visible, and as fast as the page acknowledges. The analysis calls frames.show, and the
// connection's writer calls frames.next. Make one with [newFrames].
type frames struct {
	woken chan struct{} // set if there may be a frame to send

	mu      sync.Mutex
	visible bool
	newest  *api.Event // the newest result, not yet sent
	number  int64
	unacked time.Time // when the unacknowledged frame was sent; zero: there is none
}

func newFrames() *frames { return &frames{woken: make(chan struct{}, 1), visible: true} }

// show replaces the newest frame.
func (f *frames) show(e api.Event) {
	f.mu.Lock()
	f.newest = &e
	f.mu.Unlock()
	wire.Wake(f.woken)
}

// ack records that the client has painted a frame.
func (f *frames) ack(a *api.Ack) error {
	f.mu.Lock()
	if a.F == f.number {
		f.unacked = time.Time{}
	}
	f.mu.Unlock()
	wire.Wake(f.woken)
	return nil
}

// see records whether the page is visible.
func (f *frames) see(visible bool) {
	f.mu.Lock()
	f.visible = visible
	f.mu.Unlock()
	wire.Wake(f.woken)
}

func (f *frames) isVisible() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.visible
}

// next returns the frame to send now, or how long to wait for it.
func (f *frames) next(sent time.Time) (*api.Event, time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.newest == nil || !f.visible {
		return nil, 0
	}
	if wait := frameEvery - time.Since(sent); wait > 0 {
		return nil, wait
	}
	if wait := frameUnacked - time.Since(f.unacked); !f.unacked.IsZero() && wait > 0 {
		return nil, wait
	}
	e := f.newest
	f.newest = nil
	f.number++
	e.F, f.unacked = f.number, time.Now()
	return e, 0
}
