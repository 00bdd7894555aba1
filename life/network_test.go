package life

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// opinion is a network that gives every position the same ownership: the probability that White
// owns a point. It records the positions that it views.
type opinion struct {
	white float32
	shown []board.Size
}

func (o *opinion) View(_ context.Context, size board.Size, stones []board.Color, _ board.Color) (*View, error) {
	o.shown = append(o.shown, size)
	v := &View{Policy: make([]float32, len(stones)), Black: make([]float32, len(stones))}
	for p := range stones {
		v.Policy[p], v.Black[p] = 1/float32(len(stones)), 1-o.white
	}
	return v, nil
}

// TestNetwork: a card has the network's opinion only if nothing is proved; the network does not
// change a proved verdict.
func TestNetwork(t *testing.T) {
	e := readExamples(t)[0]
	net := &opinion{white: 0.97}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	out, err := Ask(ctx, e.shape.question(), Options{Network: net})
	require.NoError(t, err)
	require.Equal(t, Unknown, out.Attacks.Verdict)
	require.InDelta(t, 0.97, *out.Attacks.Network, 1e-6)
	require.Contains(t, out.Text(), "not proven; the network says 97 % alive")
	require.Len(t, net.shown, 2)
	out, err = Ask(context.Background(), e.shape.question(), Options{Nodes: 4000000, Network: net})
	require.NoError(t, err)
	require.Nil(t, out.Attacks.Network)
	data, err := json.Marshal(out)
	require.NoError(t, err)
	require.Contains(t, string(data), `"network":{"alive":0.97`, "the answer has it all the same")
	require.Equal(t, e.answer[0], e.shape.summary(t, out.Attacks))
}

// TestDiagram makes a small diagram of a corner of a large board: the stones of the fight are in their places, and
// every chain has a liberty.
func TestDiagram(t *testing.T) {
	q := &Question{Size: board.Square(19), Stones: make([]board.Color, 361)}
	q.Targets = points(t, q.Size, "A17", "B17", "C17", "D17", "D18", "D19")
	q.Assumed = points(t, q.Size, "A16", "B16", "C16", "D16", "E16", "E17", "E18", "E19")
	for _, p := range q.Targets {
		q.Stones[p] = board.White
	}
	for _, p := range q.Assumed {
		q.Stones[p] = board.Black
	}
	l, err := q.encode()
	require.NoError(t, err)
	d := l.diagram(q)
	require.Equal(t, board.Square(9), d.size)
	colors := map[board.Color]int{}
	for p, at := range l.index {
		if at >= 0 {
			require.Equal(t, q.Stones[p], d.stones[d.at(q, board.Point(p))])
		}
	}
	again := &Question{Size: d.size, Stones: d.stones, Targets: []board.Point{d.at(q, q.Targets[0])}}
	_, err = again.encode()
	require.NoError(t, err)
	for _, c := range d.stones {
		colors[c]++
	}
	require.Greater(t, colors[board.Black], 12)
	require.Greater(t, colors[board.White], 12)
}

// TestOpenGroups: the function open returns the chains of which the network is unsure; without a network, all.
func TestOpenGroups(t *testing.T) {
	q := readExamples(t)[0].shape.question()
	for white, want := range map[float32]int{0.97: 0, 0.03: 0, 0.5: 1} {
		require.Len(t, open(context.Background(), q, &opinion{white: white}, []board.Point{q.Targets[0]}), want)
	}
	require.Len(t, open(context.Background(), q, nil, q.Targets), len(q.Targets))
}

// views is a network that gives White some points and Black all others.
type views struct{ white map[board.Point]bool }

func (v views) View(_ context.Context, _ board.Size, stones []board.Color, _ board.Color) (*View, error) {
	out := &View{Policy: make([]float32, len(stones)), Black: make([]float32, len(stones))}
	for p := range stones {
		if out.Black[p] = 0.99; v.white[board.Point(p)] {
			out.Black[p] = 0.01
		}
	}
	return out, nil
}

// TestEnclosed: if walls do not enclose the fight, chains that a network finds alive are assumed alive. Exceptions are
// the attacker's chains that the defender surrounds and, if the target surely lives, all chains of the defender.
func TestEnclosed(t *testing.T) {
	g, err := board.NewGame(board.Square(9), board.Chinese())
	require.NoError(t, err)
	named := func(names ...string) []board.Point { return points(t, g.Size(), names...) }
	// Black's stones cut up the empty area, so Surroundings finds no outer wall. White surrounds Black's C3.
	white := named("B2", "B3", "B4", "C2", "C4", "D2", "D4", "E3", "H8")
	black := append(named("C3"), named("A6", "B6", "C6", "D6", "E5", "F4", "F3", "F2", "F1", "F7", "G5", "H4", "H6", "D8", "B8")...)
	require.NoError(t, g.Setup(black, white, board.Black))
	q := QuestionOf(g)
	q.Targets = named("B2")
	ours := map[board.Point]bool{}
	for _, p := range white {
		ours[p] = true
	}
	sure := q.chains(EnclosedBy(context.Background(), q, views{ours}))
	require.False(t, sure[named("C3")[0]], "surrounded")
	require.False(t, sure[named("B2")[0]], "asked about")
	require.True(t, sure[named("A6")[0]])
	require.True(t, sure[named("F1")[0]])
	static := q.chains(Surroundings(q.Size, q.Stones, q.Targets))
	require.Equal(t, static[named("H8")[0]], sure[named("H8")[0]], "its own side's only where the target's life is open")
	require.Equal(t, static, q.chains(EnclosedBy(context.Background(), q, nil)))
}
