package rows

import "fmt"

// Prefetch reads one batch ahead while a step runs.
type Prefetch struct {
	batches [2]Batch
	turn    int
	ready   chan error
}

// Start begins to read the next batch. The stream must not be used until Get or End.
func (p *Prefetch) Start(s Stream) {
	p.turn ^= 1
	b, ready := &p.batches[p.turn], make(chan error, 1)
	p.ready = ready
	go func() { ready <- s.Next(b) }()
}

// Get returns the next batch.
func (p *Prefetch) Get(s Stream) (*Batch, error) {
	if p.ready == nil {
		p.Start(s)
	}
	err := <-p.ready
	p.ready = nil
	if err != nil {
		return nil, fmt.Errorf("training data: %w", err)
	}
	return &p.batches[p.turn], nil
}

// End waits for a batch that was started, and drops it. Afterwards the stream may be closed.
func (p *Prefetch) End() {
	if p.ready != nil {
		<-p.ready
		p.ready = nil
	}
}
