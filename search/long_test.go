package search

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/nn"
)

var (
	longVisits = flag.Int64("search.visits", 20_000, "visits of TestSoakOfOneTree")
	longSize   = flag.Int("search.size", 19, "board of TestSoakOfOneTree")
	longMemory = flag.Int64("search.memory", 16<<10, "memory limit of TestSoakOfOneTree in MiB")
	longPreset = flag.String("search.preset", "katago", "settings of TestSoakOfOneTree: katago, plain or tutorial")
)

// TestSoakOfOneTree grows one tree from the empty board with an evaluator that costs almost
// nothing. At each power of ten of visits it logs time and memory per visit and the garbage collector's pauses.
// It is small by default; the measurement takes minutes:
//
//	go test ./search -run SoakOfOneTree -search.visits 5000000 -v -timeout 1h
func TestSoakOfOneTree(t *testing.T) {
	p, err := Preset(*longPreset)
	require.NoError(t, err)
	p.Memory.MaxBytes = *longMemory << 20
	area := *longSize * *longSize
	tree := treeAt(t, p, newQuick(area), newGame(t, *longSize))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var last debug.GCStats
	debug.ReadGCStats(&last)
	longest := time.Duration(0)
	done := int64(0)
	for goal := int64(1000); done < *longVisits; goal *= 10 {
		goal = min(goal, *longVisits)
		began := nn.ProcessorTime()
		r := searchedWith(t, tree, Limits{Visits: goal})
		new := r.Root.Visits - done
		done = r.Root.Visits
		var gc debug.GCStats
		debug.ReadGCStats(&gc)
		for k := range min(len(gc.Pause), int(gc.NumGC-last.NumGC)) {
			longest = max(longest, gc.Pause[k])
		}
		last = gc
		t.Logf("%9d visits: %6.0f ns of processor time a visit (%.0f by the clock); depth %.1f; %6.1f bytes a visit in use, tree %s of %s; longest pause %v of %d collections",
			done, perVisit(nn.ProcessorTime()-began, new), perVisit(r.Stats.Elapsed, new), r.Stats.MeanDepth(),
			float64(r.Stats.Bytes)/float64(done), mebibytes(tree.Bytes()), mebibytes(p.Memory.MaxBytes), longest, gc.NumGC)
		require.LessOrEqual(t, tree.Bytes(), p.Memory.MaxBytes)
		if r.Stop == StopMemory {
			t.Logf("the memory limit ended the search")
			break
		}
		require.Equal(t, goal, done)
	}
	runtime.ReadMemStats(&after) // before requireSound, which takes memory too
	t.Logf("heap in use %s, taken from the system %s", mebibytes(int64(after.HeapInuse)), mebibytes(int64(after.Sys)))
	// The heap holds little but the tree.
	require.Less(t, int64(after.HeapInuse)-int64(before.HeapInuse), tree.Bytes()+tree.Bytes()/8+64<<20)
	requireSound(t, tree)
}

func perVisit(d time.Duration, n int64) float64 { return float64(d.Nanoseconds()) / float64(max(n, 1)) }

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
