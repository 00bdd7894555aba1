package analysis

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/conform"
)

func toJSON(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

func run(t *testing.T, ctx context.Context, c Config, in io.Reader, out io.Writer) <-chan error {
	t.Helper()
	s, err := New(c, newHashNet(t), nil)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, in, out) }()
	return done
}

// endsSoon fails the test if Serve does not return within [conform.Patience], despite endless searches.
func endsSoon(t *testing.T, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(conform.Patience):
		require.FailNow(t, "still serving")
	}
}

// endless holds queries whose searches never end, more of them than there are workers.
var endless = strings.Repeat(`{"id":"a","moves":[],"rules":"chinese","boardXSize":9,"boardYSize":9,"maxVisits":1000000000,"reportDuringSearchEvery":0.01}`+"\n", 6)

// TestClientVanishes: Serve returns soon once the output is closed, although searches are
// endless, whether the input stays open or not.
func TestClientVanishes(t *testing.T) {
	for _, after := range []string{"", "more"} {
		inRead, inWrite := io.Pipe()
		defer inWrite.Close()
		outRead, outWrite := io.Pipe()
		done := run(t, t.Context(), testConfig(), inRead, outWrite)
		_, err := io.WriteString(inWrite, endless)
		require.NoError(t, err)
		_, err = outRead.Read(make([]byte, 10))
		require.NoError(t, err)
		outRead.Close()
		if after != "" {
			inWrite.Close()
		}
		endsSoon(t, done)
	}
}

func TestClientDoesNotRead(t *testing.T) {
	_, outWrite := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	inRead, inWrite := io.Pipe()
	defer inWrite.Close()
	done := run(t, ctx, testConfig(), inRead, outWrite)
	_, err := io.WriteString(inWrite, endless)
	require.NoError(t, err)
	time.Sleep(30 * time.Millisecond)
	select {
	case <-done:
		require.FailNow(t, "ended too early")
	default:
	}
	cancel()
	endsSoon(t, done)

	// Serve also returns soon while it is answering with errors.
	ctx, cancel = context.WithCancel(t.Context())
	done = run(t, ctx, testConfig(), strings.NewReader(strings.Repeat("nonsense\n", 1000)), outWrite)
	time.Sleep(30 * time.Millisecond)
	cancel()
	endsSoon(t, done)

	// With QuitWithoutWaiting, Serve returns soon at the end of input, although the client does not read.
	c := testConfig()
	c.QuitWithoutWaiting = true
	endsSoon(t, run(t, t.Context(), c, strings.NewReader(endless), outWrite))
}
