package kernel

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall/js"
	"time"
)

// Workers configures the web workers that run the kernels of a page. Each has its own
// module and memory; no memory is shared, so the page needs no special headers.
type Workers struct {
	Count  int      // number of workers; 0 means one
	Module js.Value // kernel.wasm as bytes or a WebAssembly.Module
	Script string   // address of kernel-worker.js; a path in node
}

// ErrSIMD says that a browser cannot run the kernels.
var ErrSIMD = errors.New("this browser is too old: it has no WebAssembly SIMD, which Chrome and Edge 91, Firefox 89 and Safari 16.4 have")

// workers are the started workers, and how to start more.
var workers struct {
	sync.Mutex
	all     []*worker
	script  string
	module  js.Value
	started int           // number of workers that had to be started again, or were given up
	paused  chan struct{} // closed when sessions may run again; nil: they may run now
}

// Bounds on how often workers are started again: a system that keeps ending them is short of
// memory.
const (
	fewerAfter = 4 // once more workers than this have ended, they are not replaced while others remain
	mostStarts = 20
)

// Start starts the workers and waits until they are ready. Call it before any network is opened.
func Start(w Workers) error {
	if Count() > 0 {
		return errors.New("kernel: there are workers already")
	}
	module, err := compile(w.Module)
	if err != nil {
		return err
	}
	var all []*worker
	for range max(w.Count, 1) {
		one, err := startWorker(w.Script, module)
		if err != nil {
			for _, other := range all {
				other.stop(ErrStopped)
			}
			return err
		}
		all = append(all, one)
	}
	workers.Lock()
	workers.all, workers.script, workers.module, workers.started = all, w.Script, module, 0
	workers.Unlock()
	return nil
}

// Stop ends the workers: their runs and open sessions fail with [ErrStopped].
func Stop() {
	workers.Lock()
	all := workers.all
	workers.all = nil
	workers.Unlock()
	for _, w := range all {
		w.stop(ErrStopped)
	}
}

// Pause makes sessions wait before their next run; called with false, it lets them run again. Runs
// under way end normally.
func Pause(on bool) {
	workers.Lock()
	defer workers.Unlock()
	switch {
	case on && workers.paused == nil:
		workers.paused = make(chan struct{})
	case !on && workers.paused != nil:
		close(workers.paused)
		workers.paused = nil
	}
}

// awaitTurn waits while sessions are paused.
func awaitTurn() {
	workers.Lock()
	paused := workers.paused
	workers.Unlock()
	if paused != nil {
		<-paused
	}
}

// Count is the number of workers.
func Count() int {
	workers.Lock()
	defer workers.Unlock()
	return len(workers.all)
}

// compile makes a module of kernel.wasm.
func compile(module js.Value) (js.Value, error) {
	api := js.Global().Get("WebAssembly")
	if module.InstanceOf(api.Get("Module")) {
		return module, nil
	}
	compiled, err := await(api.Call("compile", module))
	if err == nil {
		return compiled, nil
	}
	// A module with a function that returns a vector of zeros, which is valid only with SIMD.
	simd := []byte{0, 'a', 's', 'm', 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11}
	bytes := js.Global().Get("Uint8Array").New(len(simd))
	js.CopyBytesToJS(bytes, simd)
	if !api.Call("validate", bytes).Bool() {
		return compiled, ErrSIMD
	}
	return compiled, fmt.Errorf("kernel.wasm is no module of this program: %w", err)
}

func await(promise js.Value) (js.Value, error) {
	type result struct {
		value js.Value
		err   error
	}
	done := make(chan result, 1)
	then := js.FuncOf(func(_ js.Value, args []js.Value) any { done <- result{value: args[0]}; return nil })
	failed := js.FuncOf(func(_ js.Value, args []js.Value) any { done <- result{err: js.Error{Value: args[0]}}; return nil })
	defer then.Release()
	defer failed.Release()
	promise.Call("then", then, failed)
	r := <-done
	return r.value, r.err
}

// worker is a thread of the browser with a module of the kernels.
type worker struct {
	thread js.Value
	heard  js.Func
	failed js.Func

	mu       sync.Mutex
	sessions int
	asked    int
	waiting  map[int]chan answer
	looks    int   // how often look has run since the last answer, while a call is pending
	looking  bool  // the timer for look is running
	err      error // why it has ended
}

// The system may end a worker without a message. A worker counts as ended if it has not answered
// in mostLooks calls of look; even a slow phone takes only seconds for a batch of a large network.
// Calls are counted instead of time because the clock runs on while a tab sleeps.
const (
	lookEvery = 30 * time.Second
	mostLooks = 4
)

type answer struct {
	results []uint32
	buffer  js.Value
	err     error
}

func startWorker(script string, module js.Value) (*worker, error) {
	w := &worker{waiting: map[int]chan answer{}}
	w.heard = js.FuncOf(func(_ js.Value, args []js.Value) any { w.hear(args[0]); return nil })
	w.failed = js.FuncOf(func(_ js.Value, args []js.Value) any { w.fail(args[0]); return nil })
	if class := js.Global().Get("Worker"); class.Truthy() {
		w.thread = class.New(script)
		w.thread.Set("onmessage", w.heard)
		w.thread.Set("onerror", w.failed)
	} else { // Node.js
		w.thread = js.Global().Call("require", "node:worker_threads").Get("Worker").New(script)
		w.thread.Call("on", "message", w.heard)
		w.thread.Call("on", "error", w.failed)
		w.thread.Call("on", "exit", w.failed)
	}
	if a := w.ask(map[string]any{"module": module}, js.Undefined()); a.err != nil {
		w.stop(ErrStopped)
		return nil, fmt.Errorf("the page's worker %s cannot run the kernels: %w", script, a.err)
	}
	return w, nil
}

// hear receives an answer of the worker.
func (w *worker) hear(message js.Value) {
	if data := message.Get("data"); data.Truthy() { // an event of a browser
		message = data
	}
	a := answer{buffer: message.Get("buffer")}
	if text := message.Get("error"); text.Truthy() {
		a.err = errors.New(text.String())
	} else {
		results := message.Get("results")
		for i := range results.Length() {
			if r := results.Index(i); r.Type() == js.TypeNumber {
				a.results = append(a.results, uint32(r.Int()))
			} else {
				a.results = append(a.results, 0)
			}
		}
	}
	w.mu.Lock()
	id := message.Get("id").Int()
	done := w.waiting[id]
	delete(w.waiting, id)
	w.looks = 0
	w.mu.Unlock()
	if done != nil {
		done <- a
	}
}

// fail handles the event that the worker has ended or its script cannot be loaded.
func (w *worker) fail(event js.Value) {
	why := ""
	if event.Type() == js.TypeObject {
		if text := event.Get("message"); text.Type() == js.TypeString {
			why = ": " + text.String()
		}
		if event.Get("preventDefault").Type() == js.TypeFunction { // otherwise the browser also reports an error of the page
			event.Call("preventDefault")
		}
	}
	w.stop(fmt.Errorf("%w%s", ErrStopped, why))
}

// look checks now and then, while calls wait, that the worker still answers.
func (w *worker) look() {
	w.mu.Lock()
	w.looks++
	waits := len(w.waiting) > 0
	late := waits && w.looks >= mostLooks
	if w.looking = waits && !late; w.looking {
		time.AfterFunc(lookEvery, w.look)
	}
	w.mu.Unlock()
	if late {
		w.stop(fmt.Errorf("%w: it does not answer", ErrStopped))
	}
}

// end makes waiting and later calls fail.
func (w *worker) end(why error) {
	w.mu.Lock()
	if w.err == nil {
		w.err = why
	}
	waiting := w.waiting
	w.waiting = map[int]chan answer{}
	w.mu.Unlock()
	for _, done := range waiting {
		done <- answer{err: why}
	}
}

func (w *worker) stop(why error) {
	w.end(why)
	w.thread.Call("terminate")
}

// ask sends a message, gives the worker the buffer, if there is one, and waits for the answer.
func (w *worker) ask(message map[string]any, buffer js.Value) answer {
	done := make(chan answer, 1)
	w.mu.Lock()
	if err := w.err; err != nil {
		w.mu.Unlock()
		return answer{err: err}
	}
	w.asked++
	message["id"] = w.asked
	if len(w.waiting) == 0 {
		w.looks = 0
	}
	w.waiting[w.asked] = done
	if !w.looking {
		w.looking = true
		time.AfterFunc(lookEvery, w.look)
	}
	w.mu.Unlock()
	if buffer.IsUndefined() {
		w.thread.Call("postMessage", message)
	} else {
		message["buffer"] = buffer
		w.thread.Call("postMessage", message, []any{buffer})
	}
	return <-done
}

// call calls a function of the module.
func (w *worker) call(name string, values ...any) (uint32, error) {
	a := w.ask(map[string]any{"calls": []any{append([]any{name}, values...)}}, js.Undefined())
	if a.err != nil {
		return 0, a.err
	}
	return a.results[0], nil
}

// write puts bytes at an address of the module's memory and calls a function.
func (w *worker) write(at uint32, bytes []byte, name string, values ...any) (uint32, error) {
	buffer := js.Global().Get("ArrayBuffer").New(len(bytes))
	js.CopyBytesToJS(js.Global().Get("Uint8Array").New(buffer), bytes)
	a := w.ask(map[string]any{"writes": []any{at, len(bytes)}, "calls": []any{append([]any{name}, values...)}}, buffer)
	if a.err != nil {
		return 0, a.err
	}
	return a.results[0], nil
}

// ended returns why the worker has ended; nil if it runs.
func (w *worker) ended() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// pick returns the worker with the fewest sessions and counts one more for it. First it replaces
// ended workers; if workers keep ending, it drops them while others remain.
func pick() (*worker, error) {
	workers.Lock()
	defer workers.Unlock()
	var best *worker
	for i := 0; i < len(workers.all); i++ {
		w := workers.all[i]
		if err := w.ended(); err != nil {
			workers.started++
			if workers.started > fewerAfter && len(workers.all) > 1 {
				workers.all = slices.Delete(workers.all, i, i+1)
				i--
				continue
			}
			if workers.started > mostStarts {
				return nil, fmt.Errorf("workers of the page end again and again, for want of memory perhaps: %v", err)
			}
			again, err := startWorker(workers.script, workers.module)
			if err != nil {
				return nil, err
			}
			workers.all[i], w = again, again
		}
		if best == nil || w.sessions < best.sessions {
			best = w
		}
	}
	if best == nil {
		return nil, ErrMissing
	}
	best.sessions++
	return best, nil
}
