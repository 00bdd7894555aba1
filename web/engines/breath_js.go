package engines

import (
	"syscall/js"
	"time"
)

// breathEvery is how long a search may hold the one thread of a tab.
const breathEvery = 30 * time.Millisecond

// Breath returns what a search calls as it goes on. In a tab it lets the browser's events
// in, such as the command to stop: goroutines share one thread there, and events wait
// until all of them do. It asks no timer, which tabs in the background slow down.
func Breath() func(what string, nodes int64) {
	channel := js.Global().Get("MessageChannel").New()
	from, to := channel.Get("port1"), channel.Get("port2")
	last := time.Now()
	return func(string, int64) {
		if time.Since(last) < breathEvery {
			return
		}
		came := make(chan struct{})
		heard := js.FuncOf(func(js.Value, []js.Value) any { close(came); return nil })
		defer heard.Release()
		to.Set("onmessage", heard)
		from.Call("postMessage", 0)
		<-came
		to.Set("onmessage", js.Null())
		last = time.Now()
	}
}
