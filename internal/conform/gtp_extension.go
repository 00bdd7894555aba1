package conform

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"

	"github.com/stretchr/testify/require"
)

var extensionItems = []item[*GTP]{
	{52, "rules", checkRules},
	{53, "kata-raw-nn", checkRawNetwork},
	{54, "gogui-analyze_commands", checkAnalyzeCommands},
	{55, "recorded traffic of clients", checkTraffic},
}

func checkRules(s *GTP) {
	s.All("boardsize 9", "komi 5.5", "play b e5", "play w c3")
	stones := s.diagram()
	for _, name := range []string{"aga-button", "AGA_BUTTON", " Aga Button ", "agabutton"} {
		s.All("kata-set-rules tromp-taylor", "kata-set-rules "+name)
		require.Equal(s.T, []string{`= {"friendlyPassOk":true,"hasButton":true,"ko":"SITUATIONAL","scoring":"AREA","suicide":false,"tax":"NONE","whiteHandicapBonus":"N-1"}`},
			s.Ask("kata-get-rules").Raw, name)
	}
	require.Equal(s.T, "5.5", s.OK("get_komi"), "names do not change komi")
	require.Equal(s.T, stones, s.diagram())
	s.All(`kata-set-rules {"ko": "SIMPLE", "scoring":"AREA","suicide" :false}`)
	s.unchanged(func() {
		s.Refuse("",
			"kata-set-rules", "kata-set-rules martian", `kata-set-rules {"ko":"SIMPLE"`, `kata-set-rules {"ko":"NONE"}`,
			`kata-set-rules {"kO2":"SIMPLE"}`, `kata-set-rules {"komi":3}`, `kata-set-rules {"suicide":"maybe"}`,
			"kata-set-rule", "kata-set-rule ko", "kata-set-rule ko NONE", "kata-set-rule foo true", "kgs-rules", "kgs-rules martian")
	})
	s.All(`kata-set-rules {"score":"TERRITORY"}`)
	require.Contains(s.T, s.OK("kata-get-rules"), `"scoring":"TERRITORY","suicide":true,"tax":"SEKI"`)
	s.All("kata-set-rule scoring AREA", "kata-set-rule tax NONE", "kata-set-rule suicide false", "kata-set-rule ko situational",
		"kata-set-rule whiteHandicapBonus N-1")
	require.Equal(s.T, `{"friendlyPassOk":false,"hasButton":false,"ko":"SITUATIONAL","scoring":"AREA","suicide":false,"tax":"NONE","whiteHandicapBonus":"N-1"}`,
		s.OK("kata-get-rules"))
	for name, want := range map[string]string{
		"japanese": "TERRITORY", "chinese": "POSITIONAL", "aga": "SITUATIONAL", "new_zealand": `"suicide":true`, "chinese 19 7.5": "AREA",
	} {
		s.All("kgs-rules " + name)
		require.Contains(s.T, s.OK("kata-get-rules"), want)
	}
	s.checkParams()
}

func (s *GTP) checkParams() {
	names := strings.Fields(s.OK("kata-list-params"))
	require.Subset(s.T, names, []string{"maxVisits", "maxPlayouts", "maxTime", "numSearchThreads", "ponderingEnabled", "allowResignation"})
	var values map[string]any
	require.NoError(s.T, json.Unmarshal([]byte(s.OK("kata-get-params")), &values))
	require.Len(s.T, values, len(names))
	s.All("kata-set-param maxVisits 123", "kata-set-param playoutDoublingAdvantage 0", "kata-set-param analysisWideRootNoise 0.04")
	require.Equal(s.T, "123", s.OK("kata-get-param maxVisits"))
	s.All(`kata-set-params {"maxVisits": 77, "ponderingEnabled": false}`)
	require.Equal(s.T, "77", s.OK("kata-get-param maxVisits"))
	s.Refuse("",
		"kata-get-param foo", "kata-get-param", "kata-set-param foo 1", "kata-set-param", "kata-set-param maxVisits many",
		"kata-set-params 7", `kata-set-params {"maxVisits": 5, "foo": 1}`, `kata-set-params {"maxVisits": [5]}`)
	require.Equal(s.T, "77", s.OK("kata-get-param maxVisits"), "all or nothing")
	var models []map[string]any
	require.NoError(s.T, json.Unmarshal([]byte(s.OK("kata-get-models")), &models))
	for _, m := range models {
		require.Subset(s.T, slices.Collect(maps.Keys(m)), []string{"name", "internalName", "maxBatchSize", "usesHumanSLProfile", "version", "usingFP16"})
	}
}

// rawKeys are the keys of the lines that kata-raw-nn prints before the policy.
var rawKeys = strings.Fields("whiteWin whiteLoss noResult whiteLead whiteScoreSelfplay whiteScoreSelfplaySq varTimeLeft shorttermWinlossError shorttermScoreError")

func checkRawNetwork(s *GTP) {
	for _, size := range []board.Size{{W: 5, H: 5}, {W: 9, H: 13}} {
		s.All(fmt.Sprintf("boardsize %d %d", size.W, size.H), "play b c3")
		r := s.Ask("kata-raw-nn 0")
		require.True(s.T, r.OK, r.Text)
		require.Equal(s.T, "= symmetry 0", r.Raw[0])
		rest := s.checkRaw(r.Raw[1:], size)
		require.Empty(s.T, rest)
	}
	s.All("boardsize 9")
	r := s.Ask("kata-raw-nn b all 0.5")
	require.True(s.T, r.OK, r.Text)
	rest := append([]string{strings.TrimPrefix(r.Raw[0], "= ")}, r.Raw[1:]...)
	for k := range 8 {
		require.Equal(s.T, fmt.Sprintf("symmetry %d", k), rest[0])
		rest = s.checkRaw(rest[1:], board.Square(9))
	}
	require.Empty(s.T, rest)
	s.Refuse("syntax error", "kata-raw-nn", "kata-raw-nn 8", "kata-raw-nn x", "kata-raw-nn 0 x", "kata-raw-nn b")
}

// checkRaw checks one evaluation and returns the lines after it.
func (s *GTP) checkRaw(lines []string, size board.Size) []string {
	for _, key := range rawKeys {
		require.Regexp(s.T, `^`+key+` -?\d+\.\d+$`, lines[0])
		lines = lines[1:]
	}
	require.Equal(s.T, "policy", lines[0])
	sum := s.sumRows(lines[1:1+size.H], size.W)
	require.Regexp(s.T, `^policyPass \d+\.\d+$`, lines[1+size.H])
	pass, err := strconv.ParseFloat(strings.Fields(lines[1+size.H])[1], 64)
	require.NoError(s.T, err)
	require.InDelta(s.T, 1, sum+pass, 0.001, "probabilities")
	require.Equal(s.T, "whiteOwnership", lines[2+size.H])
	s.sumRows(lines[3+size.H:3+2*size.H], size.W)
	return lines[3+2*size.H:]
}

func (s *GTP) sumRows(lines []string, width int) float64 {
	sum := 0.0
	for _, l := range lines {
		words := strings.Fields(l)
		require.Len(s.T, words, width)
		for _, w := range words {
			if w == "NAN" {
				continue
			}
			f, err := strconv.ParseFloat(w, 64)
			require.NoError(s.T, err)
			require.LessOrEqual(s.T, math.Abs(f), 1.0)
			sum += f
		}
	}
	return sum
}

var goguiTypes = strings.Fields(`string hstring pstring hpstring none plist pspairs bwboard cboard sboard dboard gfx var varb
	varw varc varp varpo eplist param`)

func checkAnalyzeCommands(s *GTP) {
	s.quick()
	s.All("boardsize 9", "play b e5", "play w c3")
	labels := map[string]bool{}
	for _, l := range strings.Split(s.OK("gogui-analyze_commands"), "\n") {
		fields := strings.Split(l, "/")
		require.True(s.T, 3 <= len(fields) && len(fields) <= 5, l)
		require.Contains(s.T, goguiTypes, fields[0], l)
		require.False(s.T, labels[fields[1]], "label twice: %s", l)
		labels[fields[1]] = true
		command := strings.NewReplacer("%m", "b", "%c", "w", "%p", "D4", "%s", "chinese", "%o", "").Replace(fields[2])
		require.NotContains(s.T, command, "%", "a wildcard that the test does not know")
		text := s.OK("%s", command)
		switch fields[0] {
		case "dboard":
			rows := strings.Split(text, "\n")
			require.Len(s.T, rows, 9, l)
			s.sumRows(rows, 9)
		case "plist":
			for _, v := range strings.Fields(text) {
				require.Regexp(s.T, `^[A-HJ]\d$`, v, l)
			}
		case "param":
			for _, line := range strings.Split(text, "\n") {
				require.Regexp(s.T, `^\[(string|bool|list/.+)\] \S+ ?`, line)
			}
			s.All(command + " maxVisits 9")
			require.Equal(s.T, "9", s.OK("kata-get-param maxVisits"))
			s.All(command+" ponderingEnabled 0", command+" ponderingEnabled 1")
			require.Equal(s.T, "true", s.OK("kata-get-param ponderingEnabled"))
			s.All(command + " ponderingEnabled 0")
		}
	}
}

func checkTraffic(s *GTP) {
	for _, f := range transcripts(s.T, "client-*.gtp") {
		Replay(s.again(s.T), f)
	}
	s.OK("name")
}
