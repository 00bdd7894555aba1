package doctor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/nn/ort"
)

// rival is a provider whose speed is measured.
type rival struct {
	provider string
	backend  nn.Backend
	runs     int       // in a sample
	samples  []float64 // seconds a run
}

// rounds is how many samples of each are taken, in turns.
const rounds = 7

// examineSpeed measures the kernels alone against onnxruntime's CPU, where both serve the
// network and one of them is what runs it.
func examineSpeed(c Config, running string) []Finding {
	if running != model.Kernel && running != ort.CPU {
		return nil
	}
	if _, loaded := ort.Loaded(); !loaded {
		return nil
	}
	rivals := []*rival{{provider: model.Kernel}, {provider: ort.CPU}}
	for _, r := range rivals {
		if err := r.open(c); err != nil {
			return nil
		}
		defer r.backend.Close()
	}
	for range rounds {
		for _, r := range rivals {
			if err := r.sample(); err != nil {
				return []Finding{{What: "speed", Found: err.Error()}}
			}
		}
	}
	var ratios []float64
	for i := range rounds {
		ratios = append(ratios, rivals[1].samples[i]/rivals[0].samples[i])
	}
	slices.Sort(ratios)
	ratio := ratios[len(ratios)/2]
	f := Finding{What: "speed", OK: true, Found: fmt.Sprintf("on one core %s computes %.2f times as many positions of %dx%d a second as %s",
		model.Kernel, ratio, c.Size.W, c.Size.H, ort.CPU)}
	if ratio < 0.95 && running == model.Kernel {
		f.Advice = "--provider cpu is faster here"
	} else if ratio > 1.05 && running == ort.CPU {
		f.Advice = "--provider kernel is faster here"
	}
	return []Finding{f}
}

// open makes a session, with planes of zeros and ones in it.
func (r *rival) open(c Config) error {
	conf := c.Open
	conf.Provider = r.provider
	m, err := model.Open(c.Model, conf)
	if err != nil {
		return err
	}
	defer m.Close()
	if r.backend, err = m.Open(c.Size, 1); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 0))
	for _, in := range r.backend.Inputs() {
		for i := range in {
			in[i] = float32(rng.IntN(8) / 7)
		}
	}
	const least = 20 * time.Millisecond // of a sample
	for r.runs = 1; ; r.runs *= 2 {
		start := time.Now()
		if err := r.run(); err != nil {
			return err
		}
		if time.Since(start) >= least {
			return nil
		}
	}
}

func (r *rival) run() error {
	for range r.runs {
		if err := r.backend.Run(1); err != nil {
			return err
		}
	}
	return nil
}

func (r *rival) sample() error {
	start := time.Now()
	err := r.run()
	r.samples = append(r.samples, time.Since(start).Seconds()/float64(r.runs))
	return err
}
