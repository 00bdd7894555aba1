package sgf

import (
	"fmt"
	"strings"
	"unicode"

	"kosumi/board"
)

// ruleWords lists, for names that board.ParseRules reads, what people and servers write in RU. Words
// are separated by blanks and contain none.
var ruleWords = map[string]string{
	"japanese": "japanese jp jpn jap japan nihon nihonkiin japanisch japonaise japonais japonés japonesas giapponese японские японский 日本 日本式 日本棋院 にほん " +
		"일본 일본식 일본기원 territory territoryscoring territorial 数目 數目 数目法 數目法 目数法 地 地合い 집 집계산",
	"chinese": "chinese cn chn china zhongguo chinesisch chinoise chinois chinas cinese китайские китайский 中国 中國 中国式 中國式 中国棋院 中国围棋 中華 중국 중국식 " +
		"area areascoring 数子 數子 数子法 數子法 面积 面積",
	"korean":        "korean kr kor korea hankuk koreanisch coréenne coréen coreanas корейские корейский 韓国 韩国 韓國 韓国式 韩国式 韓國式 韓国棋院 한국 한국식 한국기원 대한민국",
	"aga":           "aga american usa us americangoassociation 美国 美國 アメリカ 미국 bga british ffg french française francaise 法国 法國 フランス 프랑스",
	"ing":           "ing goe ingsgoe inggoe sst ingsst ingssst ingset 应氏 應氏 応氏 应昌期 應昌期 応昌期 计点 計點 计点制 計點制 応氏杯 잉 잉씨 응씨 응창기",
	"new-zealand":   "newzealand nz nzgs neuseeland 新西兰 新西蘭 紐西蘭 纽西兰 ニュージーランド 뉴질랜드",
	"tromp-taylor":  "tromptaylor tromp tt logical logicalrules トロンプテイラー トロンプテーラー トロンプ・テイラー トロンプ・テーラー 트롬프테일러 트롬프테일러식 特罗普泰勒 特朗普泰勒",
	"stone-scoring": "stonescoring oldchinese ancientchinese ancientarea 古代中国 古代中國 중국고대",
}

// ruleNames maps each word of ruleWords to the name of its rules.
var ruleNames = func() map[string]string {
	names := map[string]string{}
	for name, words := range ruleWords {
		for _, w := range strings.Fields(words) {
			names[ruleKey(w)] = name
		}
	}
	return names
}()

func ruleKey(text string) string {
	text = strings.Map(func(r rune) rune {
		if r >= 0xFF01 && r <= 0xFF5E {
			r -= 0xFEE0 // full width
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == 'ー' {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
	for _, word := range []string{"rules", "rule", "ruleset", "scoring", "regeln", "règles", "reglas", "правила", "ルール", "规则", "規則", "规则", "囲碁", "围棋", "圍棋", "の", "룰", "규칙", "바둑", "계가법"} {
		if rest := strings.ReplaceAll(text, word, ""); rest != "" {
			text = rest
		}
	}
	return text
}

// BoardRules returns the record's rules, with the record's komi if it has one. It knows the names
// of FF[4], those of board.ParseRules, names in several languages, and KataGo's composed form
// (koSIMPLEscoreAREAtaxNONEsui0button1whbN).
func (r *Record) BoardRules() (board.Rules, error) {
	rules, err := parseRules(r.Rules)
	if err != nil {
		return board.Rules{}, err
	}
	if r.HasKomi {
		rules.Komi = float32(r.Komi)
	}
	return rules, nil
}

// RulesOr returns the rules of a game with its komi, and notes in plain sentences on assumptions.
// Missing or unknown rules are replaced by fallback, a missing komi by the usual one of the rules or,
// with handicap stones, by 0.5.
func (r *Record) RulesOr(fallback board.Rules) (rules board.Rules, notes []string) {
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	scoring := "rules with area scoring"
	if fallback.Scoring == board.ScoringTerritory {
		scoring = "rules with territory scoring"
	}
	rules, err := parseRules(r.Rules)
	switch {
	case strings.TrimSpace(r.Rules) == "":
		rules = fallback
		note("The record names no rules; %s were taken.", scoring)
	case err != nil:
		rules = fallback
		note("The rules %q are not known; %s were taken.", clip(strings.TrimSpace(r.Rules)), scoring)
	}
	if r.Handicap > 1 {
		rules.Komi = 0.5
	}
	switch {
	case r.HasKomi:
		rules.Komi = float32(r.Komi)
	case r.badKomi != "":
		note("The komi %q of the record makes no sense; %g was taken.", clip(r.badKomi), rules.Komi)
	default:
		note("The record names no komi; %g was taken.", rules.Komi)
	}
	return rules, notes
}

// parseRules reads the text of RU. If the whole text is unknown, it reads the first part alone, as
// in "Japanese, 10 minutes" and "Chinese (quick)".
func parseRules(text string) (board.Rules, error) {
	text = strings.TrimSpace(text)
	rules, err := board.ParseRules(text)
	if err == nil {
		return rules, nil
	}
	first := text
	if i := strings.IndexAny(text, ",;:(（、，/"); i > 0 {
		first = text[:i]
	}
	for _, part := range []string{text, first} {
		key := ruleKey(part)
		if name, ok := ruleNames[key]; ok {
			key = name
		}
		if rules, err := board.ParseRules(key); err == nil {
			return rules, nil
		}
	}
	return board.Rules{}, fmt.Errorf("%w: RU[%s]: %w", ErrValue, clip(text), err)
}
