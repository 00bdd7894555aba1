package web

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
)

// TestAnalysisForOthers asks in KataGo's protocol, over a WebSocket and by a plain request.
func TestAnalysisForOthers(t *testing.T) {
	s := serve(t, t.TempDir())
	_, resp, err := websocket.Dial(t.Context(), s.Address()+"api/analysis", nil)
	require.Error(t, err)
	require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	for _, options := range []*websocket.DialOptions{nil, {HTTPHeader: http.Header{"Authorization": {"Bearer " + s.access.Keys.Token}}}} {
		address := s.Address() + "api/analysis"
		if options == nil {
			address += "?token=" + s.access.Keys.Token
		}
		ws, _, err := websocket.Dial(t.Context(), address, options)
		require.NoError(t, err)
		ws.SetReadLimit(1 << 20)
		said := func(query string) (a struct {
			ID       string
			Error    string
			RootInfo struct{ Visits int }
		}) {
			require.NoError(t, ws.Write(t.Context(), websocket.MessageText, []byte(query)))
			_, data, err := ws.Read(t.Context())
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(data, &a), string(data))
			return a
		}
		require.NotEmpty(t, said("nonsense").Error)
		a := said(`{"id":"q","moves":[["B","E5"]],"rules":"chinese","komi":7.5,"boardXSize":9,"boardYSize":9,"maxVisits":10}`)
		require.Equal(t, "q", a.ID)
		require.GreaterOrEqual(t, a.RootInfo.Visits, 10)
		require.NoError(t, ws.Close(websocket.StatusNormalClosure, ""))
	}
	post := func(token, queries string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.Address()+"api/analysis", strings.NewReader(queries))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(data)
	}
	code, said := post(s.access.Keys.Token, `{"id":"p","moves":[],"rules":"chinese","boardXSize":9,"boardYSize":9,"maxVisits":10,"analyzeTurns":[0]}`+"\nnonsense")
	require.Equal(t, http.StatusOK, code, said)
	require.Equal(t, 2, strings.Count(said, "\n"), "an answer to each line: %s", said)
	require.Contains(t, said, `"id":"p"`)
	require.Contains(t, said, `"error"`)
	code, _ = post("wrong", "{}")
	require.Equal(t, http.StatusUnauthorized, code)
	code, _ = post(s.access.Keys.Token, strings.Repeat(" ", maxQuery+1))
	require.Equal(t, http.StatusRequestEntityTooLarge, code)
	require.Eventually(t, func() bool { return len(s.analysts) == 0 }, browsertest.Patience, 10*time.Millisecond)
}
