package config

import (
	"errors"
	"slices"
	"strings"
)

// Network says how the network is run.
type Network struct {
	Cache     int // entries are 2 to this power; -1: none
	MaxBatch  int // 0: not given
	Sessions  int // 0: not given
	Symmetry  int // forced, 0 to 7; -1: none
	Randomize bool
	FP16      string // auto, true or false
	Seed      string
	// Idle are the keys given that have no effect here: devices, buffers, locks and
	// tuning of KataGo's own program, and moves of earlier games.
	Idle []string
}

// machinery are the beginnings of keys about how KataGo itself is built. Each of
// its ways to run a network passes over those of the others in silence.
var machinery = []string{"cuda", "trt", "metal", "opencl", "rocm", "onnx", "dummybackend",
	"eigenInputsUseNHWC", "eigenUseFP16", "eigenDeviceToUse", "eigenGpuToUse", "deviceToUse", "gpuToUse"}

func (a *asker) network(of Program) Network {
	const most = 25
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
	n.Idle = a.idle(of, most)
	return n
}

// idle reads what has no effect here, mostly since it concerns how KataGo itself is
// built, and returns the keys that are given; of those that are on or off, the ones that
// are on.
func (a *asker) idle(of Program, most int) (given []string) {
	keys := []string{"nnMutexPoolSizePowerOfTwo", "homeDataDir"}
	a.whole(keys[0], -1, 24, 16)
	a.text(keys[1])
	flags := []string{"debugSkipNeuralNet"}
	if of == GTP {
		flags = append(flags, "gtpForceMaxNNSize", "logSearchInfoForChosenMove")
	}
	for _, index := range []string{"0", ""} {
		for _, key := range []string{"maxBoardXSizeForNNBuffer", "maxBoardSizeForNNBuffer", "maxBoardYSizeForNNBuffer"} {
			a.whole(key+index, 2, most, 2)
			keys = append(keys, key+index)
		}
		flags = append(flags, "requireMaxBoardSize"+index, "inputsUseNHWC"+index)
	}
	for _, key := range keys {
		if a.c.Has(key) {
			given = append(given, key)
		}
	}
	for _, key := range flags {
		if a.flag(key, false) {
			given = append(given, key)
		}
	}
	past := []string{"avoidSgf"} // moves of earlier games are not charged for
	if of == GTP {
		past = append(past, "autoAvoidRepeat")
	}
	for _, prefix := range slices.Concat(machinery, past) {
		for key := range a.c.values {
			if !strings.HasPrefix(key, prefix) {
				continue
			}
			if prefix == "deviceToUse" || prefix == "gpuToUse" {
				a.whole(key, 0, 1023, 0)
			}
			given = append(given, key)
		}
		a.c.Use(prefix)
	}
	return given
}

// Tuning reports whether a key only tunes the memory, locks and devices of KataGo's own
// program: what it does is the same without.
func Tuning(name string) bool {
	for _, prefix := range append([]string{"nnMutexPoolSize", "nodeTableShards", "homeDataDir", "gtpForceMaxNNSize", "maxBoard",
		"requireMaxBoardSize", "inputsUseNHWC", "useFP16"}, machinery...) {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Perspective reads whose view numbers are given in: "black", "white" or "" for
// the side to move.
func (c *Config) Perspective(absent string) (string, error) {
	if !c.Has("reportAnalysisWinratesAs") {
		return absent, nil
	}
	v, err := c.Get(Key{Name: "reportAnalysisWinratesAs"})
	if err != nil {
		return "", err
	}
	switch strings.ToLower(v.Text) {
	case "b", "black":
		return "black", nil
	case "w", "white":
		return "white", nil
	case "sidetomove":
		return "", nil
	}
	return "", errors.New("Could not parse config value for reportAnalysisWinratesAs: " + v.Text)
}
