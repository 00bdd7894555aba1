package cluster

import (
	"bytes"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/train/selfplay"
)

var (
	crowd   = flag.Int("crowd", 50, "how many workers TestCrowd simulates")
	uploads = flag.Int("uploads", 4, "how many games each of them sends")
)

// TestCrowd: many workers send recorded games at once to a server with a real folder; all are
// stored once.
func TestCrowd(t *testing.T) {
	testshared.Long(t)
	c := recipe()
	c.Boards = []selfplay.BoardShare{{Width: 9, Height: 9, Share: 1}}
	c.Opening.Forks = 0
	s := newSite(t, newFolder(0))
	s.stop()
	s.work.Recipe = c
	s.startBroker()
	store, err := openDisk(filepath.Join(s.dir, "games"))
	require.NoError(t, err)
	conn, err := s.broker.Connect()
	require.NoError(t, err)
	defer conn.Close()
	server, err := NewServer(ServerConfig{Dir: filepath.Join(s.dir, "crowd"), Host: store, Linger: 100 * time.Millisecond,
		Open: func(string) (nn.Evaluator, func(), error) { return stub(t, 3), func() {}, nil }})
	require.NoError(t, err)
	require.NoError(t, server.Offer(s.work))
	offer := server.leases.present().ID

	recorded := alone(t, c, s.work.Seed, uint64(*crowd**uploads))
	size := 0
	for _, data := range recorded {
		size += len(data)
	}
	_, err = server.leases.grant("", len(recorded), time.Now())
	require.NoError(t, err)
	require.NoError(t, server.Serve(conn))
	defer server.Close()
	keys := make([]Key, *crowd)
	for i := range keys {
		keys[i] = newKey(t)
		server.roster.members[keys[i].id] = &member{card: Card{Precision: "fp32"}, passed: map[string]bool{}}
	}
	var clients sync.WaitGroup
	cpu := nn.ProcessorTime()
	began := time.Now()
	for i, k := range keys {
		clients.Go(func() {
			conn, err := Dial(DialConfig{Address: s.address(), Key: k})
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			w := &Worker{conf: WorkerConfig{Conn: conn, Log: slog.New(slog.DiscardHandler)}, held: map[uint64]bool{}}
			w.spool = &spool{news: make(chan struct{}, 1)}
			for turn := range *uploads {
				n := selfplay.ID{Number: uint64(turn**crowd + i)}
				w.send(t.Context(), &spooled{id: n, offer: offer, data: recorded[n]})
			}
		})
	}
	clients.Wait()
	took := time.Since(began)
	games, err := readDisk(store.dir)
	require.NoError(t, err)
	require.Len(t, games, len(recorded))
	st := server.Status()
	require.Zero(t, st.Rejected)
	require.Empty(t, st.Aside)
	var mem syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &mem))
	t.Logf("%d workers, %d games of %d bytes: %.0f games/s, %.1f ms of processor a game (server and workers), lag p50 %.0f ms, p99 %.0f ms, %d put off, %d MB resident at most",
		*crowd, len(games), size/len(recorded), float64(len(games))/took.Seconds(), 1000*(nn.ProcessorTime()-cpu).Seconds()/float64(len(games)),
		1000*st.LagP50, 1000*st.LagP99, st.Later, mem.Maxrss>>10)
}

// BenchmarkWorkers measures games per hour with 1, 2, 4 and 8 worker processes whose network
// waits instead of computing.
func BenchmarkWorkers(b *testing.B) {
	for _, n := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			host := newFolder(1 << 40)
			s := newSite(b, host)
			var running []*exec.Cmd
			defer func() {
				for _, cmd := range running {
					kill(cmd)
				}
			}()
			for range n {
				c := &child{Part: "worker", Dir: b.TempDir(), Address: s.address(), Wait: 5 * time.Millisecond}
				running = append(running, c.start(b))
			}
			for host.count() < 8*n {
				time.Sleep(time.Millisecond)
			}
			for b.Loop() {
				before, began := host.count(), time.Now()
				time.Sleep(6 * time.Second)
				b.ReportMetric(float64(host.count()-before)/time.Since(began).Hours(), "games/h")
			}
		})
	}
}

// TestSpoolOnAFullDisk: games that cannot be written are kept in memory.
func TestSpoolOnAFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	s, err := openSpool(dir)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.WriteFile(dir, nil, 0o644)) // a file in place of the folder, so that writing fails
	require.Error(t, s.put(&selfplay.Finished{}, strings.Repeat("a", 16), []byte("game")))
	g := s.next()
	data, err := g.read()
	require.NoError(t, err)
	require.True(t, bytes.Equal([]byte("game"), data))
	s.drop(g)
	require.Zero(t, s.len())
}
