package board_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// territoryOnly is territory scoring that also counts points in seki.
const territoryOnly = `{"ko":"SIMPLE","scoring":"TERRITORY","tax":"NONE","suicide":false}`

// exclude turns on one mode, as version 3 of KataGo's rules does.
var exclude = board.AreaModes{ExcludeTerritoryAdjacentToAtari: true}

// besideAtari are positions in which some points do not count because they are eyes of a chain in
// atari.
var besideAtari = []struct {
	name, text string
	lost       string // owner and vertex of the point that the mode makes neutral, as in X:B3; "": none
}{
	{"the eye of a chain in atari", `
		X . X O .
		X X X O .
		O O O O .`, "X:B3"},
	// A4 is a black throw-in in atari: B4 still counts for White. E4 is a white ko stone in atari: D4 does not count.
	{"a ko mouth, and a throw-in", `
		X . O . O X .
		O O O O X X .
		O O . O X . .
		. O O O X . .`, "O:D4"},
}

// TestExcludeTerritoryAdjacentToAtari: the mode makes points neutral, for owners and score alike,
// under territory scoring without a tax; under other rules it changes nothing.
func TestExcludeTerritoryAdjacentToAtari(t *testing.T) {
	for _, c := range besideAtari {
		t.Run(c.name, func(t *testing.T) {
			for _, rules := range []string{territoryOnly, "japanese", "ancient-territory", "chinese", `{"scoring":"AREA","tax":"SEKI"}`, "stone-scoring"} {
				for phase := range 3 {
					plain := gameOn(t, rules, c.text)
					if plain.StartInPhase(phase) != nil {
						continue // area scoring has no phases
					}
					marked := clone(plain)
					marked.ContinueWith(board.GameOptions{AreaModes: exclude})
					want, change := plain.Owners(nil), float32(0)
					same := rules != territoryOnly
					if c.lost != "" && !same {
						p := at(t, plain.Size(), c.lost[2:])
						require.Equal(t, c.lost[:1], string(".XO"[want[p]]))
						change = map[byte]float32{'X': 1, 'O': -1}[c.lost[0]]
						want[p] = board.Empty
					}
					require.Equal(t, colorRows(plain.Size(), want), colorRows(plain.Size(), marked.Owners(nil)), rules)
					require.Equal(t, plain.Score()+change, marked.Score())
					require.Equal(t, same, plain.Hash() == marked.Hash(), "the mode means nothing elsewhere")
					owners, _, shown := plain.AreaNow(nil, exclude)
					require.Equal(t, plain.Rules().Scoring == board.ScoringArea || phase == 2, shown)
					if shown {
						require.Equal(t, marked.Owners(nil), owners, "what networks are shown, in another mode than the game's")
					}
				}
			}
		})
	}
}

// TestModesOutlive: a game keeps its modes, which are options, through copies, moves, set-ups and
// undo.
func TestModesOutlive(t *testing.T) {
	g := gameOn(t, territoryOnly, besideAtari[0].text)
	g.SetOptions(board.GameOptions{AreaModes: exclude})
	score := g.Score()
	g = clone(g)
	play(t, g, "E3 pass")
	require.True(t, g.UndoMoves(2))
	require.Equal(t, score, g.Score())
	require.NoError(t, g.SetupBoard(diagram(t, besideAtari[0].text), board.Black))
	g.SetKomi(g.Rules().Komi)
	require.Equal(t, score, g.Score())
	g.Restart(board.White)
	require.Equal(t, exclude, g.Options().AreaModes)
}

// TestModesHash: each mode alone changes the hash, if it matters under the rules.
func TestModesHash(t *testing.T) {
	seen := map[board.Hash]string{}
	for _, suicide := range []bool{false, true} {
		for _, exclude := range []bool{false, true} {
			g := gameOn(t, territoryOnly, empty5)
			g.ContinueWith(board.GameOptions{AreaModes: board.AreaModes{PassAliveUnderSuicide: suicide, ExcludeTerritoryAdjacentToAtari: exclude}})
			seen[g.Hash()] = fmt.Sprint(suicide, exclude)
		}
	}
	require.Len(t, seen, 4)
	g := gameOn(t, "tromp-taylor", empty5)
	plain := g.Hash()
	g.ContinueWith(board.GameOptions{AreaModes: board.AreaModes{PassAliveUnderSuicide: true, ExcludeTerritoryAdjacentToAtari: true}})
	require.Equal(t, plain, g.Hash(), "suicide is legal and stones count")
}

// TestScoreWithDeadBesideAtari: the mode also applies when players agree on dead stones.
func TestScoreWithDeadBesideAtari(t *testing.T) {
	g := gameOn(t, territoryOnly, besideAtari[1].text)
	dead := []board.Point{at(t, g.Size(), "A4")}
	plain := g.ScoreWithDead(dead)
	g.ContinueWith(board.GameOptions{AreaModes: exclude})
	require.Equal(t, plain-1, g.ScoreWithDead(dead))
	owners := g.OwnersWithDead(dead)
	require.Equal(t, board.Empty, owners[at(t, g.Size(), "D4")])
	require.Equal(t, board.White, owners[dead[0]])
}
