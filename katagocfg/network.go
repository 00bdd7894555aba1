package katagocfg

import (
	"errors"
	"strings"
)

// Network says how the network is run.
type Network struct {
	Cache        int // entries are 2 to this power; -1: none
	MaxBatch     int // 0: not given
	Sessions     int // 0: not given
	Symmetry     int // forced, 0 to 7; -1: none
	Randomize    bool
	FP16         string // auto, true or false
	Seed         string
	HomeDataDir  string
	SkipNetwork  bool
	ForceMaxSize bool
}

// backends are the beginnings of keys that only one of KataGo's ways to run a
// network reads; the others pass over them in silence.
var backends = []string{"cuda", "trt", "metal", "opencl", "dummybackend", "numNNServerThreadsPerModel", "nnMaxBatchSize", "eigenInputsUseNHWC",
	"eigenUseFP16", "eigenDeviceToUse", "eigenGpuToUse", "numEigenThreadsPerModel"}

func (a *asker) network(of Program) Network {
	const most = 25
	cache := map[Program]int{GTP: 20, Analysis: 23}[of]
	n := Network{Cache: cache, Symmetry: -1}
	n.ForceMaxSize = of == GTP && a.flag("gtpForceMaxNNSize", false)
	n.MaxBatch = a.whole("nnMaxBatchSize", 1, 65536, 0)
	n.Sessions = a.whole("numNNServerThreadsPerModel", 1, 1024, 0)
	n.Sessions = a.whole("numEigenThreadsPerModel", 1, 1024, n.Sessions)
	for _, prefix := range backends {
		a.c.Use(prefix)
	}
	n.SkipNetwork = a.flag("debugSkipNeuralNet", false)
	for _, index := range []string{"0", ""} {
		for _, key := range []string{"maxBoardXSizeForNNBuffer", "maxBoardSizeForNNBuffer", "maxBoardYSizeForNNBuffer"} {
			a.whole(key+index, 2, most, 2)
		}
		a.flag("requireMaxBoardSize"+index, false)
		a.flag("inputsUseNHWC"+index, false)
		n.Seed += a.text("nnRandSeed" + index)
	}
	n.Randomize = a.flag("nnRandomize", true)
	for key := range a.c.values {
		if strings.HasPrefix(key, "deviceToUse") || strings.HasPrefix(key, "gpuToUse") {
			a.whole(key, 0, 1023, 0)
		}
	}
	n.HomeDataDir = a.text("homeDataDir")
	n.FP16 = a.enabled("useFP16")
	if a.c.Has("useFP16-0") {
		n.FP16 = a.enabled("useFP16-0")
	}
	n.Symmetry = a.whole("nnForcedSymmetry", 0, 7, -1)
	n.Cache = a.whole("nnCacheSizePowerOfTwo", -1, 48, cache)
	a.whole("nnMutexPoolSizePowerOfTwo", -1, 24, 16)
	return n
}

// patterns reads the keys by which KataGo avoids moves of earlier games; what they
// ask for is not done here, so they are returned to be named.
func (a *asker) patterns() []string {
	var asked []string
	for key := range a.c.values {
		if strings.HasPrefix(key, "avoidSgf") || strings.HasPrefix(key, "autoAvoidRepeat") {
			asked = append(asked, key)
			a.c.used[key] = true
		}
	}
	return asked
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
