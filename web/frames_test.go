package web

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/web/api"
)

// TestFrames: only the newest frame is sent, after the page has painted the one before or has had
// time for that, and none while nobody sees the page.
func TestFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFrames()
		f.show(api.Event{T: "old"})
		f.show(api.Event{T: "first"})
		e, _ := f.next(time.Time{})
		require.Equal(t, api.Event{T: "first", F: 1}, *e)
		sent := time.Now()
		f.show(api.Event{T: "second"})
		none, wait := f.next(sent)
		require.Nil(t, none)
		require.Equal(t, frameEvery, wait)
		time.Sleep(frameEvery)
		none, wait = f.next(sent)
		require.Nil(t, none, "the first is not acknowledged")
		require.Equal(t, frameUnacked-frameEvery, wait)
		f.ack(&api.Ack{F: 1})
		f.see(false)
		none, wait = f.next(sent)
		require.Nil(t, none)
		require.Zero(t, wait, "the page says when it is seen")
		f.see(true)
		require.Len(t, f.woken, 1)
		e, _ = f.next(sent)
		require.Equal(t, int64(2), e.F)
		f.show(api.Event{T: "third"})
		time.Sleep(frameUnacked)
		e, _ = f.next(time.Now().Add(-frameEvery))
		require.Equal(t, int64(3), e.F, "an acknowledgement that never comes stops nothing")
	})
}
