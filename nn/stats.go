package nn

import (
	"math"
	"sync/atomic"
	"time"

	"kosumi/nn/features"
)

// Stats counts what a [Server] has done since it was made.
type Stats struct {
	Rows, Batches uint64
	Hits, Misses  uint64 // cache hits and misses; queries that skip the cache count as neither
	// Invalid counts evaluations with NaN or infinite outputs, which were
	// replaced (see [Codec.Decode]).
	Invalid uint64
	// RunTime is the time spent inside Backend.Run, summed over sessions.
	RunTime time.Duration
}

// MeanBatch returns the mean number of rows in a batch, 0 before the first.
func (s *Stats) MeanBatch() float64 {
	if s.Batches == 0 {
		return 0
	}
	return float64(s.Rows) / float64(s.Batches)
}

// HitRate returns the share of cache look-ups that were answered, 0..1.
func (s *Stats) HitRate() float64 {
	if n := s.Hits + s.Misses; n > 0 {
		return float64(s.Hits) / float64(n)
	}
	return 0
}

// Sub returns the counts since an earlier reading.
func (s Stats) Sub(earlier Stats) Stats {
	return Stats{Rows: s.Rows - earlier.Rows, Batches: s.Batches - earlier.Batches, Hits: s.Hits - earlier.Hits,
		Misses: s.Misses - earlier.Misses, Invalid: s.Invalid - earlier.Invalid, RunTime: s.RunTime - earlier.RunTime}
}

// Stats reads the counters. Each is exact, but while queries run they need not be from the same
// instant.
func (s *Server) Stats() Stats {
	c := &s.stats
	return Stats{Rows: c.rows.Load(), Batches: c.batches.Load(), Hits: c.hits.Load(), Misses: c.misses.Load(),
		Invalid: c.invalid.Load(), RunTime: time.Duration(c.runTime.Load())}
}

// counters are the counters behind Stats. Padding keeps those that sessions write for each batch and
// those that callers write on different cache lines.
type counters struct {
	rows, batches atomic.Uint64
	runTime       atomic.Int64
	_             [40]byte
	hits, misses  atomic.Uint64
	invalid       atomic.Uint64
}

func (c *counters) ran(rows int, took time.Duration) {
	c.rows.Add(uint64(rows))
	c.batches.Add(1)
	c.runTime.Add(int64(took))
}

// mixMeta folds a profile into a cache key.
func mixMeta(k cacheKey, m *features.Meta) cacheKey {
	for _, p := range [2]*features.Player{&m.Black, &m.White} {
		x := uint64(p.Rank) << 1
		if p.Human {
			x |= 1
		}
		k = k.mix(x)
	}
	k = k.mix(uint64(m.Rated) | uint64(m.Time)<<8 | uint64(m.Source)<<16)
	k = k.mix(math.Float64bits(m.MainSeconds))
	k = k.mix(math.Float64bits(m.PeriodSeconds))
	return k.mix(uint64(m.Periods)).mix(uint64(m.Days))
}
