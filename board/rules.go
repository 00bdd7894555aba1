package board

import (
	"errors"
	"fmt"
	"math"
)

// KoRule says which repetitions are forbidden.
type KoRule uint8

const (
	KoSimple      KoRule = iota // only the immediate recapture of a single stone; longer cycles end without result
	KoPositional                // no earlier position of stones may be made again
	KoSituational               // no earlier position of stones may be made again with the same side to move
	KoSpight                    // positional, but a pass lifts all bans
)

// Scoring is how points are counted.
type Scoring uint8

const (
	ScoringArea      Scoring = iota // stones and surrounded points
	ScoringTerritory                // surrounded points and prisoners
)

// Tax says which surrounded points do not count, or are taken off.
type Tax uint8

const (
	TaxNone Tax = iota
	TaxSeki     // points surrounded in seki do not count
	TaxAll      // points in seki do not count, and every independent living group loses two points
)

// HandicapBonus is White's compensation for n handicap stones.
type HandicapBonus uint8

const (
	BonusZero    HandicapBonus = iota
	BonusN                     // n points
	BonusNMinus1               // n-1 points
)

// ErrRules is wrapped by every error about rules.
var ErrRules = errors.New("invalid rules")

// Rules are the rules of a game. The zero value is area scoring with simple ko,
// no suicide and no komi.
type Rules struct {
	Ko            KoRule
	Scoring       Scoring
	Tax           Tax
	Suicide       bool // suicide of two stones or more is legal; of a single stone it never is
	Button        bool // the first pass is worth half a point; area scoring only
	HandicapBonus HandicapBonus
	// FriendlyPassOk means that by convention both sides may pass with dead stones left on the
	// board. It changes the players' expectations, not the score.
	FriendlyPassOk bool
	Komi           float32 // White's points
}

// Check returns an error that wraps ErrRules if the rules make no sense.
func (r Rules) Check() error {
	switch {
	case r.Ko > KoSpight:
		return fmt.Errorf("%w: unknown ko rule %d", ErrRules, r.Ko)
	case r.Scoring > ScoringTerritory:
		return fmt.Errorf("%w: unknown scoring %d", ErrRules, r.Scoring)
	case r.Tax > TaxAll:
		return fmt.Errorf("%w: unknown tax %d", ErrRules, r.Tax)
	case r.HandicapBonus > BonusNMinus1:
		return fmt.Errorf("%w: unknown handicap bonus %d", ErrRules, r.HandicapBonus)
	case r.Button && r.Scoring != ScoringArea:
		return fmt.Errorf("%w: the button needs area scoring", ErrRules)
	case math.IsNaN(float64(r.Komi)) || math.Abs(float64(r.Komi)) > maxKomi:
		return fmt.Errorf("%w: komi %v, want -%d to %d", ErrRules, r.Komi, maxKomi, maxKomi)
	}
	return nil
}

// maxKomi is the largest komi; no board has as many points.
const maxKomi = 10000

// TrompTaylor returns the rules of Tromp and Taylor: positional superko, area
// scoring, suicide, komi 7.5.
func TrompTaylor() Rules {
	return Rules{Ko: KoPositional, Suicide: true, Komi: 7.5}
}

// Chinese returns Chinese rules: simple ko, area scoring, komi 7.5.
func Chinese() Rules {
	return Rules{HandicapBonus: BonusN, FriendlyPassOk: true, Komi: 7.5}
}

// Japanese returns Japanese rules: simple ko, territory scoring, komi 6.5.
func Japanese() Rules {
	return Rules{Scoring: ScoringTerritory, Tax: TaxSeki, Komi: 6.5}
}

// Rules that have a name but no function.
var (
	chineseServer    = Rules{Ko: KoPositional, HandicapBonus: BonusN, FriendlyPassOk: true, Komi: 7.5}
	aga              = Rules{Ko: KoSituational, HandicapBonus: BonusNMinus1, FriendlyPassOk: true, Komi: 7.5}
	agaButton        = Rules{Ko: KoSituational, Button: true, HandicapBonus: BonusNMinus1, FriendlyPassOk: true, Komi: 7}
	newZealand       = Rules{Ko: KoSituational, Suicide: true, FriendlyPassOk: true, Komi: 7}
	ing              = Rules{Ko: KoPositional, Suicide: true, FriendlyPassOk: true, Komi: 7.5}
	ancientArea      = Rules{Tax: TaxAll, FriendlyPassOk: true, Komi: 7.5}
	ancientTerritory = Rules{Scoring: ScoringTerritory, Tax: TaxAll, Komi: 6.5}
)

// RuleNames lists the names of well-known rules, in a form that [ParseRules] reads.
func RuleNames() []string {
	return []string{"chinese", "japanese", "korean", "aga", "new-zealand", "tromp-taylor", "french", "ing", "stone-scoring"}
}

// presets are the named rules, by name in lower case without separators, as
// KataGo's GTP extensions list them.
var presets = map[string]Rules{
	"tromptaylor":      TrompTaylor(),
	"chinese":          Chinese(),
	"chineseogs":       chineseServer,
	"chinesekgs":       chineseServer,
	"japanese":         Japanese(),
	"korean":           Japanese(),
	"aga":              aga,
	"bga":              aga,
	"french":           aga,
	"agabutton":        agaButton,
	"newzealand":       newZealand,
	"nz":               newZealand,
	"goe":              ing,
	"ing":              ing,
	"stonescoring":     ancientArea,
	"ancientarea":      ancientArea,
	"ancientterritory": ancientTerritory,
}
