package analysis

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/conform"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// alone returns a configuration with one worker, so that results come in the order of the searches.
func alone() Config {
	c := testConfig()
	c.Threads = 1
	return c
}

// TestPrioritiesDecideTheOrder: priority first, then arrival; turns of a query are searched in order.
func TestPrioritiesDecideTheOrder(t *testing.T) {
	net := newGated(t)
	s := serve(t, alone(), net)
	s.Send(conform.Query("first", nil))
	<-net.asked // the search has begun
	s.Send(conform.Query("low", map[string]any{"priority": -1}))
	s.Send(conform.Query("turns", map[string]any{"analyzeTurns": []int{1, 0}, "priorities": []int{2, -2}}))
	s.Send(conform.Query("plain", map[string]any{"analyzeTurns": []int{1, 0}}))
	s.Send(conform.Query("later", nil))
	s.Alive() // wait until all are queued
	net.open()
	s.Result("first", 1)
	for _, want := range []struct {
		id   string
		turn int
	}{{"turns", 1}, {"plain", 0}, {"plain", 1}, {"later", 1}, {"low", 1}, {"turns", 0}} {
		m := s.Next()
		require.Equal(t, want.id, m.ID)
		require.Equal(t, want.turn, m.TurnNumber, want.id)
	}
}

func TestTerminateInEveryState(t *testing.T) {
	net := newGated(t)
	s := serve(t, alone(), net)
	s.Send(conform.Query("running", map[string]any{"analyzeTurns": []int{0}}))
	<-net.asked
	s.Send(conform.Query("queued", map[string]any{"analyzeTurns": []int{0, 1}}))
	s.Send(conform.Query("running", nil)) // waits, with the same id as the running query
	echo := func(request string) {
		t.Helper()
		s.Send(request)
		require.JSONEq(t, request, toJSON(t, s.Next().Raw), "the echo comes first")
	}
	dropped := func(request, id string) {
		t.Helper()
		s.Send(request)
		m := s.Next()
		require.Equal(t, id, m.ID)
		require.Equal(t, 1, m.TurnNumber, "the one that was waiting")
		require.True(t, m.NoResults)
		require.JSONEq(t, request, toJSON(t, s.Next().Raw), "the echo comes next")
	}
	dropped(`{"id":"t1","action":"terminate","terminateId":"queued","turnNumbers":[1,7],"note":"kept"}`, "queued")
	dropped(`{"id":"t2","action":"terminate","terminateId":"running"}`, "running")
	net.pass <- struct{}{}
	m := s.Next()
	require.Equal(t, "running", m.ID)
	require.EqualValues(t, 1, m.RootInfo.Visits, "no more than what was under way")
	<-net.asked // turn 0 of "queued"
	echo(`{"id":"t3","action":"terminate_all","turnNumbers":[]}`)
	echo(`{"id":"t4","action":"terminate_all","turnNumbers":[1]}`)
	echo(`{"id":"t5","action":"terminate_all","turnNumbers":[1,0]}`)
	net.pass <- struct{}{}
	m = s.Next()
	require.Equal(t, "queued", m.ID)
	require.Equal(t, 0, m.TurnNumber)
	echo(`{"id":"t6","action":"terminate_all"}`)
	echo(`{"id":"t7","action":"terminate","terminateId":"queued"}`)
	for _, bad := range []struct{ request, field string }{
		{`{"id":"t","action":"terminate"}`, "terminateId"},
		{`{"id":"t","action":"terminate","terminateId":5}`, "terminateId"},
		{`{"id":"t","action":"terminate","terminateId":null}`, "terminateId"},
		{`{"id":"t","action":"terminate","terminateId":"x","turnNumbers":5}`, "turnNumbers"},
		{`{"id":"t","action":"terminate_all","turnNumbers":null}`, "turnNumbers"},
		{`{"id":"t","action":"terminate_all","turnNumbers":["1"]}`, "turnNumbers"},
	} {
		s.Send(bad.request)
		m := s.Next()
		require.NotEmpty(t, m.Error)
		require.Equal(t, bad.field, m.Field)
		require.Equal(t, "t", m.ID)
	}
	net.open()
	s.Send(conform.Query("after", nil))
	require.False(t, s.Result("after", 1).NoResults)
	s.Send(conform.Query("long", map[string]any{"maxVisits": 1 << 40, "firstReportDuringSearchAfter": 0.02}))
	require.True(t, s.Next().IsDuringSearch)
	echo(`{"id":"t8","action":"terminate","terminateId":"long"}`)
	m = s.Result("long", 1)
	require.False(t, m.NoResults, "what was found is told")
	require.NotEmpty(t, m.MoveInfos)
}

func TestActions(t *testing.T) {
	net := newGated(t)
	c := alone()
	s := serve(t, c, net)
	s.Send(`{"action":"query_version","id":"v","extra":{"a":[1,2]}}`)
	require.Equal(t, map[string]any{"action": "query_version", "id": "v", "extra": map[string]any{"a": []any{1.0, 2.0}},
		"version": "1.2.3", "git_hash": "none"}, s.Next().Raw)
	require.Equal(t, `[-1e999,1.0]`, string(dump([]byte(`[-1e999, 1.0]`))), "a number beyond float64 stays as it is")
	s.Send(`{"action":"query_models","id":"m"}`)
	require.Equal(t, []any{}, s.Next().Raw["models"])
	s.Send(`{"action":"clear_cache","id":"c"}`)
	require.Equal(t, map[string]any{"action": "clear_cache", "id": "c"}, s.Next().Raw)
	net.mu.Lock()
	require.Equal(t, 1, net.clear)
	net.mu.Unlock()

	c.Models = func() []thinking.ModelInfo { return []thinking.ModelInfo{{Name: "n", FP16: "auto"}} }
	s = serve(t, c, net)
	s.Send(`{"action":"query_models","id":"<m>"}`)
	m := s.Next()
	require.Equal(t, "<m>", m.ID)
	require.Equal(t, []any{map[string]any{"name": "n", "internalName": "", "maxBatchSize": 0.0, "usesHumanSLProfile": false, "version": 0.0, "usingFP16": "auto"}}, m.Raw["models"])
}

func TestReports(t *testing.T) {
	s := serve(t, testConfig(), newHashNet(t))
	s.Send(conform.Query("often", map[string]any{"maxVisits": 1 << 40, "reportDuringSearchEvery": 0.05, "firstReportDuringSearchAfter": 0.01,
		"overrideSettings": map[string]any{"maxTime": 0.6}, "includeOwnership": true}))
	var visits []int64
	for {
		m := s.Next()
		if !m.IsDuringSearch {
			visits = append(visits, m.RootInfo.Visits)
			break
		}
		require.NotEmpty(t, m.MoveInfos)
		require.Len(t, m.Ownership, 25)
		visits = append(visits, m.RootInfo.Visits)
	}
	require.True(t, slices.IsSorted(visits), "%v", visits)
	require.Greater(t, len(visits), 1, "reports come every 50 ms")
	require.Less(t, len(visits), 14)

	s.Send(conform.Query("once", map[string]any{"maxVisits": 1 << 40, "firstReportDuringSearchAfter": 0.02}))
	require.True(t, s.Next().IsDuringSearch)
	time.Sleep(100 * time.Millisecond)
	s.Send(`{"action":"terminate","id":"stop","terminateId":"once"}`)
	require.Equal(t, "stop", s.Next().ID, "only the first report was asked for")
	require.False(t, s.Next().IsDuringSearch)

	s.Send(conform.Query("silent", map[string]any{"maxVisits": 1 << 40, "overrideSettings": map[string]any{"maxTime": 0.1}}))
	require.False(t, s.Next().IsDuringSearch)
}

// TestNoReportOfTheSearchBefore: a search that reuses a tree and waits for its first evaluation
// does not report the state of the search before it.
func TestNoReportOfTheSearchBefore(t *testing.T) {
	net := newGated(t)
	s := serve(t, alone(), net)
	s.Send(conform.Query("before", map[string]any{"boardXSize": 9, "boardYSize": 9, "maxVisits": 5}))
	net.open()
	s.Result("before", 1)
	gate := make(chan struct{})
	net.spoil(func(*nn.Query) error { <-gate; return nil })
	s.Send(conform.Query("after", map[string]any{"reportDuringSearchEvery": 0.001, "maxVisits": 5}))
	time.Sleep(50 * time.Millisecond)
	s.Alive()
	s.Send(`{"id":"t","action":"terminate","terminateId":"nobody"}`)
	require.Equal(t, "t", s.Next().ID, "no report yet")
	close(gate)
	require.NotEmpty(t, s.Result("after", 1).MoveInfos)
}

func TestRestrictionsReachTheSearch(t *testing.T) {
	s := serve(t, testConfig(), newHashNet(t))
	only := []map[string]any{{"player": "W", "moves": []string{"A1", "pass"}, "untilDepth": 1}}
	s.Send(conform.Query("allow", map[string]any{"allowMoves": only, "maxVisits": 50}))
	for _, m := range s.Result("allow", 1).MoveInfos {
		require.Contains(t, []string{"A1", "pass"}, m.Move)
	}
	s.Send(conform.Query("avoid", map[string]any{"avoidMoves": only, "maxVisits": 200}))
	m := s.Result("avoid", 1)
	require.Greater(t, len(m.MoveInfos), 3)
	for _, mi := range m.MoveInfos {
		require.NotContains(t, []string{"A1", "pass"}, mi.Move)
	}
	s.Send(conform.Query("free", map[string]any{"allowMoves": []map[string]any{{"player": "B", "moves": []string{"A1"}, "untilDepth": 1}}, "maxVisits": 200}))
	require.Greater(t, len(s.Result("free", 1).MoveInfos), 3, "the other player's list, and no list of the query before")
}

// TestFailingNetwork requires that a failing search affects no other.
func TestFailingNetwork(t *testing.T) {
	for name, fault := range map[string]func(*nn.Query) error{
		"error": func(*nn.Query) error { return errors.New("no power") },
		"panic": func(*nn.Query) error { panic("no power") },
	} {
		net := newGated(t)
		net.open()
		s := serve(t, alone(), net)
		s.Send(conform.Query("good", nil))
		s.Result("good", 1)
		net.spoil(fault)
		s.Send(conform.Query("bad", map[string]any{"analyzeTurns": []int{0}}))
		m := s.Next()
		require.NotEmpty(t, m.Error, name)
		require.Equal(t, "bad", m.ID)
		require.True(t, s.Next().NoResults)
		net.spoil(nil)
		s.Send(conform.Query("good again", nil))
		require.False(t, s.Result("good again", 1).NoResults, name)
	}
}

func TestLongLines(t *testing.T) {
	c := testConfig()
	c.MaxLine = 1000
	s := serve(t, c, newHashNet(t))
	padded := func(n int) string {
		const head, tail = `{"id":"p","action":"query_version","x":"`, `"}`
		return head + strings.Repeat("x", n-1-len(head)-len(tail)) + tail
	}
	s.Send(padded(1000)) // length includes the line end
	require.Equal(t, "p", s.Next().ID)
	for _, n := range []int{1001, 2000, 1 << 20} {
		s.Send(padded(n))
		m := s.Next()
		require.Contains(t, m.Error, "1000 bytes")
		require.NotContains(t, m.Raw, "id")
	}
	s.Send("\r\n\n  \t\n" + query5Text("crlf") + "\r")
	require.Equal(t, "crlf", s.Result("crlf", 1).ID)

	// The last line may lack its line end.
	var out bytes.Buffer
	server, err := New(c, newHashNet(t), nil)
	require.NoError(t, err)
	require.NoError(t, server.Serve(t.Context(), strings.NewReader(query5Text("last")), &out))
	require.Contains(t, out.String(), `"id":"last","isDuringSearch":false`)
}

func query5Text(id string) string {
	return `{"id":"` + id + `","moves":[["B","C3"]],"rules":"chinese","boardXSize":5,"boardYSize":5,"maxVisits":5}`
}

func TestBrokenInput(t *testing.T) {
	server, err := New(testConfig(), newHashNet(t), nil)
	require.NoError(t, err)
	broken := errors.New("cable cut")
	in := io.MultiReader(strings.NewReader(query5Text("q")+"\n"), iotest.ErrReader(broken))
	var out bytes.Buffer
	require.ErrorIs(t, server.Serve(t.Context(), in, &out), broken)
	require.Contains(t, out.String(), `"isDuringSearch":false`, "what was asked before is answered")
}

func TestNewChecksItsConfig(t *testing.T) {
	for _, spoil := range []func(*Config){
		func(c *Config) { c.Threads = 0 },
		func(c *Config) { c.Threads = 20000 },
		func(c *Config) { c.Search.Parallel.Workers = 0 },
	} {
		c := Defaults()
		spoil(&c)
		_, err := New(c, anyNet{}, nil)
		require.Error(t, err)
	}
}
