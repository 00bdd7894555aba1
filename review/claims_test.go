package review_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/review"
	"kosumi/sgf"
)

// rules checks claims by the board and by searches that were not part of the review.
type rules struct {
	t     *testing.T
	g     *review.Game
	res   *review.Result
	ask   func(*board.Game) (*review.Eval, error)
	known map[string]*review.Eval
}

// after returns the position before a ply with the given moves added, nil if one is illegal.
func (r *rules) after(ply int, moves ...string) *board.Game {
	p, err := r.g.Position(ply)
	require.NoError(r.t, err)
	g := &board.Game{}
	g.CopyFrom(p)
	color := r.g.Moves[ply].Color
	for _, m := range moves {
		at, err := g.Size().ParseVertex(m)
		require.NoError(r.t, err)
		if g.PlayTolerant(color, at) != nil {
			return nil
		}
		color = color.Opponent()
	}
	return g
}

func (r *rules) eval(ply int, moves ...string) *review.Eval {
	key := fmt.Sprint(ply, moves)
	if r.known[key] == nil {
		e, err := r.ask(r.after(ply, moves...))
		require.NoError(r.t, err)
		r.known[key] = e
	}
	return r.known[key]
}

// own returns the mean ownership of stones from the mover's view, -1 to 1.
func (r *rules) own(ply int, stones []string, moves ...string) float64 {
	e, sum := r.eval(ply, moves...), 0.0
	for _, s := range stones {
		p, err := r.g.Record.Size.ParseVertex(s)
		require.NoError(r.t, err)
		sum += float64(e.Ownership[p])
	}
	return review.Sign(r.res.Moves[ply].Color) * sum / 100 / float64(len(stones))
}

func (r *rules) lead(ply int, moves ...string) float64 {
	return review.Sign(r.res.Moves[ply].Color) * r.eval(ply, moves...).Lead
}

// taken reports whether a line takes all the given stones.
func (r *rules) taken(ply int, line, stones []string) bool {
	p, err := r.g.Position(ply)
	require.NoError(r.t, err)
	left := slices.Clone(stones)
	was := map[string]board.Color{}
	for i := range line {
		g := r.after(ply, line[:i+1]...)
		if g == nil {
			break
		}
		left = slices.DeleteFunc(left, func(s string) bool {
			at, _ := g.Size().ParseVertex(s)
			now := g.At(at)
			if c := p.At(at); c != board.Empty {
				was[s] = c
			} else if was[s] == board.Empty {
				was[s] = now
			}
			return was[s] != board.Empty && now != was[s]
		})
	}
	return len(left) == 0
}

// caught reports whether stones are lost with the opponent to move: the mover's stones because the
// opponent captures them, at once or in a ladder; the opponent's because they cannot escape from a
// ladder.
func (r *rules) caught(ply int, move string, stones []string) bool {
	g := r.after(ply, move)
	var scratch board.LadderScratch
	ladders := g.Board().Ladders(&scratch)
	for _, s := range stones {
		at, _ := g.Size().ParseVertex(s)
		own := g.At(at) == r.g.Moves[ply].Color
		lost := slices.ContainsFunc(ladders, func(l board.Ladder) bool {
			return l.Head == g.Board().ChainHead(at) && (l.Liberties == 1 || own)
		})
		if !lost && !(own && g.Board().Liberties(at) == 1) {
			return false
		}
	}
	return true
}

// broken reports whether stones in atari escape from a ladder, but would not without the stones
// c.Others.
func (r *rules) broken(ply int, c *review.Claim) bool {
	g := r.after(ply, r.res.Moves[ply].Move)
	var left []board.Move
	for p := range board.Point(g.Size().Area()) {
		if g.At(p) != board.Empty && !slices.Contains(c.Others, g.Size().Vertex(p)) {
			left = append(left, board.Move{Color: g.At(p), Point: p})
		}
	}
	at, err := g.Size().ParseVertex(c.Stones[0])
	require.NoError(r.t, err)
	lost := func(b *board.Board) bool {
		var scratch board.LadderScratch
		return slices.ContainsFunc(b.Ladders(&scratch), func(l board.Ladder) bool { return l.Head == b.ChainHead(at) })
	}
	return g.Board().Liberties(at) == 1 && !lost(g.Board()) && lost(board.PlaceStones(g.Size(), left))
}

// inAtari reports whether stones are in atari after some moves, and were not before the last of
// these moves.
func (r *rules) inAtari(ply int, c *review.Claim, moves ...string) bool {
	before, after := r.after(ply, moves[:len(moves)-1]...), r.after(ply, moves...)
	at, err := after.Size().ParseVertex(c.Stones[0])
	require.NoError(r.t, err)
	return after.Board().Liberties(at) == 1 && before.Board().Liberties(at) > 1
}

// joined reports whether two groups of stones are one chain after a line.
func (r *rules) joined(ply int, line, a, b []string) bool {
	g := r.after(ply, line...)
	p, _ := g.Size().ParseVertex(a[0])
	q, _ := g.Size().ParseVertex(b[0])
	return g.At(p) != board.Empty && g.At(p) == g.At(q) && g.Board().ChainHead(p) == g.Board().ChainHead(q)
}

// sureFor is the minimum ownership of stones that count as alive in the searches that check claims.
const sureFor = 0.8

// holds reports whether a claim about the move of a ply is right, with the figures that decide it.
func (r *rules) holds(ply int, c *review.Claim) (ok bool, why string) {
	m := &r.res.Moves[ply]
	first := func(line []string) []string { return line[:min(len(line), 8)] }
	played, better := first(append([]string{m.Move}, m.Refutation...)), first(m.Best[0].Line)
	best := m.Best[0].Move
	stands := func(stones []string) (bad, good float64) { return r.own(ply, stones, m.Move), r.own(ply, stones, best) }
	switch c.Kind {
	case review.Laddered:
		g := r.after(ply, m.Move)
		p, _ := g.Size().ParseVertex(c.Stones[0])
		return len(g.Board().Chain(nil, g.Board().ChainHead(p))) == len(c.Stones) && r.caught(ply, m.Move, c.Stones), fmt.Sprint(c.Line)
	case review.Captured:
		return r.taken(ply, played, c.Stones) || r.caught(ply, m.Move, c.Stones), fmt.Sprint(played)
	case review.Takes, review.Hunts:
		return r.taken(ply, better, c.Stones) || r.caught(ply, best, c.Stones), fmt.Sprint(better)
	case review.Dies, review.Lives:
		bad, good := stands(c.Stones)
		return c.Proved || bad < -sureFor && good > sureFor, fmt.Sprintf("%.2f %.2f", bad, good)
	case review.Saves, review.Kills:
		_, good := stands(c.Stones)
		return c.Proved || good > sureFor, fmt.Sprintf("%.2f", good)
	case review.Weak, review.Stronger:
		bad, good := stands(c.Stones)
		return good-bad > 0.4, fmt.Sprintf("%.2f %.2f", bad, good)
	case review.Weakens, review.Strengthens:
		bad, good := stands(c.Stones)
		return good > bad, fmt.Sprintf("%.2f %.2f", bad, good)
	case review.Atari:
		return r.inAtari(ply, c, m.Move, c.Move), ""
	case review.Attacks:
		return r.inAtari(ply, c, c.Move), ""
	case review.Parted, review.Connects:
		bad, good := stands(c.Stones)
		return !r.joined(ply, played, c.Stones, c.Others) && r.joined(ply, better, c.Stones, c.Others) && good > bad, fmt.Sprintf("%.2f %.2f", bad, good)
	case review.Joined, review.Cuts:
		bad, good := stands(c.Stones)
		return r.joined(ply, played, c.Stones, c.Others) && !r.joined(ply, better, c.Stones, c.Others) && good > bad, fmt.Sprintf("%.2f %.2f", bad, good)
	case review.Broken:
		return r.broken(ply, c), fmt.Sprint(played)
	case review.Shape:
		return len(c.Stones) == 3 && c.Stones[0] != c.Stones[1], ""
	case review.Threat:
		switch bad, good := r.own(ply, c.Of.Stones, "pass", c.Move), r.own(ply, c.Of.Stones, best); c.Of.Kind {
		case review.Captured:
			return r.taken(ply, c.Line, c.Of.Stones), fmt.Sprint(c.Line)
		case review.Parted:
			return !r.joined(ply, c.Line, c.Of.Stones, c.Of.Others) && r.joined(ply, better, c.Of.Stones, c.Of.Others), fmt.Sprint(c.Line)
		case review.Dies:
			return bad < -sureFor && good > sureFor, fmt.Sprintf("%.2f %.2f", bad, good)
		default:
			return good-bad > 0.4, fmt.Sprintf("%.2f %.2f", bad, good)
		}
	case review.Threatens:
		if c.Of.Kind == review.Captured {
			return r.taken(ply, c.Line, c.Of.Stones), fmt.Sprint(c.Line)
		}
		bad, good := r.own(ply, c.Of.Stones, best), r.own(ply, c.Of.Stones, c.Line[:3]...)
		return good > sureFor || c.Of.Kind == review.Weak && good-bad > 0.4, fmt.Sprintf("%.2f %.2f", bad, good)
	case review.Small, review.Unneeded, review.Inside:
		pass, value, other := r.lead(ply, "pass"), r.lead(ply, m.Move), r.lead(ply, best)
		return value-pass < 0.5*(other-pass) || c.Kind == review.Inside && value-pass < 1.5, fmt.Sprintf("%.1f %.1f", value-pass, other-pass)
	case review.Sente, review.Gote:
		cost, gain := r.lead(ply, c.Move, "pass")-r.lead(ply, c.Move), r.lead(ply, best)-r.lead(ply, "pass")
		return cost > gain == (c.Kind == review.Sente), fmt.Sprintf("%.1f %.1f", cost, gain)
	case review.Holds:
		bad, good := stands(c.Area)
		sum, loss := (good-bad)*float64(len(c.Area)), r.lead(ply, best)-r.lead(ply, m.Move)
		return sum > 0 && sum > 0.4*loss, fmt.Sprintf("%.1f of %.1f", sum, loss)
	}
	loss := r.lead(ply, best) - r.lead(ply, m.Move)
	return loss > 0, fmt.Sprintf("%.1f", loss)
}

// TestClaims reviews games of levels from 18k to 1d. Among the moves that lose 4 points or more
// it counts those with a claim that names stones or a threat, and the points lost by moves
// without a specific reason. It also counts the claims that independent searches confirm: with
// KOSUMI_JUDGE=FILE, searches of 200 visits by the network in FILE, else of 32 visits by the reviewing network.
// Without KOSUMI_JUDGE and KOSUMI_ALL only the games on 9x9 are reviewed.
func TestClaims(t *testing.T) {
	testshared.Slow(t)
	open := func(file string) nn.Evaluator {
		network, err := model.Open(file, model.Config{})
		require.NoError(t, err)
		s, err := nn.NewServer(network, nn.ServerConfig{})
		require.NoError(t, err)
		t.Cleanup(func() { s.Close() })
		return s
	}
	net := open("")
	judging, visits := net, int64(32)
	if file := os.Getenv("KOSUMI_JUDGE"); file != "" {
		judging, visits = open(file), 200
	}
	some, share := "9-*.sgf", 0.55 // 17 of 28 moves had a claim that names stones or a threat
	if os.Getenv("KOSUMI_ALL")+os.Getenv("KOSUMI_JUDGE") != "" {
		some, share = "*.sgf", 0.72
	}
	files, err := filepath.Glob(filepath.Join("../testdata/sgf/levels", some))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	type drawn struct {
		r   *rules
		ply int
		c   *review.Claim
	}
	var claims []drawn
	var big, concrete, other, lost float64
	kinds := map[review.ClaimKind]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		roots, err := sgf.Parse(text)
		require.NoError(t, err)
		g, err := review.Load(roots[0], board.Chinese())
		require.NoError(t, err)
		conf := review.Defaults()
		res, err := review.Run(t.Context(), g, net, conf, nil, nil)
		require.NoError(t, err)
		judge, err := review.NewJudge(judging, conf.Search, visits)
		require.NoError(t, err)
		r := &rules{t, g, res, func(g *board.Game) (*review.Eval, error) { return judge.Position(t.Context(), g) }, map[string]*review.Eval{}}
		for ply := range res.Moves {
			m := &res.Moves[ply]
			if m.Loss < 4 || len(m.Claims) == 0 {
				require.True(t, m.Loss < 4 || !m.Listed || m.Kind == "", "%s %d", file, ply+1)
				continue
			}
			require.LessOrEqual(t, len(m.Claims), 2)
			require.NotContains(t, m.Reason, "{")
			named := false
			for i := range m.Claims {
				c := &m.Claims[i]
				named = named || len(c.Stones) > 0 && c.Kind != review.Shape || c.Of != nil // the claim names stones, or a threat to stones
				if c.After == review.AfterPass || c.After == review.AfterTenuki {
					require.NotEmpty(t, c.Line, "%s %d: %s", file, ply+1, c.Kind)
				}
				kinds[c.Kind]++
				claims = append(claims, drawn{r, ply, c})
			}
			big, lost = big+1, lost+m.Loss
			if named {
				concrete++
			}
			if m.Kind == review.Other || m.Kind == review.EndgameKind {
				other += m.Loss
			}
			t.Logf("%s %d %s -%.1f: %s", filepath.Base(file), m.Number, m.Move, m.Loss, m.Reason)
		}
	}
	sound, wrong := 0.0, map[review.ClaimKind]int{}
	for _, d := range claims {
		ok, why := d.r.holds(d.ply, d.c)
		if ok {
			sound++
			continue
		}
		wrong[d.c.Kind]++
		t.Logf("not confirmed: move %d, %s: %s [%s]", d.ply+1, d.c.Kind, strings.TrimSpace(review.Say([]review.Claim{*d.c}, d.r.res.Moves[d.ply].Color, d.r.res.Moves[d.ply].Move)), why)
	}
	t.Logf("%.0f moves, concrete %.0f %%, other %.1f %% of the points, %.0f %% of %d claims confirmed; %v, not: %v", big, 100*concrete/big, 100*other/lost, 100*sound/float64(len(claims)), len(claims), kinds, wrong)
	require.Greater(t, big, 15.0)
	require.Greater(t, concrete/big, share)
	require.Less(t, other/lost, 0.03)
	require.Greater(t, sound/float64(len(claims)), 0.88)
}
