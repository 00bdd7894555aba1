package bench

import (
	"context"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
)

// Raw measures the network alone: it runs full batches on all sessions at once.
type Raw struct {
	backends []nn.Backend
	batch    int
}

// OpenRaw opens the sessions and fills their batches with positions.
func OpenRaw(m nn.Model, games []*board.Game, sessions, batch int) (*Raw, error) {
	size := games[0].Size()
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	codec, err := nn.NewCodec(spec, size)
	if err != nil {
		return nil, err
	}
	pool := &Raw{batch: batch}
	for range sessions {
		if err := pool.add(m, games, spec, codec); err != nil {
			pool.Close()
			return nil, err
		}
	}
	return pool, nil
}

// add opens a session and runs it once, so that it is warm.
func (p *Raw) add(m nn.Model, games []*board.Game, spec nn.Spec, codec *nn.Codec) error {
	began := time.Now()
	b, err := m.Open(games[0].Size(), p.batch)
	if err != nil {
		return err
	}
	p.backends = append(p.backends, b)
	opened, scratch := time.Since(began), codec.NewScratch()
	for row, inputs := range nn.Rows(spec.Inputs, b.Inputs(), p.batch) {
		q := nn.Query{Game: games[row%len(games)], Meta: &features.Amateurs}
		if err := codec.Encode(&q, 0, inputs, scratch); err != nil {
			return err
		}
	}
	return nn.FirstRun(b, p.batch, opened)
}

func (p *Raw) Close() {
	for _, b := range p.backends {
		b.Close()
	}
}

// Rate runs batches for length and returns evaluations per second.
func (p *Raw) Rate(ctx context.Context, length time.Duration) (float64, error) {
	var wg sync.WaitGroup
	counts := make([]int, len(p.backends))
	errs := make([]error, len(p.backends))
	start := time.Now()
	for i, b := range p.backends {
		wg.Go(func() {
			for time.Since(start) < length && ctx.Err() == nil && errs[i] == nil {
				errs[i] = b.Run(p.batch)
				counts[i] += p.batch
			}
		})
	}
	wg.Wait()
	seconds := time.Since(start).Seconds()
	total := 0
	for i := range counts {
		if errs[i] != nil {
			return 0, errs[i]
		}
		total += counts[i]
	}
	return float64(total) / seconds, ctx.Err()
}
