package conform

import (
	"encoding/json"
	"io"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

// Analysis is a conversation with an engine that speaks KataGo's JSON analysis protocol.
type Analysis struct {
	*Talk
	seen  map[turn]bool // final results read so far
	again Open[*Analysis]
}

type turn struct {
	id     string
	number int
}

// NewAnalysis starts to read the engine's output. wait is called once and returns when
// the engine has ended.
func NewAnalysis(t testing.TB, in io.WriteCloser, out io.ReadCloser, wait func() error) *Analysis {
	return &Analysis{Talk: newTalk(t, in, out, wait), seen: map[turn]bool{}}
}

// RunAnalysis checks the list for the JSON protocol.
func RunAnalysis(t *testing.T, open Open[*Analysis]) {
	var each Open[*Analysis]
	each = func(t testing.TB, args ...string) *Analysis {
		s := open(t, args...)
		s.again = each
		return s
	}
	run(t, each, []item[*Analysis]{
		{56, "100 interleaved queries", checkInterleaved},
		{57, "terminate", checkTerminate},
		{58, "errors and warnings", checkErrors},
		{59, "policy, ownership, numbers", checkNumbers},
		{60, "end of input", checkEnd},
	}, nil)
}

type Message struct {
	ID             string
	Error          string
	Warning        string
	Field          string
	Action         string
	TurnNumber     int
	IsDuringSearch bool
	NoResults      bool
	MoveInfos      []MoveInfo
	RootInfo       *RootInfo
	Ownership      []float64
	OwnershipStdev []float64
	Policy         []float64
	Raw            map[string]any // the whole message as parsed
}

// MoveInfo holds the fields of a move that tests read.
type MoveInfo struct {
	Move               string
	Order              int
	Visits, EdgeVisits int64
	Winrate            float64
	ScoreLead          float64
	PV                 []string
	PVVisits           []int64
	Ownership          []float64
}

// RootInfo holds the fields of the root that tests read.
type RootInfo struct {
	Visits        int64
	Winrate       float64
	ScoreLead     float64
	CurrentPlayer string
	ThisHash      string
	SymHash       string
}

func (m *Message) isResult() bool { _, ok := m.Raw["isDuringSearch"]; return ok }

// Send writes a request: a string unchanged, anything else as JSON.
func (s *Analysis) Send(request any) {
	text, ok := request.(string)
	if !ok {
		b, err := json.Marshal(request)
		require.NoError(s.T, err)
		text = string(b)
	}
	s.Talk.Send(text + "\n")
}

// Next reads one message, checks its form, and requires that nothing follows the final result of
// a turn.
func (s *Analysis) Next() Message {
	text := s.Line().Text
	var m Message
	require.NoError(s.T, json.Unmarshal([]byte(text), &m.Raw), "every line is one JSON object: %q", text)
	require.NoError(s.T, json.Unmarshal([]byte(text), &m), text)
	if !m.isResult() {
		return m
	}
	require.Contains(s.T, m.Raw, "turnNumber")
	key := turn{m.ID, m.TurnNumber}
	require.False(s.T, s.seen[key], "a message after the final one of %v: %s", key, text)
	s.seen[key] = !m.IsDuringSearch
	if !m.NoResults {
		s.checkResult(&m)
	}
	return m
}

func (s *Analysis) checkResult(m *Message) {
	require.Contains(s.T, m.Raw, "moveInfos")
	require.NotNil(s.T, m.RootInfo)
	require.Contains(s.T, []string{"B", "W"}, m.RootInfo.CurrentPlayer)
	require.Positive(s.T, m.RootInfo.Visits)
	require.True(s.T, 0 <= m.RootInfo.Winrate && m.RootInfo.Winrate <= 1, "winrate %v", m.RootInfo.Winrate)
	for i, mi := range m.MoveInfos {
		require.Equal(s.T, i, mi.Order, "moves are sorted")
		require.NotEmpty(s.T, mi.PV)
		require.Equal(s.T, mi.Move, mi.PV[0])
	}
}

// Result reads messages until the final result of a turn and returns it. All earlier messages must
// be reports of running searches.
func (s *Analysis) Result(id string, number int) Message {
	for {
		m := s.Next()
		require.True(s.T, m.isResult(), "%v", m.Raw)
		if m.ID == id && m.TurnNumber == number && !m.IsDuringSearch {
			return m
		}
		require.True(s.T, m.IsDuringSearch, "unexpected: %v", m.Raw)
	}
}

// Answer reads messages until one that is not a result.
func (s *Analysis) Answer() Message {
	for {
		if m := s.Next(); !m.isResult() {
			return m
		}
	}
}

// Alive requires that the engine still answers.
func (s *Analysis) Alive() {
	s.Send(map[string]any{"id": "alive?", "action": "query_version"})
	m := s.Answer()
	require.Equal(s.T, "query_version", m.Action, "%v", m.Raw)
	require.Regexp(s.T, `^\d+\.\d+\.\d+$`, m.Raw["version"])
}

// Query returns a small query, with changes made to its fields.
func Query(id string, changes map[string]any) map[string]any {
	q := map[string]any{
		"id": id, "moves": [][2]string{{"B", "C3"}}, "rules": "chinese", "komi": 7,
		"boardXSize": 5, "boardYSize": 5, "maxVisits": 10,
	}
	maps.Copy(q, changes)
	return q
}

// endless is a number of visits that no test waits for.
const endless = 1 << 40
