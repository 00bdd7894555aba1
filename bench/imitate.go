package bench

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
)

// Device is how long a device takes for a batch: Fixed, and Each for each of its
// positions. It stands in for one that is not at hand, so that a search over it can be
// measured: see [Device.Imitate].
type Device struct{ Fixed, Each time.Duration }

// longest bounds both times of a Device.
const longest = 10 * time.Second

// ParseDevice reads a device, by its two times, as in "300us+2.3us", or by what it was
// measured to make: "RATE" positions a second whatever the batch, or
// "RATE@BATCH,RATE@BATCH" in batches of two sizes, to which the times are fitted.
func ParseDevice(text string) (Device, error) {
	d, err := parseTimes(text)
	if !strings.Contains(text, "+") {
		d, err = parseRates(text)
	}
	if err == nil && (d.Fixed < 0 || d.Each < 0 || d.Fixed+d.Each <= 0 || d.Fixed > longest || d.Each > longest) {
		err = fmt.Errorf("%v for a batch and %v for each position cannot be", d.Fixed, d.Each)
	}
	if err != nil {
		return Device{}, fmt.Errorf("%q is not a device (%w): give two times, 300us+2.3us, or rates, 20000 or 9000@8,290000@256", text, err)
	}
	return d, nil
}

func parseTimes(text string) (d Device, err error) {
	fixed, each, _ := strings.Cut(text, "+")
	if d.Fixed, err = time.ParseDuration(fixed); err != nil {
		return d, errors.New("the time of a batch cannot be read")
	}
	if d.Each, err = time.ParseDuration(each); err != nil {
		return d, errors.New("the time of a position cannot be read")
	}
	return d, nil
}

// parseRates solves batch/rate = fixed + batch*each.
func parseRates(text string) (d Device, err error) {
	var batches, seconds []float64
	for part := range strings.SplitSeq(text, ",") {
		rate, batch, sized := strings.Cut(part, "@")
		r, err := strconv.ParseFloat(rate, 64)
		if err != nil || !(r > 0 && r <= 1e9) {
			return d, errors.New("a rate is 1 to 1000000000 positions a second")
		}
		b := 1.0
		if sized {
			if b, err = strconv.ParseFloat(batch, 64); err != nil || !(b >= 1 && b <= 65536) {
				return d, errors.New("a batch is 1 to 65536")
			}
		}
		batches, seconds = append(batches, b), append(seconds, b/r)
	}
	each, fixed := seconds[0]/batches[0], 0.0
	switch {
	case len(batches) > 2:
		return d, errors.New("two rates settle it")
	case len(batches) == 2 && batches[0] == batches[1]:
		return d, errors.New("the two batches are the same")
	case len(batches) == 2:
		each = (seconds[1] - seconds[0]) / (batches[1] - batches[0])
		fixed = seconds[0] - each*batches[0]
	}
	whole := func(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }
	return Device{whole(fixed), whole(each)}, nil
}

// String returns the form with two times.
func (d Device) String() string { return fmt.Sprintf("%v+%v", d.Fixed, d.Each) }

// time returns what a batch takes.
func (d Device) time(rows int) time.Duration { return d.Fixed + time.Duration(rows)*d.Each }

// Imitate returns a network that takes positions as m does and answers as late as the
// device would. It computes nothing: values follow from the stones and move little by a
// stone, policies have a few good moves that change with each stone, so that a search's
// tree is of a usual shape. All its sessions share the one device, which computes
// one batch after the other; a batch is rounded up to three binary digits, as sessions of
// real devices do. An instrument, of no use for play.
func (d Device) Imitate(m nn.Model) nn.Model {
	return &imitation{Model: m, device: d}
}

type imitation struct {
	nn.Model
	device Device

	mu   sync.Mutex
	free time.Time // when the device has done all that was given to it
}

// Describe implements [nn.Model].
func (m *imitation) Describe() nn.Description {
	d := m.Model.Describe()
	d.Provider, d.Precision, d.Why = "an imitated device of "+m.device.String(), "nothing computed", "to measure a search"
	return d
}

// Spec implements [nn.Model]: policies are logits here.
func (m *imitation) Spec(size board.Size) (nn.Spec, error) {
	spec, err := m.Model.Spec(size)
	spec.Policy = nn.PolicyLogits
	return spec, err
}

// Open implements [nn.Model].
func (m *imitation) Open(size board.Size, maxBatch int) (nn.Backend, error) {
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	memory := func(tensors []nn.TensorSpec) (all [][]float32) {
		for i := range tensors {
			all = append(all, make([]float32, tensors[i].Len()*maxBatch))
		}
		return all
	}
	b := &imitated{model: m, spec: spec, most: maxBatch, in: memory(spec.Inputs), out: memory(spec.Outputs)}
	b.rows, b.answers = nn.Rows(spec.Inputs, b.in, maxBatch), nn.Rows(spec.Outputs, b.out, maxBatch)
	b.draw(size)
	return b, nil
}

// begin gives the device a batch and returns when it is done.
func (m *imitation) begin(rows int) time.Time {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.free.Before(now) {
		m.free = now
	}
	m.free = m.free.Add(m.device.time(rows))
	return m.free
}

// imitated is a session of an imitation.
type imitated struct {
	model         *imitation
	spec          nn.Spec
	most          int
	in, out       [][]float32
	rows, answers [][][]float32

	own, other int       // first values of the planes of stones
	weights    []float32 // of each point in the value
	logits     []float32 // policies begin anywhere in it
}

// logitsLength is a power of two.
const logitsLength = 1 << 14

// draw makes up weights and policies, the same each time.
func (b *imitated) draw(size board.Size) {
	area := size.Area()
	b.own, b.other = area, 2*area // behind the plane of the board itself
	switch b.spec.Encoding {
	case features.Mini7, features.Seed22, features.AGZ17:
		b.own, b.other = 0, area
	case features.AGZ17Split:
		b.own, b.other = 0, 8*area
	}
	b.weights, b.logits = make([]float32, area), make([]float32, logitsLength+board.MaxMoves)
	for i := range b.weights {
		x, y := i%size.W, i/size.W
		edge := uint64(min(x, size.W-1-x)*32 + min(y, size.H-1-y)) // mirrored points weigh the same
		b.weights[i] = 0.4 * (unit(edge) - 0.5)
	}
	for i := range b.logits {
		// Some two moves of weight 1, whatever the size of the board.
		b.logits[i] = max(-12, float32(area)/2*float32(math.Log(float64(unit(uint64(i)+1<<32))+1e-9)))
	}
}

// unit returns a number in [0,1) that follows from x (the finalizer of SplitMix64).
func unit(x uint64) float32 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float32((x^x>>31)>>40) / (1 << 24)
}

// MaxBatch implements [nn.Backend].
func (b *imitated) MaxBatch() int { return b.most }

// Inputs implements [nn.Backend].
func (b *imitated) Inputs() [][]float32 { return b.in }

// Outputs implements [nn.Backend].
func (b *imitated) Outputs() [][]float32 { return b.out }

// Run implements [nn.Backend].
func (b *imitated) Run(n int) error {
	done := b.model.begin(min(b.most, nn.Shape(n)))
	for row := range n {
		b.answer(b.rows[row], b.answers[row])
	}
	sleepUntil(done)
	return nil
}

// Close implements [nn.Backend].
func (b *imitated) Close() error { return nil }

// answer fills in the answers to a row.
func (b *imitated) answer(in, out [][]float32) {
	value := float32(0)
	for i := range b.spec.Inputs {
		if b.spec.Inputs[i].Role == nn.RoleSpatial {
			own, other := in[i][b.own:], in[i][b.other:]
			for p, w := range b.weights {
				value += w * (own[p] - other[p])
			}
		}
	}
	from := int(math.Float32bits(value)*0x9e3779b1>>8) & (logitsLength - 1)
	for i := range b.spec.Outputs {
		o := out[i]
		switch b.spec.Outputs[i].Role {
		case nn.RolePolicy:
			copy(o, b.logits[from:])
		case nn.RolePass:
			for k := range o {
				o[k] = -12
			}
		case nn.RoleValue:
			o[0] = value
			if len(o) == 1 {
				o[0] = float32(math.Tanh(float64(value)))
			} else {
				o[1], o[2] = -value, -12
			}
		case nn.RoleScore, nn.RoleScoreValue:
			for k := range o {
				o[k] = 0.1 * value
			}
		}
	}
}
