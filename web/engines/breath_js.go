package engines

import (
	"syscall/js"
	"time"
)

// breathEvery is the longest time that a search may hold the one thread of a tab.
const breathEvery = 30 * time.Millisecond

// Breath returns a function for a search to call as it progresses. It lets the browser deliver
// events such as the command to stop: in a tab all goroutines share one thread, and events arrive
// only while none of them runs. It uses no timer, since browsers slow the timers of hidden tabs.
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
