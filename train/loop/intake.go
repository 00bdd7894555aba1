package loop

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"kosumi/nn/features"
	"kosumi/train/selfplay"
)

// intake stores a loop's games, from this machine and from an exchange, and lists new files until
// the loop adds them to its ledger. Safe for concurrent use.
type intake struct {
	dir string // folder of the loop

	filing  sync.Mutex // held while games are filed
	writers map[string]*selfplay.Writer
	numbers selfplay.Filing
	reads   features.Encoding

	mu      sync.Mutex
	arrived []selfplay.FileInfo
	goal    int64         // number of games at which the bootstrap ends; -1: it is over
	filed   int64         // number of games so far
	shared  bool          // files store game IDs, for an exchange
	news    chan struct{} // capacity 1
	most    atomic.Int64  // maximum number of rows that may wait for the ledger
	wait    atomic.Int64  // rows waiting for the ledger
}

func newIntake(dir string, next uint64, shared bool) *intake {
	return &intake{dir: dir, numbers: selfplay.Filing{Next: next}, shared: shared, news: make(chan struct{}, 1)}
}

// begin sets the encoding of the rows.
func (in *intake) begin(reads features.Encoding) {
	in.filing.Lock()
	defer in.filing.Unlock()
	in.reads, in.writers = reads, map[string]*selfplay.Writer{}
}

// written adds a file of self-play to the list.
func (in *intake) written(d selfplay.FileInfo) {
	if !in.shared {
		d.IDs = nil
	}
	in.mu.Lock()
	in.arrived = append(in.arrived, d)
	in.filed += int64(d.Games)
	in.mu.Unlock()
	in.wait.Add(int64(d.Rows))
	select {
	case in.news <- struct{}{}:
	default:
	}
}

// take returns the files written since the last call.
func (in *intake) take() []selfplay.FileInfo {
	in.mu.Lock()
	defer in.mu.Unlock()
	arrived := in.arrived
	in.arrived = nil
	for _, d := range arrived {
		in.wait.Add(-int64(d.Rows))
	}
	return arrived
}

// bound sets the maximum number of waiting rows, and the number of games at which the bootstrap
// ends (-1: it is over); games is the number in the ledger.
func (in *intake) bound(mostRows, games, goal int64) {
	in.most.Store(mostRows)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.goal, in.filed = goal, games
	for _, d := range in.arrived {
		in.filed += int64(d.Games)
	}
}

// left returns the games that remain of the bootstrap; unbounded is true after the bootstrap.
func (in *intake) left() (games int64, unbounded bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return max(0, in.goal-in.filed), in.goal < 0
}

// wanted returns the number of rows that may be filed now.
func (in *intake) wanted() int64 { return max(0, in.most.Load()-in.wait.Load()) }

// file writes games that were played for w into the loop's folder.
func (in *intake) file(w Work, games []*selfplay.Finished) ([]error, error) {
	in.filing.Lock()
	defer in.filing.Unlock()
	key := fmt.Sprint(w.Network, w.SHA256, w.Recipe)
	writer := in.writers[key]
	if writer == nil {
		var err error
		writer, err = selfplay.NewWriter(selfplay.WriterConfig{Dir: filepath.Join(in.dir, "selfplay", w.Network), Encoding: in.reads,
			Side: w.Recipe.Side(), PerFile: 1 << 20, Filing: &in.numbers, Network: w.Network,
			SHA256: w.SHA256, Seed: w.Seed, Settings: w.Recipe, Written: in.written})
		if err != nil {
			return nil, err
		}
		if len(in.writers) > 8 {
			clear(in.writers)
		}
		in.writers[key] = writer
	}
	faults := make([]error, len(games))
	for i, f := range games {
		_, faults[i] = writer.Add(f)
	}
	if err := writer.Flush(); err != nil {
		writer.Discard()
		return nil, err
	}
	return faults, nil
}
