package conform

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

var analysisItems = []item[*GTP]{
	{41, "forms of the analysis command", checkAnalysisForms},
	{42, "frame of a stream", checkStreamFrame},
	{43, "at least one info line", checkOneInfo},
	{44, "units and perspective", checkPerspective},
	{45, "keys only on request; ownership", checkOwnership},
	{46, "pv and order", checkPV},
	{47, "avoid and allow", checkRestrictions},
	{56, "focus", checkFocus},
}

func checkAnalysisForms(s *GTP) {
	s.All("boardsize 9")
	for _, name := range []string{"lz-analyze", "kata-analyze", "analyze"} {
		for _, args := range []string{
			"", " 50", " B 5", " interval 5", " W 5.0000001", " 2147483647", " b interval 0.001", " 10 minmoves 3 maxmoves 5",
			" black 10.000000000000002", " maxmoves 1 5", " white",
		} {
			s.OpenStream("3 %s%s", name, args)
			if strings.Contains(args, "5") && !strings.Contains(args, "50") {
				s.Info()
			}
			s.CloseStream()
		}
	}
	for _, name := range []string{"lz-analyze", "kata-analyze"} {
		for _, bad := range []string{" x", " interval", " interval x", " b b3 5", " nan", " minmoves", " minmoves -1", " maxmoves 0", " 1e999", " -5", " b -0.5", " interval -5"} {
			s.Refuse("", name+bad)
		}
	}
	s.Refuse("syntax error", "lz-analyze ownership true", "kata-search_analyze b -5", "lz-genmove_analyze b -5")
}

func checkStreamFrame(s *GTP) {
	s.All("boardsize 9")
	s.endless()
	s.OpenStream("lz-analyze 5")
	for range 3 {
		s.Info()
	}
	s.CloseStream()
	for _, input := range []string{"\n", "# comment\n", "# interrupt\n", "  \r\n"} {
		s.OpenStream("kata-analyze 5")
		s.Info()
		s.Send(input)
		s.Rest()
		s.Silent(50 * time.Millisecond)
	}
	s.OpenStream("4 lz-analyze w 5")
	s.Info()
	s.Send("5 protocol_version\n")
	s.Rest()
	require.Equal(s.T, []string{"=5 2"}, s.Next().Raw)
	// Another analysis may follow at once, and so may the command that ends it.
	s.Send("kata-analyze 1000\nlz-analyze 1000\nstop\n")
	for range 2 {
		require.Equal(s.T, "=", s.Line().Text)
		s.Rest()
	}
	require.Equal(s.T, []string{"= "}, s.Next().Raw)
	// If a search ends by itself, its stream stays open.
	s.quick()
	s.OpenStream("kata-analyze 5")
	s.StaysOpen(300 * time.Millisecond)
	s.CloseStream()
}

func checkOneInfo(s *GTP) {
	s.All("boardsize 9")
	s.endless()
	for _, c := range []string{"lz-analyze 2147483647", "kata-analyze 1000", "kata-analyze"} {
		s.OpenStream("%s", c)
		time.Sleep(50 * time.Millisecond)
		last, _ := s.CloseStream()
		require.NotEmpty(s.T, last, c)
	}
	for _, c := range []string{"kata-analyze\n\n", "lz-analyze b 100\n# x\n"} {
		s.Send(c)
		require.Equal(s.T, "=", s.Line().Text)
		last, _ := s.Rest()
		require.NotEmpty(s.T, last, c)
	}
}

// lopsided is a 9x9 position in which one side owns everything.
func lopsided(colour string) string {
	var b strings.Builder
	for _, v := range strings.Fields("C3 D3 E3 F3 G3 C7 D7 E7 F7 G7 C4 C5 C6 G4 G5 G6 E5 B5 H5 E2 E8") {
		fmt.Fprintf(&b, "%s %s ", colour, v)
	}
	return b.String()
}

func checkPerspective(s *GTP) {
	s.All("boardsize 9", "kata-set-rules tromp-taylor", "komi 0", "kata-set-param maxVisits 60")
	lz := s.Analysis("lz-analyze b 20")
	for _, b := range lz.Moves {
		for _, key := range []string{"winrate", "prior", "lcb"} {
			n, err := strconv.Atoi(b.Values[key])
			require.NoError(s.T, err, "whole numbers")
			if key != "lcb" { // a bound of a winrate may lie outside [0,1], as KataGo's does
				require.True(s.T, 0 <= n && n <= 10000, "%s %d", key, n)
			}
		}
	}
	for _, b := range s.Analysis("kata-analyze b 20").Moves {
		for _, key := range []string{"winrate", "prior", "lcb", "scoreLead", "scoreMean", "scoreStdev"} {
			require.Regexp(s.T, `^-?\d+\.\d+$`, b.Values[key], key)
		}
		w := b.float(s.T, "winrate")
		require.True(s.T, 0 <= w && w <= 1)
	}
	winrate := func(position, viewer string) float64 {
		s.All("set_position " + lopsided(position))
		return s.Analysis("kata-analyze %s 20", viewer).Moves[0].float(s.T, "winrate")
	}
	bb, ww, bw, wb := winrate("b", "b"), winrate("w", "w"), winrate("b", "w"), winrate("w", "b")
	require.InDelta(s.T, bb, ww, 0.2, "colours swapped")
	require.InDelta(s.T, bw, wb, 0.2, "colours swapped")
	require.Greater(s.T, bb, bw+0.3, "seen by the winner and by the loser")
	// The first line must be about this analysis, not the one before.
	s.endless()
	s.All("set_position " + lopsided("b"))
	for range 10 {
		for viewer, want := range map[string]float64{"b": bb, "w": 1 - bb} {
			got := s.Analysis("kata-analyze %s 1", viewer).Moves[0].float(s.T, "winrate")
			require.InDelta(s.T, want, got, 0.3, "first line for %s", viewer)
		}
	}
}

func checkOwnership(s *GTP) {
	s.All("kata-set-param maxVisits 60")
	for _, size := range [][2]int{{9, 9}, {9, 13}} {
		s.All(fmt.Sprintf("boardsize %d %d", size[0], size[1]), "komi 0", "set_position "+lopsided("b"))
		for _, name := range []string{"lz-analyze", "kata-analyze"} {
			plain := s.Analysis("%s 5", name)
			require.Empty(s.T, plain.Lists)
			require.Nil(s.T, plain.Root.Values)
			for _, b := range plain.Moves {
				require.Equal(s.T, "pv", b.Keys[len(b.Keys)-1], "nothing follows pv")
			}
		}
		for viewer, sign := range map[string]float64{"b": 1, "w": -1} {
			r := s.Analysis("kata-analyze %s 5 ownership true ownership true rootInfo true ownershipStdev true", viewer)
			require.Contains(s.T, r.Root.Values, "visits")
			require.Contains(s.T, r.Root.Values, "winrate")
			own := r.Lists["ownership"]
			require.Len(s.T, own, size[0]*size[1])
			require.Len(s.T, r.Lists["ownershipStdev"], size[0]*size[1])
			e5 := (size[1]-5)*size[0] + 4 // rows from the top
			f, err := strconv.ParseFloat(own[e5], 64)
			require.NoError(s.T, err)
			require.Greater(s.T, f*sign, 0.3, "Black owns E5")
			for _, text := range own {
				f, err := strconv.ParseFloat(text, 64)
				require.NoError(s.T, err)
				require.LessOrEqual(s.T, math.Abs(f), 1.0)
			}
		}
	}
	r := s.Analysis("kata-analyze 5 pvVisits true pvEdgeVisits true movesOwnership true noResultValue true maxmoves 2")
	for _, b := range r.Moves {
		require.Len(s.T, b.Lists["pvVisits"], len(b.Lists["pv"]))
		require.Len(s.T, b.Lists["pvEdgeVisits"], len(b.Lists["pv"]))
		require.Len(s.T, b.Lists["movesOwnership"], 9*13)
		require.Contains(s.T, b.Values, "noResultValue")
	}
	r = s.Analysis("kata-analyze 5 ownership false rootInfo FALSE")
	require.Empty(s.T, r.Lists)
}

func checkPV(s *GTP) {
	s.All("boardsize 9", "kata-set-param maxVisits 60")
	for _, c := range []string{"lz-analyze 5", "kata-analyze w 5", "kata-analyze 5 minmoves 20", "lz-analyze 5 maxmoves 3"} {
		r := s.Analysis("%s", c)
		seen := map[string]bool{}
		for i, b := range r.Moves {
			require.Equal(s.T, strconv.Itoa(i), b.Values["order"], c)
			require.NotEmpty(s.T, b.Lists["pv"], c)
			require.Equal(s.T, b.Values["move"], b.Lists["pv"][0], c)
			require.False(s.T, seen[b.Values["move"]], "a move twice")
			seen[b.Values["move"]] = true
			_, err := strconv.Atoi(b.Values["visits"])
			require.NoError(s.T, err)
		}
		if strings.Contains(c, "minmoves 20") {
			require.GreaterOrEqual(s.T, len(r.Moves), 20)
		}
		if strings.Contains(c, "maxmoves 3") {
			require.LessOrEqual(s.T, len(r.Moves), 3)
		}
	}
}

func checkRestrictions(s *GTP) {
	s.All("boardsize 9", "kata-set-param maxVisits 60", "play b e5") // White to move
	for _, name := range []string{"lz-analyze", "kata-analyze"} {
		for _, colour := range []string{"w", "b"} {
			r := s.Analysis("%s %s 5 allow %s C3,d4,pass 1", name, colour, colour)
			require.Subset(s.T, []string{"C3", "D4", "pass"}, r.moves())
			r = s.Analysis("%s %s 5 allow w C3 1 allow b D4,E4 20", name, colour)
			require.Subset(s.T, map[string][]string{"w": {"C3"}, "b": {"D4", "E4"}}[colour], r.moves())
			r = s.Analysis("%s %s 5 minmoves 80 avoid %s A1:J8 3 avoid %s pass 3 avoid %s pass 3", name, colour, colour, colour, colour)
			require.NotEmpty(s.T, r.Moves)
			for _, m := range r.moves() {
				require.Regexp(s.T, `^[A-HJ]9$`, m)
			}
			other := map[string]string{"w": "b", "b": "w"}[colour]
			r = s.Analysis("%s %s 5 minmoves 80 avoid %s A1:J8 1", name, colour, other)
			require.Greater(s.T, len(r.Moves), 10, "the other colour's restriction")
		}
		for _, bad := range []string{
			" 5 allow w C3", " 5 allow x C3 1", " 5 avoid w C3 0", " 5 avoid w Z9 1", " 5 avoid w C3 1 allow w D4 1", " 5 foo true",
			" avoid w A1:pass 1", " avoid w ,C3 1",
		} {
			s.Refuse("", name+bad)
		}
	}
	s.Refuse("syntax error", "kata-analyze 5 ownership maybe", "kata-analyze 5 ownership")
	m := s.OK("reg_genmove w")
	require.Regexp(s.T, moveText, m)
}

func checkFocus(s *GTP) {
	s.All("boardsize 9", "play b e5") // White to move
	for _, name := range []string{"lz-analyze", "kata-analyze"} {
		for _, args := range []string{"C3,d4,pass 0.5", "C3:2.5,D4:1e-3 1", "C3 0", ", 0.3", "E5 0.5", ",C3,,D4, .25"} {
			require.NotEmpty(s.T, s.Analysis("%s w 5 focus %s", name, args).Moves)
		}
		for _, bad := range []string{
			"", "C3", "C3 1.5", "C3 -0.1", "C3 x", "C3 nan", "Z9 0.5", "C3:0 0.5", "C3:-1 0.5", "C3:x 0.5", "C3:inf 0.5", "C3: 0.5", "C3 0.5 focus D4 0.5",
		} {
			s.Refuse("syntax error", name+" w 5 focus "+bad)
		}
	}
}
