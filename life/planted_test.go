package life

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/life/check"
	"kosumi/life/solver"
)

// planted lists possible errors in a proof. Each function plant returns changed copies of a proof file's lines, one
// for each place where the error can be planted; the checker must refuse all copies.
var planted = []struct {
	name  string
	plant func(lines []string) [][]string
}{
	{"the answer to a pass is missing", eachReply(func(r string) []string { return when(strings.HasPrefix(r, "pass:"), nil) })},
	{"the answer to a move is missing", eachReply(func(r string) []string { return when(!strings.HasPrefix(r, "pass:"), nil) })},
	{"an answer is given twice", eachReply(func(r string) []string { return []string{r + " " + r} })},
	{"an answer to another move", eachReply(func(r string) []string {
		_, to, _ := strings.Cut(r, ":")
		return when(to != "end" && !strings.HasPrefix(r, "A1:"), []string{"A1:" + to})
	})},
	{"an answer leads to a node of the loser's", leadsTo("l ", "l ")},
	{"an answer leads to a node of the winner's that differs", leadsTo("l ", "w ")},
	{"an answer leads to the first node", eachReply(func(r string) []string { return []string{strings.Split(r, ":")[0] + ":0"} })},
	{"an answer leads nowhere", eachReply(func(r string) []string { return []string{strings.Split(r, ":")[0] + ":99999"} })},
	{"play ends where it goes on", eachReply(func(r string) []string {
		return when(!strings.HasSuffix(r, ":end"), []string{strings.Split(r, ":")[0] + ":end"})
	})},
	{"the winner passes instead of taking", passInstead},
	{"the winner plays on the corner", eachMove(func(m, to string) string { return "A1:" + to })},
	{"the winner plays off the board", eachMove(func(m, to string) string { return "T25:" + to })},
	{"the winner's move leads to a node of the winner's", leadsTo("w ", "w ")},
	{"the winner's move ends play", eachMove(func(m, to string) string { return m + ":end" })},
	{"the winner has no move", eachLine("w ", func(string) string { return "w" })},
	{"the winner's node is the loser's", eachLine("w ", func(l string) string { return "l" + l[1:] })},
	{"the loser's node is the winner's", eachLine("l ", func(l string) string { return "w" + l[1:] })},
	{"taken where it is safe", eachLine("s", func(string) string { return "t" })},
	{"safe where it is taken", eachLine("t", func(l string) string { return "s" + l[1:] })},
	{"doomed before it is", eachLine("w ", func(string) string { return "d" })},
	{"doomed where it is safe", eachLine("s", func(string) string { return "d" })},
	{"doomed where it is taken", eachLine("t", func(string) string { return "d" })},
	{"taken before it is", eachLine("l ", func(string) string { return "t" })},
	{"safe before it is", eachLine("w ", func(string) string { return "s" })},
	{"a leaf with a move", eachLine("t", func(string) string { return "t A1:99999" })},
	{"the other side moves first", eachLine("claim ", swap("attacker", "defender"))},
	{"another goal", eachLine("claim ", func(l string) string {
		f := strings.Fields(l)
		f[2] = map[string]string{
			check.Capture: check.Settle, check.Settle: check.Capture, check.Hold: check.Deny, check.Deny: check.Hold,
			check.NotCapture: check.NotHold, check.NotHold: check.NotCapture, check.NotSettle: check.NotCapture,
		}[f[2]]
		return strings.Join(f, " ")
	})},
	{"a claim about a later node", eachLine("claim ", func(l string) string {
		f := strings.Fields(l)
		f[5] = addTo(f[5], 1)
		return strings.Join(f, " ")
	})},
	{"a claim about no node", eachLine("claim ", func(l string) string { return l + "99" })},
	{"the other side defends", eachLine("defender ", swap("black", "white"))},
	{"an assumption off the board", eachLine("assumed ", func(l string) string { return l + " Z25" })},
	{"a target elsewhere", eachLine("target ", func(string) string { return "target A1" })},
	{"no target", func(lines []string) [][]string { return drop(lines, "target ") }},
	{"a row is missing", func(lines []string) [][]string { return drop(lines, "row ") }},
	{"the colours", func(lines []string) [][]string {
		return [][]string{strings.Split(swap("X", "O")(strings.Join(lines, "\n")), "\n")}
	}},
	{"an order that gives points one number", eachLine("order ", func(string) string { return "order 1 1" })},
	{"an order that does not fit", eachLine("order ", func(string) string { return "order 1 64" })},
	{"an order is given twice", eachLine("order ", func(l string) string { return l + "\n" + l })},
	{"the last node is missing", func(lines []string) [][]string { return [][]string{lines[:len(lines)-1]} }},
	{"a node that nothing leads to", func(lines []string) [][]string { return [][]string{append(slices.Clone(lines), "t")} }},
	{"an answer of an evasion is missing", eachOf("L", func(string) []string { return nil })},
	{"an answer of an evasion is given twice", eachOf("L", func(r string) []string { return []string{r + " " + r} })},
	{"an answer of an evasion leads to its first node", eachOf("L", func(r string) []string { return []string{strings.Split(r, ":")[0] + ":0"} })},
	{"the evader's move leads to the first node", eachOf("W", func(r string) []string { return []string{strings.Split(r, ":")[0] + ":0"} })},
	{"the evader has no move", eachOf("W", func(string) []string { return nil })},
	{"the evader's move ends play", eachOf("W", func(r string) []string { return []string{strings.Split(r, ":")[0] + ":end"} })},
	{"the evader's node is the other side's", eachLine("W ", func(l string) string { return "L" + l[1:] })},
	{"a node of an evasion is the evader's", eachLine("L ", func(l string) string { return "W" + l[1:] })},
	{"an unknown word", func(lines []string) [][]string { return [][]string{append(slices.Clone(lines), "x")} }},
}

func when(ok bool, r []string) []string {
	if ok {
		return r
	}
	return []string{""}
}

func swap(a, b string) func(string) string {
	return strings.NewReplacer(a, b, b, a).Replace
}

func addTo(number string, n int) string {
	v := 0
	fmt.Sscan(number, &v)
	return fmt.Sprint(max(0, v+n))
}

// leadsTo redirects the last move of each node whose line begins with from, one node at a time, to
// the last node whose line begins with kind.
func leadsTo(from, kind string) func([]string) [][]string {
	return func(lines []string) (out [][]string) {
		first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "claim ") }) + 1
		last := 0
		for i := first; i < len(lines); i++ {
			if strings.HasPrefix(lines[i], kind) {
				last = i
			}
		}
		for i := first; i < last; i++ {
			l := lines[i]
			to := l[strings.LastIndexByte(l, ':')+1:]
			if !strings.HasPrefix(l, from) || to == "end" || from != kind && lines[i] == lines[last] {
				continue
			}
			next := slices.Clone(lines)
			next[i] = strings.TrimSuffix(l, to) + fmt.Sprint(last-first)
			if next[i] != l && !sameEnd(lines, first, to, last-first) {
				out = append(out, next)
			}
		}
		return out
	}
}

// sameEnd reports whether two nodes have the same kind and first move, so that one can replace the
// other.
func sameEnd(lines []string, first int, to string, last int) bool {
	v := 0
	fmt.Sscan(to, &v)
	a, b := lines[first+v], lines[first+last]
	return a[0] == b[0] && strings.Split(a, ":")[0] == strings.Split(b, ":")[0]
}

// eachLine changes each line that begins with prefix, one at a time.
func eachLine(prefix string, change func(string) string) func([]string) [][]string {
	return func(lines []string) (out [][]string) {
		for i, l := range lines {
			if strings.HasPrefix(l, prefix) && strings.Fields(l)[0] == strings.Fields(prefix)[0] {
				if c := change(l); c != l {
					next := slices.Clone(lines)
					next[i] = c
					out = append(out, next)
				}
			}
		}
		return out
	}
}

func drop(lines []string, prefix string) (out [][]string) {
	for i, l := range lines {
		if strings.HasPrefix(l, prefix) {
			out = append(out, slices.Delete(slices.Clone(lines), i, i+1))
		}
	}
	return out
}

// eachMove changes each move of the winner, one at a time.
func eachMove(change func(m, to string) string) func([]string) [][]string {
	return eachLine("w ", func(l string) string {
		m, to, _ := strings.Cut(l[2:], ":")
		return "w " + change(m, to)
	})
}

// passInstead replaces a capture of the target by a pass.
func passInstead(lines []string) [][]string {
	first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "claim ") }) + 1
	return eachMove(func(m, to string) string {
		v := 0
		fmt.Sscan(to, &v)
		if lines[first+v] != "t" {
			return m + ":" + to
		}
		return "pass:" + to
	})(lines)
}

// eachReply changes each answer in the loser's nodes, one at a time. If change returns [""], the
// answer stays as it is; if change returns nil, the answer is dropped.
func eachReply(change func(r string) []string) func([]string) [][]string { return eachOf("l", change) }

// eachOf is eachReply for nodes of one kind.
func eachOf(kind string, change func(r string) []string) func([]string) [][]string {
	return func(lines []string) (out [][]string) {
		for i, l := range lines {
			f := strings.Fields(l)
			if f[0] != kind {
				continue
			}
			for j, r := range f[1:] {
				c := change(r)
				if len(c) == 1 && (c[0] == "" || c[0] == r) {
					continue
				}
				next := slices.Clone(lines)
				next[i] = strings.Join(slices.Replace(slices.Clone(f), j+1, j+2, c...), " ")
				out = append(out, next)
			}
		}
		return out
	}
}

// proofsOf returns proof files of a shape for either side moving first: one for each goal that is reached without
// threats, and one for each goal that is not reached.
func proofsOf(t *testing.T, s *shape) (out [][]byte) {
	l, err := s.question().encode()
	require.NoError(t, err)
	for bits := range 4 {
		find := solver.NewSearch(l.Game)
		find.MaxNodes = 50000
		root := l.start
		root.Mover = solver.Side(bits & 1)
		if at, _ := find.Decide(solver.Contest(bits>>1), &root); at >= 0 {
			out = append(out, l.proofFile(s.question(), find, []claim{{first: root.Mover, goal: find.Proof(at).Goal, proof: at}}))
		}
	}
	for _, goal := range []solver.Goal{solver.Capture, solver.Hold, solver.Settle} {
		for bits := range 4 {
			find := solver.NewSearch(l.Game)
			root := l.start
			root.Mover, root.Threat = solver.Side(bits&1), [2]uint8{0, uint8(bits >> 1 * solver.Endless)}
			if at, _ := find.Evade(goal, &root, 50000); at >= 0 {
				out = append(out, l.proofFile(s.question(), find, []claim{{first: root.Mover, goal: goal, threat: root.Threat, proof: at, evaded: true}}))
			}
		}
	}
	return out
}

func TestPlantedFaults(t *testing.T) {
	testshared.Long(t)
	count := map[string]int{}
	for _, e := range readExamples(t) {
		for _, data := range proofsOf(t, e.shape) {
			if len(data) > 4000 || strings.HasSuffix(string(data[:strings.LastIndex(string(data), "sum ")]), "0\ns\n") {
				continue // the proof is long, or a fault may not matter because the chain is alive from the start
			}
			_, err := check.Proof(data)
			require.NoError(t, err)
			text := string(data[:strings.LastIndex(string(data), "sum ")])
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			for _, p := range planted {
				for _, bad := range p.plant(lines) {
					count[p.name]++
					_, err := check.Proof(check.Seal([]byte(strings.Join(bad, "\n") + "\n")))
					require.ErrorIs(t, err, check.ErrProof, "%s: %s\n%s\nwas\n%s", e.name, p.name, strings.Join(bad, "\n"), text)
				}
			}
			for i := range data {
				bad := slices.Clone(data)
				bad[i] ^= 1
				_, err := check.Proof(bad)
				require.ErrorIs(t, err, check.ErrProof, "byte %d", i)
			}
		}
	}
	for _, p := range planted {
		require.Positive(t, count[p.name], p.name)
	}
	t.Log(count)
}

// TestPlantedThreats: the checker refuses a proof whose claims are changed to other numbers of
// threats or to another goal.
func TestPlantedThreats(t *testing.T) {
	four, err := parseShape("..a..dX\nT.T.dXX\nTTTTXXX")
	require.NoError(t, err)
	list := append(readExamples(t), example{name: "four threats", shape: four})
	planted := 0
	for _, c := range []struct {
		name  string
		holds string   // claims proved, with the attacker first
		bad   []string // false claims in their place
	}{
		{"4 k=1", "hold 0 1", []string{"hold 0 0", "settle 0 1", "hold 0 any", "hold 1 1"}},
		{"6 approach", "hold 0 2", []string{"hold 0 1", "hold 0 2/0", "hold 0 0/2", "hold 0 2/x", "hold 0 32"}},
		{"6 approach", "capture 0 2/0", []string{"capture 0 2/1", "capture 0 2", "capture 1 2/0", "hold 0 2/0"}},
		{"19 two mouths", "hold 0 2/0", []string{"hold 0 1/0", "hold 0 1", "hold 1 2/0", "hold 2/0 2/0"}},
		{"four threats", "hold 0 4", []string{"hold 0 3", "hold 0 4/2"}},
		{"four threats", "capture 0 4/2", []string{"capture 0 4/3", "capture 0 4"}},
		{"8 ko-held false eye", "capture 0 any", []string{"capture 0 endless", "hold 0 any", "capture any 0", "capture any any", "settle 0 any", "not-hold 0 any"}},
		{"10 double ko", "hold any 0", []string{"hold endless 0", "hold any any", "hold any endless", "settle any 0"}},
	} {
		i := slices.IndexFunc(list, func(e example) bool { return e.name == c.name })
		out, err := Ask(context.Background(), list[i].shape.question(), Options{Nodes: 4000000})
		require.NoError(t, err)
		text := string(out.Proof[:strings.LastIndex(string(out.Proof), "sum ")])
		require.Contains(t, text, "\nclaim attacker "+c.holds+" ", c.name)
		for _, bad := range c.bad {
			_, err := check.Proof(check.Seal([]byte(strings.Replace(text, "\nclaim attacker "+c.holds+" ", "\nclaim attacker "+bad+" ", 1))))
			require.ErrorIs(t, err, check.ErrProof, "%s: %s", c.name, bad)
			planted++
		}
	}
	// This evasion holds against endless threats of the attacker, but play in it can go round without costing a
	// threat. So it does not prove that the defender reaches Hold against any finite number of threats.
	s := list[slices.IndexFunc(list, func(e example) bool { return e.name == "11 cycle" })].shape
	l, err := s.question().encode()
	require.NoError(t, err)
	find := solver.NewSearch(l.Game)
	root := l.start
	root.Threat[solver.Attacker] = solver.Endless
	at, _ := find.Evade(solver.Capture, &root, 50000)
	require.GreaterOrEqual(t, at, int32(0))
	require.True(t, !find.Evasions[at].Ends && find.Evasions[at].Never)
	claims := []claim{{first: solver.Attacker, goal: solver.Capture, threat: root.Threat, proof: at, evaded: true}}
	_, err = check.Proof(l.proofFile(s.question(), find, claims))
	require.NoError(t, err)
	claims[0].goal, claims[0].threat[solver.Attacker] = solver.Hold, solver.Any
	_, err = check.Proof(l.proofFile(s.question(), find, claims))
	require.ErrorContains(t, err, "play may go round")
	t.Log(planted)
}
