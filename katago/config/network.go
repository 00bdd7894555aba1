package config

import (
	"errors"
	"slices"
	"strings"

	"kosumi/board"
)

// Network is the settings of the network.
type Network struct {
	Cache     int // the cache has 2^Cache entries; -1: no cache
	MaxBatch  int // 0 if not given
	Sessions  int // 0 if not given
	Symmetry  int // forced symmetry, 0 to 7; -1: none
	Randomize bool
	FP16      string // auto, true or false
	Seed      string
	// Idle are the given keys without effect here: devices, buffers, locks and tuning of KataGo's
	// own program, and settings about earlier games.
	Idle []string
}

// tuning are prefixes of keys that only tune the memory, locks and devices of KataGo's own
// program. Each of its backends ignores the keys of the others without a warning.
var tuning = []string{"cuda", "trt", "metal", "opencl", "rocm", "onnx", "dummybackend",
	"eigenInputsUseNHWC", "eigenUseFP16", "eigenDeviceToUse", "eigenGpuToUse", "deviceToUse", "gpuToUse",
	"nnMutexPoolSizePowerOfTwo", "homeDataDir", "maxBoardXSizeForNNBuffer", "maxBoardSizeForNNBuffer", "maxBoardYSizeForNNBuffer",
	"requireMaxBoardSize", "inputsUseNHWC"}

// others are prefixes of further keys without effect, such as those about earlier games.
var others = map[Program][]string{
	GTP:      {"debugSkipNeuralNet", "avoidSgf", "autoAvoidRepeat", "gtpForceMaxNNSize", "logSearchInfoForChosenMove"},
	Analysis: {"debugSkipNeuralNet", "avoidSgf"},
}

func (a *asker) network(of Program) Network {
	cache := map[Program]int{GTP: 20, Analysis: 23}[of]
	n := Network{Symmetry: -1}
	n.MaxBatch = a.whole("nnMaxBatchSize", 1, 65536, 0)
	n.Sessions = a.whole("numNNServerThreadsPerModel", 1, 1024, 0)
	n.Sessions = a.whole("numEigenThreadsPerModel", 1, 1024, n.Sessions)
	for _, prefix := range []string{"nnMaxBatchSize", "numNNServerThreadsPerModel", "numEigenThreadsPerModel"} {
		a.c.Use(prefix)
	}
	n.Randomize = a.flag("nnRandomize", true)
	n.FP16 = a.enabled("useFP16")
	if a.c.Has("useFP16-0") {
		n.FP16 = a.enabled("useFP16-0")
	}
	n.Symmetry = a.whole("nnForcedSymmetry", 0, 7, -1)
	n.Cache = a.whole("nnCacheSizePowerOfTwo", -1, 48, cache)
	n.Seed = a.text("nnRandSeed0") + a.text("nnRandSeed")
	n.Idle = a.idle(of)
	return n
}

// idle marks the given keys without effect as used, and returns those whose value is not false.
func (a *asker) idle(of Program) (given []string) {
	for key, value := range a.c.values {
		if begins(key, tuning, others[of]) {
			a.c.used[key] = true
			if !strings.EqualFold(value, "false") {
				given = append(given, key)
			}
		}
	}
	return given
}

// begins reports whether a key has one of the prefixes.
func begins(key string, lists ...[]string) bool {
	return slices.ContainsFunc(slices.Concat(lists...), func(word string) bool { return strings.HasPrefix(key, word) })
}

// Tuning reports whether a key without effect only tunes KataGo's own program.
func Tuning(name string) bool {
	return begins(name, tuning, []string{"nodeTableShards", "gtpForceMaxNNSize", "useFP16"})
}

// Perspective reads the side for which winrates and scores are given (Empty: the side to move); absent is its default.
func (c *Config) Perspective(absent board.Color) (board.Color, error) {
	if !c.Has("reportAnalysisWinratesAs") {
		return absent, nil
	}
	v, err := c.Get(Key{Name: "reportAnalysisWinratesAs"})
	if err != nil || strings.EqualFold(v.Text, "sidetomove") {
		return board.Empty, err
	}
	view, err := board.ParseColor(v.Text)
	if err != nil {
		return board.Empty, errors.New("Could not parse config value for reportAnalysisWinratesAs: " + v.Text)
	}
	return view, nil
}
