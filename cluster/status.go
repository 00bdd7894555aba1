package cluster

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sort"
	"sync"
	"time"
)

// tally counts uploads by verdict.
type tally struct {
	mu      sync.Mutex
	counts  counts
	reasons []Rejection     // latest rejections
	lags    []time.Duration // latest times from the arrival of an upload to the answer
}

// Rejection is a refused game.
type Rejection struct {
	Time   time.Time `json:"time"`
	Worker string    `json:"worker"`
	Reason string    `json:"reason"`
}

func (t *tally) count(worker string, r receipt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts.add(r.Verdict); r.Verdict != rejected {
		return
	}
	t.reasons = appendLast(20, t.reasons, Rejection{time.Now().UTC().Truncate(time.Second), publicName(worker), r.Reason})
}

func (t *tally) lag(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lags = appendLast(4096, t.lags, d)
}

// appendLast appends a value to a list and keeps the last ones, at most n.
func appendLast[T any](n int, list []T, v T) []T {
	return append(list[max(0, len(list)-n+1):], v)
}

// quantile returns the q-quantile of sorted times in seconds, 0 if there are no times.
func quantile(sorted []time.Duration, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))].Seconds()
}

// Status describes a cluster.
type Status struct {
	Run     string  `json:"run"`
	Version string  `json:"version"`
	Seconds float64 `json:"seconds"` // seconds since the server began
	Network string  `json:"network"`
	Offer   string  `json:"offer"`
	Wanted  int64   `json:"rows_wanted"` // rows still wanted; at 0 no numbers are leased
	GameStatus
	Spending

	Workers []WorkerStatus    `json:"workers"`
	Aside   map[string]string `json:"set_aside"`
	Reasons []Rejection       `json:"last_rejected"`
}

// GameStatus counts games since the server began, and those under way.
type GameStatus struct {
	Stored   int64   `json:"stored"`
	Rate     float64 `json:"games_per_hour"`
	Doubles  int64   `json:"duplicate"`
	Rejected int64   `json:"rejected"`
	Later    int64   `json:"later"`
	Out      int     `json:"leased"`
	Gating   int     `json:"gating_games"` // unfinished games of the gating match
	Queue    int     `json:"queue"`
	LagP50   float64 `json:"lag_p50_seconds"`
	LagP99   float64 `json:"lag_p99_seconds"`
}

// Spending is the time that all workers together have used since the server began, as they
// report it. Cost is in the unit of their prices; 0 if no worker has a price.
type Spending struct {
	WorkerHours    float64 `json:"worker_hours"`
	ProcessorHours float64 `json:"processor_hours"`
	Cost           float64 `json:"cost"`
}

// WorkerStatus describes a worker.
type WorkerStatus struct {
	ID string `json:"id"`
	Card
	counts
	Seen    float64 `json:"seen_seconds_ago"`
	Rate    float64 `json:"games_per_hour"`
	Spooled int     `json:"spooled"`
}

// Status returns the status of the cluster.
func (s *Server) Status() Status {
	s.mu.Lock()
	st := Status{Run: s.leases.disk.Run, Version: s.conf.Version, Aside: maps.Clone(s.roster.banned), Spending: s.spent,
		GameStatus: GameStatus{Out: len(s.leases.out), Gating: len(s.gate.games), Queue: s.games.len() + len(s.checked)}}
	if o := s.leases.present(); o != nil {
		st.Network, st.Offer = o.Network, o.ID
	}
	for id, w := range s.roster.members {
		ws := WorkerStatus{ID: id, Card: w.card, counts: w.games, Seen: s.conf.Now().Sub(w.seen).Seconds(), Spooled: w.last.Spooled}
		if w.last.Time > 0 {
			ws.Rate = float64(w.last.Games) / w.last.Time * 3600
		}
		st.Workers = append(st.Workers, ws)
	}
	s.mu.Unlock()
	st.Wanted = s.conf.Host.Wanted()
	st.Seconds = time.Since(s.began).Seconds()
	t := &s.tally
	t.mu.Lock()
	lags := slices.Sorted(slices.Values(t.lags))
	st.Stored, st.Doubles, st.Rejected, st.Later = t.counts.Stored, t.counts.Duplicate, t.counts.Rejected, t.counts.Later
	st.Reasons = slices.Clone(t.reasons)
	t.mu.Unlock()
	st.LagP50, st.LagP99 = quantile(lags, 0.5), quantile(lags, 0.99)
	st.Rate = float64(st.Stored) / st.Seconds * 3600
	sort.Slice(st.Workers, func(i, k int) bool { return st.Workers[i].ID < st.Workers[k].ID })
	return st
}

// add adds what a worker has used since its last beat, at most the time that the server has measured.
func (s *Spending) add(w *member, b *beat, since time.Duration) {
	if b.Time < w.last.Time { // the worker has restarted
		w.last.Time, w.last.Processor = 0, 0
	}
	hours := min(b.Time-w.last.Time, since.Seconds()+20) / 3600
	if hours <= 0 {
		return
	}
	s.WorkerHours += hours
	s.ProcessorHours += max(0, min(b.Processor-w.last.Processor, 4096*3600*hours)) / 3600
	s.Cost += hours * max(0, min(w.card.Price, 1e6))
}

// Public returns the status that anyone may see: with shortened ids, at most mostShown workers, and
// at most as many banned ones.
func (st Status) Public() *Status {
	st.Workers = slices.Clone(st.Workers)
	st.Workers = st.Workers[:min(len(st.Workers), mostShown)]
	for i := range st.Workers {
		st.Workers[i].ID = publicName(st.Workers[i].ID)
	}
	aside := map[string]string{}
	for id, reason := range st.Aside {
		if len(aside) < mostShown {
			aside[publicName(id)] = reason
		}
	}
	st.Aside = aside
	return &st
}

const mostShown = 1000

// shown caches the public status for a second.
type shown struct {
	mu   sync.Mutex
	at   time.Time
	text []byte
}

// status answers a request for the public status over NATS.
func (s *Server) status(c *call) {
	s.shown.mu.Lock()
	defer s.shown.mu.Unlock()
	if time.Since(s.shown.at) > time.Second {
		st := s.Status()
		p := st.Public()
		s.shown.text, s.shown.at = pack(p), time.Now()
		for len(s.shown.text) > maxGame && len(p.Workers) > 0 { // long names may exceed the largest message
			p.Workers = p.Workers[:len(p.Workers)/2]
			s.shown.text = pack(p)
		}
	}
	if c.reply != "" {
		s.conn.nats.Publish(c.reply, s.shown.text)
	}
}

// ServeHTTP writes the metrics in Prometheus' text format.
func (s *Server) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	st := s.Status()
	st.WriteMetrics(w)
}

// WriteMetrics writes a status in Prometheus' text format.
func (st *Status) WriteMetrics(w io.Writer) {
	for _, m := range []struct {
		name, kind, help string
		value            float64
	}{
		{"kosumi_games_stored_total", "counter", "Games that were stored.", float64(st.Stored)},
		{"kosumi_games_duplicate_total", "counter", "Games that were uploaded more than once.", float64(st.Doubles)},
		{"kosumi_games_rejected_total", "counter", "Games that were rejected.", float64(st.Rejected)},
		{"kosumi_uploads_deferred_total", "counter", "Uploads that were deferred.", float64(st.Later)},
		{"kosumi_games_leased", "gauge", "Numbers of games that workers hold.", float64(st.Out)},
		{"kosumi_rows_wanted", "gauge", "Rows of games that may come in now; at 0 no games are handed out.", float64(st.Wanted)},
		{"kosumi_queue_length", "gauge", "Uploads that wait to be checked or filed.", float64(st.Queue)},
		{"kosumi_workers", "gauge", "Workers at work.", float64(len(st.Workers))},
		{"kosumi_gating_games", "gauge", "Games of the gating match, to be played or under way.", float64(st.Gating)},
		{"kosumi_worker_hours_total", "counter", "Hours of workers, as they say.", st.WorkerHours},
		{"kosumi_processor_hours_total", "counter", "Hours of their processors.", st.ProcessorHours},
		{"kosumi_cost_total", "counter", "What workers cost, in the unit of their prices.", st.Cost},
		{"kosumi_workers_set_aside", "gauge", "Workers whose games are not taken.", float64(len(st.Aside))},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %g\n", m.name, m.help, m.name, m.kind, m.name, m.value)
	}
	fmt.Fprintf(w, "# HELP kosumi_lag_seconds From an upload's arrival to its receipt.\n# TYPE kosumi_lag_seconds summary\n")
	fmt.Fprintf(w, "kosumi_lag_seconds{quantile=\"0.5\"} %g\nkosumi_lag_seconds{quantile=\"0.99\"} %g\n", st.LagP50, st.LagP99)
}

// AskStatus asks a cluster for its status.
func AskStatus(ctx context.Context, c DialConfig, patience time.Duration) (*Status, error) {
	conn, err := Dial(c)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.reach(patience); err != nil {
		return nil, err
	}
	return ask[Status](ctx, conn, verbStatus, nil, patience)
}
