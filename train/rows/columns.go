package rows

// Columns of the global targets (KataGo, cpp/dataio/trainingwrite.h). Values,
// scores and komi are for the side to move; blocks of four are win, loss, no
// result and score. Those of taught rows, from 69 on, are in taught.go.
const (
	tWin              = 0
	tLoss             = 1
	tNoResult         = 2
	tScore            = 3
	tLong             = 4  // the same four over the searches to come: long horizon
	tMiddle           = 8  // middle
	tShort            = 12 // short
	tRoot             = 16 // of this very search
	tFinalScore       = 20
	tLead             = 21
	tArrival          = 22
	tNoTD             = 24 // 1 - weight of the three horizons
	tGlobalWeight     = 25
	tPolicyWeight     = 26
	tFinalWeight      = 27 // of ownership and everything else that needs a real end
	tReplyWeight      = 28
	tLeadWeight       = 29
	tPolicySurprise   = 30
	tPriorEntropy     = 31
	tTargetEntropy    = 32
	tFutureWeight     = 33
	tScoringWeight    = 34
	tNoValue          = 35 // 1 - weight of win, loss and no result
	tHistory          = 36 // five flags: this move of the history may be used
	tHash             = 41 // six pieces of the game's hash
	tSelfKomi         = 47
	tArea             = 48
	tNetChanged       = 49
	tTurn             = 51
	tHitLimit         = 52
	tFirstTurn        = 53
	tExtraBlack       = 54
	tMode             = 55
	tInitialTurn      = 56
	tRawWinLoss       = 57
	tRawScore         = 58
	tRawEntropy       = 59
	tVisits           = 60
	tBonus            = 61
	tPlainEnd         = 62 // 1: the game ended properly and this is not a side position
	tVersion          = 63
	tPassAliveSuicide = 68
	tExcludeTerritory = 69
)

// HashColumn is the first of the six global targets that say of which game a row is.
const HashColumn = tHash
