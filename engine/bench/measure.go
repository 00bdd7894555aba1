package bench

import (
	"context"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/search"
)

// Setup is a network and the positions to measure it on. A [Plan] adds the sessions, batch size and
// parallel evaluations.
type Setup struct {
	Model  nn.Model
	Server nn.ServerConfig
	Games  []*board.Game
	Params search.Params
	Rounds int
	Length time.Duration // duration of one measurement
}

// Speed is how fast a network is, alone and in search. Rates are medians of several rounds. Each
// round measures both, so that changes in the machine's speed favour neither.
type Speed struct {
	RawEvals    float64 `json:"raw_evals_per_second"`
	SearchEvals float64 `json:"search_evals_per_second"`
	Visits      float64 `json:"visits_per_second"`
	Ratio       float64 `json:"search_to_raw"` // median of the ratios in each round
	// RawMicros and SearchMicros are microseconds of processor time per evaluation, of the
	// network alone and in search; other programs on the machine hardly change them.
	// ProcessorRatio is the median of the rounds' ratios. 0 where processor time is unknown.
	RawMicros      float64 `json:"raw_processor_microseconds"`
	SearchMicros   float64 `json:"search_processor_microseconds"`
	ProcessorRatio float64 `json:"search_to_raw_by_processor_time"`
}

// Work holds statistics of a benchmark's searches.
type Work struct {
	MeanBatch    float64 `json:"mean_batch"`
	CacheHitRate float64 `json:"cache_hit_rate"`
	Collisions   float64 `json:"collision_rate"`               // descents given up at a position that was being evaluated
	OwnMicros    float64 `json:"own_microseconds_per_playout"` // time of the tree's work, without the network and waiting
	BytesPerNode float64 `json:"bytes_per_visit"`
	PeakRSS      int64   `json:"peak_rss_bytes"`
}

// Serve opens a server as the plan says. The caller closes it.
func (s *Setup) Serve(p Plan) (*nn.Server, error) {
	conf := s.Server
	conf.Meta = &features.Amateurs
	conf.Sessions, conf.MaxBatch = p.Sessions, p.Batch
	server, err := nn.NewServer(s.Model, conf)
	if err != nil {
		return nil, err
	}
	if err := server.Warm(s.Games[0].Size()); err != nil {
		server.Close()
		return nil, err
	}
	return server, nil
}

// Search returns a measurement that searches the positions with a number of parallel evaluations.
func (s *Setup) Search(server *nn.Server, workers int) *Search {
	run := &Search{Server: server, Games: s.Games, Params: s.Params}
	run.Params.Parallel.Workers = workers
	return run
}

// Measure measures in turn the network alone, with the sessions and batch size of p, and the searches of run.
func (s *Setup) Measure(ctx context.Context, p Plan, run *Search) (speed Speed, work Work, err error) {
	pool, err := OpenRaw(s.Model, s.Games, p.Sessions, p.Batch)
	if err != nil {
		return speed, work, err
	}
	defer pool.Close()
	var raw, evals, visits, ratios, rawMicros, searchMicros, byProcessor []float64
	for range s.Rounds {
		alone := startStopwatch()
		r, err := pool.Rate(ctx, s.Length)
		if err != nil {
			return speed, work, err
		}
		aloneMicros := alone.micros(r)
		searching := startStopwatch()
		v, e, err := run.Rate(ctx, s.Length)
		if err != nil {
			return speed, work, err
		}
		raw, evals, visits, ratios = append(raw, r), append(evals, e), append(visits, v), append(ratios, e/r)
		if m := searching.micros(e); m > 0 && aloneMicros > 0 {
			rawMicros, searchMicros, byProcessor = append(rawMicros, aloneMicros), append(searchMicros, m), append(byProcessor, aloneMicros/m)
		}
	}
	speed = Speed{Median(raw), Median(evals), Median(visits), Median(ratios), Median(rawMicros), Median(searchMicros), Median(byProcessor)}
	stats := run.Server.Stats()
	work = Work{
		MeanBatch: stats.MeanBatch(), CacheHitRate: stats.HitRate(),
		OwnMicros:    float64(run.Own.Microseconds()) / float64(max(run.Playouts, 1)),
		Collisions:   float64(run.Collisions) / float64(max(run.Collisions+run.Playouts, 1)),
		BytesPerNode: run.BytesPerNode, PeakRSS: peakRSS(),
	}
	return speed, work, nil
}

// stopwatch is a point in time, and the processor time spent until then.
type stopwatch struct {
	began time.Time
	spent time.Duration
}

func startStopwatch() stopwatch { return stopwatch{time.Now(), nn.ProcessorTime()} }

// micros returns microseconds of processor time per evaluation since the stopwatch was started;
// rate is evaluations per second.
func (w stopwatch) micros(rate float64) float64 {
	spent := (nn.ProcessorTime() - w.spent).Microseconds()
	return float64(spent) / max(1, rate*time.Since(w.began).Seconds())
}
