package kernel

import (
	"encoding/binary"
	"syscall/js"
	"unsafe"
)

// available returns WASM once the workers have started.
func available() []ISA {
	if Count() == 0 {
		return nil
	}
	return []ISA{WASM}
}

// Table returns nil: the kernels run in the workers, outside the program.
func Table() unsafe.Pointer { return nil }

// Session is a part of a worker's memory, with its layers and programs. One caller at a time may
// use it.
type Session struct {
	worker          *worker
	layout          Layout
	memory, scratch uint32 // addresses in the worker
	layers          []*Layer
	programs        []program
	inputs, outputs [][]float32
	buffer          js.Value // takes inputs to the worker and outputs back
}

// Layer is a convolution whose weights are packed.
type Layer struct {
	shape Shape
	at    uint32
}

// program is a list of steps that may start at any row from 0 to last.
type program struct {
	at          uint32
	count, last int
}

// NewSession allocates the memory in the worker with the fewest sessions. The caller
// closes the session.
func NewSession(_ ISA, l Layout) (*Session, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	if l.Size >= 1<<30 {
		return nil, errMemory
	}
	w, err := pick()
	if err != nil {
		return nil, err
	}
	s := &Session{worker: w, layout: l}
	in, out := 0, 0
	for _, o := range l.Inputs {
		s.inputs = append(s.inputs, make([]float32, o.Row*l.Rows))
		in += o.Row * l.Rows
	}
	for _, o := range l.Outputs {
		s.outputs = append(s.outputs, make([]float32, o.Row*l.Rows))
		out += o.Row * l.Rows
	}
	s.buffer = js.Global().Get("ArrayBuffer").New(4 * max(in, out))
	if s.scratch, err = s.take("scratch"); err == nil {
		s.memory, err = s.take("take", 4*l.Size)
	}
	if err == nil && len(l.Constants) > 0 {
		_, err = s.worker.write(s.memory+4*uint32(l.ConstantsAt), bytesOf(l.Constants), "give", 0)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	s.layout.Constants = nil
	return s, nil
}

// take calls a function that returns an address, 0 if there is no memory left.
func (s *Session) take(name string, values ...any) (uint32, error) {
	at, err := s.worker.call(name, values...)
	if err == nil && at == 0 {
		err = errMemory
	}
	return at, err
}

func bytesOf(v []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
}

// Inputs returns the memory that Run reads, one slice for each input of the layout.
func (s *Session) Inputs() [][]float32 { return s.inputs }

// Outputs returns the memory that Run writes, one slice for each output.
func (s *Session) Outputs() [][]float32 { return s.outputs }

// Layer packs weights [out][in][size][size]. Layers with equal weights share one packed copy in
// each worker.
func (s *Session) Layer(shape Shape, weights []float32) (*Layer, error) {
	if err := shape.check(len(weights)); err != nil {
		return nil, err
	}
	all := append(append(append(make([]float32, 0, len(weights)+2*shape.Out), weights...), shape.Scale...), shape.Shift...)
	at, err := s.take("take", 4*len(all))
	if err != nil {
		return nil, err
	}
	scale, shift, planes := uint32(0), uint32(0), 0
	if shape.Scale != nil {
		scale = at + 4*uint32(len(weights))
	}
	if shape.Shift != nil {
		shift = at + 4*uint32(len(weights)+len(shape.Scale))
	}
	if shape.Planes {
		planes = 1
	}
	l := &Layer{shape: shape}
	l.at, err = s.worker.write(at, bytesOf(all), "layer", shape.In, shape.Out, shape.Size, int(shape.Precision), int(shape.Activation), planes,
		float64(shape.Epsilon), scale, shift, at)
	if err == nil {
		s.layers = append(s.layers, l)
		_, err = s.worker.call("give", at)
	}
	if err == nil && l.at == 0 {
		err = errMemory
	}
	return l, err
}

// Program makes a program of the steps and returns its number. The program may start at any row
// from 0 to last. The steps' layers must be layers of this session.
func (s *Session) Program(steps []Step, last int) (int, error) {
	if err := s.layout.checkSteps(steps, last); err != nil {
		return 0, err
	}
	p := program{count: len(steps), last: last}
	if len(steps) > 0 {
		var words []byte
		for i := range steps {
			words = steps[i].words(words)
		}
		at, err := s.take("take", len(words))
		if err != nil {
			return 0, err
		}
		if p.at, err = s.worker.write(at, words, "steps", at, len(steps)); err == nil {
			_, err = s.worker.call("give", at)
		}
		if err == nil && p.at == 0 {
			err = errMemory
		}
		if err != nil {
			return 0, err
		}
	}
	s.programs = append(s.programs, p)
	return len(s.programs) - 1, nil
}

// words appends a step as module_wasm.c reads it.
func (s *Step) words(to []byte) []byte {
	put := func(v int) { to = binary.LittleEndian.AppendUint32(to, uint32(int32(v))) }
	put(int(s.Kind))
	put(s.What)
	for _, o := range []Operand{s.To[0], s.To[1], s.From[0], s.From[1], s.From[2]} {
		if o.There {
			put(o.At)
			put(o.Row)
		} else {
			put(-1)
			put(0)
		}
	}
	for _, d := range s.Dims {
		put(d)
	}
	for _, strides := range s.Strides {
		for _, d := range strides {
			put(d)
		}
	}
	byBoard, layer := 0, uint32(0)
	if s.ByBoard {
		byBoard = 1
	}
	if s.Layer != nil {
		layer = s.Layer.at
	}
	a := &s.Attention
	for _, v := range []int{s.N, s.H, s.W, byBoard, int(layer), a.Heads, a.KVHeads, a.QDim, a.VDim, int(a.Precision)} {
		put(v)
	}
	return to
}

func (s *Session) last(program int) int { return s.programs[program].last }

// Run runs the passes one after the other, for a batch of rows, with one message to the worker
// and one back.
func (s *Session) Run(rows int, passes []Pass) error {
	if err := s.layout.checkRun(rows, passes, s.last, len(s.programs)); err != nil {
		return err
	}
	awaitTurn()
	if err := s.worker.ended(); err != nil {
		return err
	}
	calls := make([]any, 0, len(passes))
	for _, pass := range passes {
		if p := &s.programs[pass.Program]; p.count > 0 {
			calls = append(calls, []any{"run", p.at, p.count, s.memory, pass.First, s.scratch})
		}
	}
	s.move(rows, s.layout.Inputs, s.inputs, func(numbers []float32, bytes js.Value) { js.CopyBytesToJS(bytes, bytesOf(numbers)) })
	a := s.worker.ask(map[string]any{"calls": calls, "writes": s.places(rows, s.layout.Inputs), "reads": s.places(rows, s.layout.Outputs)}, s.buffer)
	if a.buffer.Truthy() {
		s.buffer = a.buffer
	}
	if a.err != nil {
		return a.err
	}
	for _, status := range a.results {
		if status != 0 {
			return errMemory
		}
	}
	s.move(rows, s.layout.Outputs, s.outputs, func(numbers []float32, bytes js.Value) { js.CopyBytesToGo(bytesOf(numbers), bytes) })
	return nil
}

// places lists, for each operand, the address of its rows in the worker and their length in bytes.
func (s *Session) places(rows int, side []Operand) []any {
	var all []any
	for _, o := range side {
		all = append(all, s.memory+4*uint32(o.At), 4*rows*o.Row)
	}
	return all
}

// move calls by, which copies one way or the other, for the rows of each operand and their place in the buffer.
func (s *Session) move(rows int, side []Operand, numbers [][]float32, by func(numbers []float32, bytes js.Value)) {
	at, class := 0, js.Global().Get("Uint8Array")
	for i, o := range side {
		by(numbers[i][:rows*o.Row], class.New(s.buffer, at, 4*rows*o.Row))
		at += 4 * rows * o.Row
	}
}

// Close frees all but Inputs and Outputs.
func (s *Session) Close() {
	if s.worker == nil {
		return
	}
	var calls []any
	for _, p := range s.programs {
		calls = append(calls, []any{"steps_drop", p.at})
	}
	for _, l := range s.layers {
		if l.at != 0 {
			calls = append(calls, []any{"layer_drop", l.at})
		}
	}
	calls = append(calls, []any{"give", s.memory}, []any{"scratch_drop", s.scratch})
	_ = s.worker.ask(map[string]any{"calls": calls}, js.Undefined()) // a worker that has ended has freed everything
	workers.Lock()
	s.worker.sessions--
	workers.Unlock()
	s.worker = nil
}
