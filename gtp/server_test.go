package gtp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/search/thinking"
)

// Tests that depend on time run on the fake clock of synctest, so they pass on a busy machine too.

func newServer(f Engine, o Options, more ...Handler) *Server {
	s := NewServer(f, slog.New(slog.DiscardHandler), o)
	s.Table().Add(more...)
	return s
}

// talk serves a whole script to an engine and returns the output; more adds commands to the server.
func talk(t testing.TB, f Engine, o Options, script string, more ...Handler) string {
	t.Helper()
	var out bytes.Buffer
	s := newServer(f, o, more...)
	require.NoError(t, s.Serve(t.Context(), strings.NewReader(script), &out))
	return out.String()
}

// served serves commands on an input that stays open, and sends what Serve returns.
func served(t *testing.T, ctx context.Context, out io.Writer, commands string) <-chan error {
	t.Helper()
	in, feed := io.Pipe()
	t.Cleanup(func() { feed.Close() })
	done := make(chan error, 1)
	go func() { done <- newServer(newFake(), Options{}).Serve(ctx, in, out) }()
	_, err := io.WriteString(feed, commands)
	require.NoError(t, err)
	return done
}

func TestScriptRunsInFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The end of the input, or quit, arrives together with the searches and does not end them.
		for _, end := range []string{"", "\nquit\n"} {
			f := newFake()
			began := time.Now()
			out := talk(t, f, Options{}, "boardsize 9\nkata-set-param maxVisits 1000000000\nkata-set-param maxTime 0.2\ngenmove b\ngenmove w"+end)
			require.Equal(t, 400*time.Millisecond, time.Since(began))
			require.Equal(t, 2, f.game.NumMoves())
			require.True(t, strings.HasPrefix(out, "= \n\n= \n\n= \n\n= A9\n\n= B9\n\n"), out)
		}
	})
}

func TestLongScriptRunsInFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Lines belong to one script as long as no pause between two of them is longer than burst.
		f := newFake()
		s := serveFake(t, f, Options{})
		began := time.Now()
		s.Send("boardsize 9\nkata-set-param maxVisits 1000000000\nkata-set-param maxTime 0.8\ngenmove b\n")
		for range 15 {
			time.Sleep(burst / 5)
			s.Send("name\n")
		}
		s.Send("quit\n")
		for range 20 {
			require.True(t, s.Next().OK)
		}
		s.Ends(true)
		require.GreaterOrEqual(t, time.Since(began), 800*time.Millisecond)
	})
}

func TestScriptEndsAnalysis(t *testing.T) {
	out := talk(t, newFake(), Options{}, "boardsize 5\nkata-set-param maxVisits 1000000000\nkata-analyze b 10")
	require.Regexp(t, `^= \n\n= \n\n=\n(info move .*\n)+\n$`, out)
}

func TestLeavingAbortsQueuedSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveFake(t, newFake(), Options{})
		s.All("boardsize 9", "kata-set-param maxVisits 1000000000")
		s.Send("genmove b\ngenmove w\ngenmove b\n")
		s.Silent(2 * burst)
		began := time.Now()
		s.Send("quit\n")
		for range 3 {
			require.Regexp(t, `^[A-J]\d$`, s.Next().Text)
		}
		require.True(t, s.Next().OK)
		s.Ends(true)
		require.Less(t, time.Since(began), time.Second)
	})
}

func TestPanicBecomesInternalError(t *testing.T) {
	var log bytes.Buffer
	f := newFake()
	s := NewServer(f, slog.New(slog.NewTextHandler(&log, nil)), Options{})
	s.Table().Add(Handler{Name: "explode", ByInput: true, Run: func(_ context.Context, _ Command, r *Reply) error {
		r.Stream()
		panic("in a stream")
	}})
	f.panics = true
	var out bytes.Buffer
	require.NoError(t, s.Serve(t.Context(), strings.NewReader("4 showboard\nexplode\nname\n"), &out))
	require.Equal(t, "?4 internal error\n\n=\n\n= Kosumi\n\n", out.String())
	require.Contains(t, log.String(), "the game is gone")
	require.Contains(t, log.String(), "in a stream")
}

func TestAdministrationWhileLoading(t *testing.T) {
	f := newFake()
	loading := make(chan struct{})
	f.loading = loading
	s := serveFake(t, f, Options{})
	for _, c := range []string{
		"name", "version", "protocol_version", "list_commands", "known_command name", "gogui-analyze_commands", "gogui-interrupt",
		"kata-list_time_settings", "cputime", "stop", "gogui-version 1",
	} {
		s.OK("%s", c)
	}
	s.Send("kata-raw-nn 0\n")
	s.Silent(50 * time.Millisecond)
	close(loading)
	require.True(t, s.Next().OK)
}

func TestLeavingWhileLoading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.loading = make(chan struct{})
		s := serveFake(t, f, Options{})
		s.Send("final_score\n")
		s.Silent(2 * burst)
		s.Send("quit\n")
		require.Equal(t, "cannot score: the session ends", s.Next().Text)
		require.True(t, s.Next().OK)
		s.Ends(true)
	})
}

func TestServeEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		var out bytes.Buffer
		done := served(t, ctx, &out, "kata-set-param maxVisits 1000000000\ngenmove b\n")
		time.Sleep(50 * time.Millisecond)
		reason := errors.New("terminated")
		cancel(reason)
		require.ErrorIs(t, <-done, reason)
		require.Regexp(t, `^= \n\n= [A-T]\d+\n\n$`, out.String(), "the reply is finished")
	})
}

type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("broken pipe")
	}
	return len(p), nil
}

func TestServeEndsWithOutput(t *testing.T) {
	err := <-served(t, t.Context(), &failingWriter{left: 300}, "kata-set-param maxVisits 1000000000\nkata-analyze 1\n")
	require.ErrorIs(t, err, ErrOutput)
	require.ErrorContains(t, err, "broken pipe")
}

func TestLateReportIsDropped(t *testing.T) {
	f := newFake()
	f.late = make(chan struct{})
	s := serveFake(t, f, Options{})
	s.All("boardsize 5")
	s.OpenStream("kata-analyze 10")
	s.Info()
	s.CloseStream()
	<-f.late
	s.Silent(20 * time.Millisecond)
	require.Equal(t, "2", s.OK("protocol_version"))
}

func TestTooLongLine(t *testing.T) {
	out := talk(t, newFake(), Options{MaxLine: 40}, "1 name\n2 play b "+strings.Repeat("x", 100)+"\n3 name\n4 "+strings.Repeat("y", 70_000))
	require.Equal(t, "=1 Kosumi\n\n?2 line too long\n\n=3 Kosumi\n\n?4 line too long\n\n", out)
}

func TestStrict(t *testing.T) {
	const ko = "boardsize 5\ngogui-play_sequence b b1 w c1 b a2 w d2 b b3 w c3 b c2 w b2\nplay b c2\n"
	require.Equal(t, "= \n\n= \n\n= \n\n", talk(t, newFake(), Options{}, ko))
	require.Equal(t, "= \n\n= \n\n? illegal move\n\n", talk(t, newFake(), Options{Strict: true}, ko))
	const suicide = "boardsize 5\nkata-set-rules chinese\nplay w a2\nplay w b1\nplay b a1\nplay b pass\n"
	require.Equal(t, "= \n\n= \n\n= \n\n= \n\n? illegal move\n\n= \n\n", talk(t, newFake(), Options{Strict: true}, suicide))
}

func TestHandle(t *testing.T) {
	out := talk(t, newFake(), Options{}, "7 benchmark a  é b\nname\nwait\nlist_commands\n",
		Handler{Name: "benchmark", Run: func(_ context.Context, c Command, r *Reply) error {
			return r.Printf("id %q args %q rest %q", c.ID, c.Args, c.Rest)
		}},
		Handler{Name: "name", Run: Text("Other")},
		Handler{Name: "wait", ByInput: true, Run: func(ctx context.Context, _ Command, r *Reply) error {
			<-ctx.Done()
			return r.Print(context.Cause(ctx).Error())
		}})
	require.True(t, strings.HasPrefix(out, "=7 id \"7\" args [\"a\" \"b\"] rest \"a  é b\"\n\n= Other\n\n= input arrived\n\n"), out)
	require.Contains(t, out, "\nbenchmark\nwait\n\n")
	require.Equal(t, 1, strings.Count(out, "\nname\n"))
}

func TestStopAndClear(t *testing.T) {
	f := newFake()
	require.Equal(t, strings.Repeat("= \n\n", 3), talk(t, f, Options{}, "stop\nclear_cache\nkgs-game_over\n"))
	require.EqualValues(t, 2, f.stops.Load())
	require.Equal(t, 1, f.caches)
}

func TestRecordFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "größe 9.sgf") // non-ASCII bytes reach the file system
	out := talk(t, newFake(), Options{}, "boardsize 9\nplay b a1\nprintsgf "+path+"\nclear_board\nloadsgf "+path+"\nprintsgf \""+path+"\"\nlast_move\n")
	require.Equal(t, strings.Repeat("= \n\n", 6)+"= black A1\n\n", out)
	_, err := os.Stat(path)
	require.NoError(t, err)
	require.Regexp(t, "^\\? cannot save file: .*not a file but a folder\n\n$", talk(t, newFake(), Options{}, "printsgf "+dir))
	require.Regexp(t, "^\\? cannot save file: .*folder", talk(t, newFake(), Options{}, "printsgf "+filepath.Join(dir, "no", "folder")))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing unfinished is left")
	require.Regexp(t, "^\\? cannot load file: .*10", talk(t, newFake(), Options{MaxSGF: 10}, "loadsgf "+path))
	require.Regexp(t, "^\\? cannot load file: no file", talk(t, newFake(), Options{}, "loadsgf missing.sgf"))
	require.Equal(t, "? bad vertex list: invalid set-up: two stones on A1\n\n", talk(t, newFake(), Options{}, "set_position b a1 w a1"))
}

func TestKGSChatIsShort(t *testing.T) {
	require.Equal(t, "= I am Kosumi 0.1.0, a program. I can play, not chat.\n\n? syntax error\n\n",
		talk(t, newFake(), Options{Version: "0.1.0"}, "kgs-chat game somebody hello\nkgs-chat game\n"))
}

// padder lists every legal move and ignores the request's restrictions.
type padder struct{ *fakeEngine }

func (p *padder) Analyze(_ context.Context, r thinking.Request, report func(*thinking.Analysis)) error {
	report(p.analysis(&thinking.Request{Color: r.Color, MinMoves: 100}, 100))
	return nil
}

func TestForbiddenMovesAreNotListed(t *testing.T) {
	out := talk(t, &padder{newFake()}, Options{}, "boardsize 3\nlz-analyze b minmoves 9 avoid b A1:C2,pass 1\n\n")
	require.Equal(t, []string{"A3", "B3", "C3"}, listedMoves(out[:strings.LastIndex(out, "\n\n")]))
	out = talk(t, &padder{newFake()}, Options{}, "boardsize 3\nlz-analyze b minmoves 9 allow b B2 1 allow w A1 1\n\n")
	require.Equal(t, []string{"B2"}, listedMoves(out[:strings.LastIndex(out, "\n\n")]))
}

func TestParamMenu(t *testing.T) {
	out := talk(t, newFake(), Options{}, "kosumi-param\nkosumi-param style very wild\nkata-get-param style\nkosumi-param foo 1\n")
	require.Equal(t, `= [string] maxVisits 50
[string] maxPlayouts 1000000000
[string] maxTime 1000000
[string] numSearchThreads 1
[bool] ponderingEnabled 0
[bool] allowResignation 1
[string] analysisWideRootNoise 0
[string] playoutDoublingAdvantage 0
[list/plain/wild] style plain
[string] humanSLProfile `+"\n\n= \n\n= very wild\n\n? unknown parameter \"foo\"\n\n", out)
}

// lastReader returns one text and records whether it is read again.
type lastReader struct {
	text string
	more chan struct{}
}

func (r *lastReader) Read(p []byte) (int, error) {
	if r.text == "" {
		close(r.more)
		return 0, io.EOF
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

func TestNothingIsReadAfterQuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &lastReader{"name\nquit\n", make(chan struct{})}
		var out bytes.Buffer
		require.NoError(t, newServer(newFake(), Options{}).Serve(t.Context(), in, &out))
		require.Equal(t, "= Kosumi\n\n= \n\n", out.String())
		select {
		case <-in.more:
			t.Fatal("the reader went on after quit")
		case <-time.After(50 * time.Millisecond):
		}
	})
}

// stuckWriter blocks for ever, like a pipe that nobody reads.
type stuckWriter struct{ reached chan struct{} }

func (w *stuckWriter) Write([]byte) (int, error) {
	close(w.reached)
	select {}
}

// TestServeLeavesAStuckClient: Serve returns when its context is cancelled while a reply or
// report is blocked.
func TestServeLeavesAStuckClient(t *testing.T) {
	for _, command := range []string{"name\n", "kata-analyze b 1\n"} {
		w := &stuckWriter{make(chan struct{})}
		ctx, cancel := context.WithCancelCause(t.Context())
		done := served(t, ctx, w, command)
		<-w.reached
		cancel(errors.New("told to"))
		require.ErrorIs(t, <-done, ErrOutput, command)
	}
}

// TestQueueIsBounded sends commands for ever while the first one runs: the server must stop
// reading, however short the lines.
func TestQueueIsBounded(t *testing.T) {
	const most = 8 << 20
	for _, command := range []string{"x", "wait", strings.Repeat("x", 5000)} {
		synctest.Test(t, func(t *testing.T) {
			busy := make(chan struct{})
			s := newServer(newFake(), Options{MaxQueue: most}, Handler{Name: command, Run: func(context.Context, Command, *Reply) error { <-busy; return nil }})
			ctx, cancel := context.WithCancel(t.Context())
			served := make(chan error)
			before := testshared.Heap()
			go func() { served <- s.Serve(ctx, testshared.NewFlood(command), io.Discard) }()
			synctest.Wait() // would not return while the server reads
			require.Less(t, testshared.Heap()-before, int64(3*most), "%.10s", command)
			cancel()
			close(busy)
			<-served
		})
	}
}

// TestEveryCommandIsListed: list_commands, known_command and the commands answered agree, except
// for a few names left out on purpose.
func TestEveryCommandIsListed(t *testing.T) {
	s := newServer(newFake(), Options{})
	hidden := []string{"analyze", "genmove_analyze"}
	listed := strings.Fields(strings.TrimPrefix(talk(t, newFake(), Options{}, "list_commands\n"), "= "))
	require.ElementsMatch(t, s.Table().order, append(listed, hidden...))
	for name, h := range s.Table().byName {
		require.NotEmpty(t, h.usage.does, name)
		require.NotEmpty(t, h.usage.from, name)
	}
	for _, command := range hidden {
		require.Equal(t, "= false\n\n", talk(t, newFake(), Options{}, "known_command "+command))
	}
}
