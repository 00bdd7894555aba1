package life

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
)

// TestFates checks the proved owners of some points. The bounds say that stones in capital letters certainly live;
// stones in lower case are listed as dead, but their bounds leave this open.
func TestFates(t *testing.T) {
	for _, c := range []struct {
		name, rows string
		want       map[string]board.Color
	}{
		{"walls live, whatever is thought of them", `
			.xO..
			.xO..
			.xO..
			.xO..
			.xO..`, map[string]board.Color{"B1": board.Black}},
		{"two eyes", `
			.o.oXX
			oooooX
			XXXXXX
			.X.X.X`, map[string]board.Color{"B4": board.White, "A2": board.Black}},
		{"seki: whoever fills a shared liberty is taken", `
			....OXXXXX.
			....OXXXooo
			....OOOXXXo
			....OOOOOX.
			....O.O.OXX
			....OOOOOOO`, map[string]board.Color{"L5": board.White}},
		{"seki of two chains that both certainly live", `
			XXX.O
			XXX.O
			XXXOO
			XXXOO
			XXXOO`, map[string]board.Color{"A1": board.Empty, "E1": board.Empty}},
		{"seki with an eye each, where one side's life is open", `
			xxxx.OOO
			xxxxxOOO
			xxxxxOOO
			xxxxxOOO
			.xxxxOO.`, map[string]board.Color{"A2": board.Empty, "H2": board.Empty}},
		{"five points in a bulky form are one eye", `
			.OOOxx.
			OOOxxoo
			.OOxoo.
			OOOxxxx
			.OOOOOO
			OOOOOOO`, map[string]board.Color{"G3": board.White}},
		{"who moves first decides", `
			...oX.
			ooooXX
			XXXXXX
			.X.X.X`, map[string]board.Color{"A3": board.Empty}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := testshared.Diagram(t, strings.ToUpper(c.rows))
			g := testshared.GameOn(t, b, board.Chinese())
			rows := strings.Join(strings.Fields(c.rows), "")
			var dead []board.Point
			for p, at := range rows {
				if at == 'x' || at == 'o' {
					dead = append(dead, board.Point(p))
				}
			}
			black := func(p board.Point) (least, most float64) {
				switch rows[p] {
				case 'X':
					return 1, 1
				case 'O':
					return 0, 0
				}
				return 0.4, 0.6
			}
			fates, err := Fates(t.Context(), g, dead, black, 40000)
			require.NoError(t, err)
			for v, want := range c.want {
				require.Equal(t, want, fates[testshared.Point(t, b.Size(), v)], "%s %v", v, fates)
			}
		})
	}
}

// TestFatesLimit: a proof contradicts an opinion, and chains stay open; all searches together keep to the limit.
func TestFatesLimit(t *testing.T) {
	b := testshared.Diagram(t, `
		.O.OXX.X..X..
		OOOOOX.X..X..
		XXXXXX.XXXX..
		.X.X.X.......
		.....O..O....
		..O.....X.O..
		..XO..X.X....
		..XXO..O.....
		.............`)
	black := func(p board.Point) (least, most float64) { return 1, 1 }
	const limit = 6000
	f, err := fatesOf(t.Context(), testshared.GameOn(t, b, board.Chinese()), nil, black, limit)
	require.NoError(t, err)
	require.True(t, f.wrong)
	require.Greater(t, f.spent, int64(limit/2), "both rounds search")
	require.Less(t, f.spent, int64(limit+1024))
}
