package board_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
)

// goldenScore is a score as the golden files give it.
type goldenScore struct {
	WhiteMinusBlack float32  `json:"whiteMinusBlack"`
	Winner          string   `json:"winner"`
	Owner           []string `json:"owner"`
}

// goldenState is the state of a game, in the words of the golden files.
type goldenState struct {
	NextPlayer              string   `json:"nextPlayer"`
	Board                   []string `json:"board"`
	IllegalEmpty            []string `json:"illegalEmpty"`
	LegalOccupied           []string `json:"legalOccupied"`
	SuperKoBanned           []string `json:"superKoBanned"`
	KoRecapBlocked          []string `json:"koRecapBlocked"`
	EncorePhase             int      `json:"encorePhase"`
	HasButton               bool     `json:"hasButton"`
	WhiteBonusScore         float32  `json:"whiteBonusScore"`
	WhiteHandicapBonusScore float32  `json:"whiteHandicapBonusScore"`
	PassWouldEndPhase       bool     `json:"passWouldEndPhase"`
	PassWouldEndGame        bool     `json:"passWouldEndGame"`
}

// goldenResult is the result of one rule set for a position of rules.jsonl.gz.
type goldenResult struct {
	Name         string          `json:"name"`
	Rules        json.RawMessage `json:"rules"`
	FirstIllegal *int            `json:"firstIllegalMoveIndex"`
	goldenState
	SimpleKo            *string      `json:"simpleKo"`
	BlackStonesCaptured int          `json:"blackStonesCaptured"`
	WhiteStonesCaptured int          `json:"whiteStonesCaptured"`
	GameFinished        bool         `json:"gameFinished"`
	NoResult            bool         `json:"noResult"`
	Final               *goldenScore `json:"final"`
	ScoreIfEndedNow     *goldenScore `json:"scoreIfEndedNow"`
	AfterPasses         *struct {
		NumPasses int         `json:"numPasses"`
		Result    goldenScore `json:"result"`
	} `json:"afterPasses"`
	PassAlive []string `json:"passAlive"`
}

// goldenPosition holds the fields that both golden files share.
type goldenPosition struct {
	ID            string      `json:"id"`
	Kind          string      `json:"kind"`
	X             int         `json:"x"`
	Y             int         `json:"y"`
	Setup         [][2]string `json:"setup"`
	InitialPlayer string      `json:"initialPlayer"`
	Moves         [][2]string `json:"moves"`
}

func (q *goldenPosition) size() board.Size { return board.Size{W: q.X, H: q.Y} }

// move translates a move of the golden files.
func (q *goldenPosition) move(t testing.TB, m [2]string) board.Move {
	c, err := board.ParseColor(m[0])
	require.NoError(t, err)
	return board.Move{Color: c, Point: at(t, q.size(), m[1])}
}

func (q *goldenPosition) game(t testing.TB, r board.Rules) *board.Game {
	g := testshared.Game(t, q.size(), r)
	var stones [3][]board.Point
	for _, s := range q.Setup {
		m := q.move(t, s)
		stones[m.Color] = append(stones[m.Color], m.Point)
	}
	first, err := board.ParseColor(q.InitialPlayer)
	require.NoError(t, err)
	require.NoError(t, g.Setup(stones[board.Black], stones[board.White], first))
	return g
}

// letter names a colour as the golden files do.
func letter(c board.Color) string { return [...]string{"0", "B", "W"}[c] }

// colorRows writes a colour map row by row.
func colorRows(s board.Size, colors []board.Color) []string {
	rows := make([]string, s.H)
	for p, c := range colors {
		rows[p/s.W] += string(".XO"[c])
	}
	return rows
}

// stateOf describes a game in the words of the golden files.
func stateOf(g *board.Game) goldenState {
	s := g.Size()
	state := goldenState{
		NextPlayer:   letter(g.ToMove()),
		IllegalEmpty: []string{}, LegalOccupied: []string{}, SuperKoBanned: []string{}, KoRecapBlocked: []string{},
		EncorePhase: g.Phase(), HasButton: g.HasButton(),
		WhiteBonusScore: g.BonusScore(), WhiteHandicapBonusScore: g.HandicapBonusScore(),
		PassWouldEndPhase: g.PassWouldEndPhase(), PassWouldEndGame: g.PassWouldEndGame(),
	}
	legal := g.LegalMoves(nil)
	var colors []board.Color
	for p := range board.Point(s.Area()) {
		v := s.Vertex(p)
		colors = append(colors, g.At(p))
		switch empty := g.At(p) == board.Empty; {
		case empty && !legal[p]:
			state.IllegalEmpty = append(state.IllegalEmpty, v)
		case !empty && legal[p]:
			state.LegalOccupied = append(state.LegalOccupied, v)
		}
		if g.SuperkoBanned(p) {
			state.SuperKoBanned = append(state.SuperKoBanned, v)
		}
		if g.KoRecapBlocked(p) {
			state.KoRecapBlocked = append(state.KoRecapBlocked, v)
		}
	}
	state.Board = colorRows(s, colors)
	return state
}

// scoreOf describes the score of a game in the words of the golden files.
func scoreOf(g *board.Game) goldenScore {
	w := g.Score()
	winner := "0"
	if w > 0 {
		winner = "W"
	} else if w < 0 {
		winner = "B"
	}
	return goldenScore{w, winner, colorRows(g.Size(), g.Owners(nil))}
}

// sorted puts the point lists of a state in a fixed order.
func (s goldenState) sorted() goldenState {
	for _, list := range []*[]string{&s.IllegalEmpty, &s.LegalOccupied, &s.SuperKoBanned, &s.KoRecapBlocked} {
		*list = slices.Clone(*list)
		slices.Sort(*list)
	}
	return s
}

// checkResult plays q's moves under r's rules and requires the state and score that r gives.
func checkResult(t *testing.T, q *goldenPosition, r *goldenResult) {
	rules, err := board.ParseRules(string(r.Rules))
	require.NoError(t, err)
	g := q.game(t, rules)
	g.SetOptions(board.GameOptions{})
	for i, text := range q.Moves {
		m := q.move(t, text)
		err := g.Play(m.Color, m.Point)
		if r.FirstIllegal != nil && i == *r.FirstIllegal {
			require.Error(t, err)
			return
		}
		require.NoError(t, err, "move %d", i)
	}
	require.Nil(t, r.FirstIllegal, "an illegal move was expected")
	require.Equal(t, r.goldenState.sorted(), stateOf(g).sorted())
	b := g.Board()
	require.Equal(t, r.BlackStonesCaptured, b.Captured(board.Black))
	require.Equal(t, r.WhiteStonesCaptured, b.Captured(board.White))
	ko := "none"
	if r.SimpleKo != nil {
		ko = *r.SimpleKo
	}
	require.Equal(t, ko, g.Size().Vertex(b.KoPoint()))
	require.Equal(t, r.GameFinished, g.Finished())
	require.Equal(t, r.NoResult, g.NoResult())
	require.Equal(t, r.PassAlive, colorRows(g.Size(), b.PassAlive(nil, rules.Suicide)))
	if r.Final != nil {
		require.Equal(t, *r.Final, scoreOf(g))
	}
	if r.ScoreIfEndedNow != nil {
		require.Equal(t, *r.ScoreIfEndedNow, scoreOf(g))
	}
	if r.AfterPasses != nil {
		n := 0
		for ; !g.Finished(); n++ {
			require.NoError(t, g.Play(g.ToMove(), board.Pass))
		}
		require.Equal(t, r.AfterPasses.NumPasses, n)
		require.Equal(t, r.AfterPasses.Result, scoreOf(g))
	}
}

func TestGoldenRules(t *testing.T) {
	n := 0
	type line struct {
		goldenPosition
		Results []goldenResult `json:"results"`
	}
	for _, q := range testshared.Lines[line](t, testshared.Path(t, "golden/katago/rules.jsonl.gz")) {
		if q.size().Check() != nil {
			continue // boards one point wide
		}
		for i := range q.Results {
			n++
			t.Run(q.ID+"/"+q.Results[i].Name, func(t *testing.T) { checkResult(t, &q.goldenPosition, &q.Results[i]) })
		}
	}
	require.Equal(t, 303*12, n)
}

// goldenFeature is one record of features.jsonl.gz.
type goldenFeature struct {
	goldenPosition
	Rules           json.RawMessage `json:"rules"`
	Phase           int             `json:"initialEncorePhase"`
	PreventEncore   bool            `json:"preventEncore"`
	LeadingHandicap bool            `json:"assumeMultipleStartingBlackMovesAreHandicap"`
	HandicapStones  int             `json:"overrideNumHandicapStones"`
	UnderSuicide    bool            `json:"passAliveUnderSuicideRules"`
	State           struct {
		goldenState
		KoLoc             *string  `json:"koLoc"`
		Finished          bool     `json:"isGameFinished"`
		PastPhaseEnd      bool     `json:"isPastNormalPhaseEnd"`
		SecondEncoreStart []string `json:"secondEncoreStart"`
	} `json:"state"`
}

func (f *goldenFeature) replayed(t testing.TB) *board.Game {
	rules, err := board.ParseRules(string(f.Rules))
	require.NoError(t, err)
	g := f.game(t, rules)
	g.SetHandicapStones(f.HandicapStones)
	g.SetOptions(board.GameOptions{
		PreventEncore: f.PreventEncore, StartBlackMovesAreHandicap: f.LeadingHandicap,
		AreaModes: board.AreaModes{PassAliveUnderSuicide: f.UnderSuicide},
	})
	require.NoError(t, g.StartInPhase(f.Phase))
	for _, text := range f.Moves {
		m := f.move(t, text)
		require.NoError(t, g.PlayTolerant(m.Color, m.Point))
	}
	return g
}

func TestGoldenState(t *testing.T) {
	n := 0
	for _, q := range testshared.Lines[goldenFeature](t, testshared.Path(t, "golden/katago/features.jsonl.gz")) {
		n++
		t.Run(q.ID, func(t *testing.T) {
			g := q.replayed(t)
			require.Equal(t, q.State.goldenState.sorted(), stateOf(g).sorted())
			ko := "none"
			if q.State.KoLoc != nil {
				ko = *q.State.KoLoc
			}
			require.Equal(t, ko, g.Size().Vertex(g.Board().KoPoint()))
			require.Equal(t, q.State.Finished, g.Finished())
			require.Equal(t, q.State.PastPhaseEnd, g.Ended() && !g.Finished())
			var second []board.Color
			if g.Phase() == 2 {
				for p := range board.Point(g.Size().Area()) {
					second = append(second, g.SecondEncoreStart(p))
				}
				require.Equal(t, q.State.SecondEncoreStart, colorRows(g.Size(), second))
			} else {
				require.Nil(t, q.State.SecondEncoreStart)
			}
		})
	}
	require.Equal(t, 380, n)
}

func TestGoldenSymmetries(t *testing.T) {
	data := []byte(testshared.Read(t, testshared.Path(t, "golden/katago/symmetry.json")))
	var sizes []struct {
		X, Y int
		Maps []struct {
			Symmetry board.Symmetry
			Input    []board.Point `json:"symmetricInput"`
		}
	}
	require.NoError(t, json.Unmarshal(data, &sizes))
	require.NotEmpty(t, sizes)
	for _, q := range sizes {
		s := board.Size{W: q.X, H: q.Y}
		for _, m := range q.Maps {
			t.Run(fmt.Sprint(s, "/", m.Symmetry), func(t *testing.T) {
				for from, to := range board.SymTable(s, m.Symmetry) {
					require.EqualValues(t, from, m.Input[to])
				}
			})
		}
	}
}
