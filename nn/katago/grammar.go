package katago

import (
	"fmt"
	"regexp"
)

// The methods here visit a whole file: header, trunk, policy head, value head, in the order in which
// KataGo reads them. They check each item against the sizes that follow from earlier items.

const maxReal = 1e30

// network visits the whole file.
func (w *walker) network(n *Network) {
	w.header(&n.Header)
	w.trunk(&n.Trunk, &n.Header)
	w.in("policy", func() { w.policyHead(&n.Policy, n.Trunk.Channels, n.Header.Version) })
	w.in("value", func() { w.valueHead(&n.Value, n.Trunk.Channels, n.Header.Version) })
}

func (w *walker) header(h *Header) {
	w.label(&h.Name)
	if w.err == nil && !networkName.MatchString(h.Name) {
		w.fail(fmt.Errorf("%w: it should start with a name of at most %d letters, digits, '-' and '_'", ErrFormat, maxNameLen))
	}
	w.count("model version", &h.Version, 0, 1<<31-1)
	if w.err == nil && (h.Version < MinVersion || h.Version > MaxVersion) {
		w.fail(versionError(h.Version))
	}
	spatial, global := inputCounts(h.Version)
	w.channels("input planes", &h.SpatialInputs, spatial)
	w.channels("global inputs", &h.GlobalInputs, global)
	if h.Version >= 13 {
		m := &h.Multipliers
		for _, v := range []*float64{&m.TDScore, &m.ScoreMean, &m.ScoreStdev, &m.Lead,
			&m.VarianceTime, &m.ShorttermValueErr, &m.ShorttermScoreErr} {
			w.number("output multiplier", v, 1e-30, maxReal)
		}
	} else if w.reading {
		h.Multipliers = DefaultMultipliers()
	}
	if h.Version >= 15 {
		w.count("metadata encoder version", &h.MetaEncoder, 0, 1<<31-1)
		if w.err == nil && h.MetaEncoder > 1 {
			w.fail(unknown("metadata encoder version %d", h.MetaEncoder))
		}
		w.preference("model preferPassAliveUnderSuicideRules", &h.PassAliveUnderSuicide)
		w.preference("model preferExcludeTerritoryAdjacentToAtari", &h.ExcludeTerritoryAdjacentToAtari)
		w.options("model", 'D', 5)
	} else if h.MetaEncoder > 0 {
		w.misfit("a metadata encoder needs version 15 or later")
	}
}

var networkName = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z0-9_-]{1,%d}$`, maxNameLen))

func (w *walker) trunk(t *Trunk, h *Header) {
	numBlocks := len(t.Blocks)
	w.in("trunk", func() {
		w.label(&t.Name)
		w.count("number of blocks", &numBlocks, 1, maxBlocks)
		w.channels("trunk channels", &t.Channels, anySize)
		for _, v := range []*int{&t.Widths.Mid, &t.Widths.Regular, &t.Widths.Dilated, &t.Widths.Pool} {
			w.count("width", v, 0, maxChannels)
		}
		if h.Version >= 15 {
			w.count("kind of trunk norm", &t.NormKind, 0, 1<<31-1)
			if w.err == nil && t.NormKind > 1 {
				w.fail(unknown("unknown kind of trunk norm %d", t.NormKind))
			}
			w.options("trunk", 'B', 5)
		}
	})
	w.in("input", func() {
		w.conv("conv", &t.Conv, h.SpatialInputs, t.Channels)
		w.matmul("global", &t.Global, h.GlobalInputs, t.Channels)
		if w.reading && h.MetaEncoder > 0 {
			t.Meta = new(MetaEncoder)
		}
		w.in("meta", func() {
			if (t.Meta != nil) != (h.MetaEncoder > 0) {
				w.misfit("metadata encoder version %d does not go with it", h.MetaEncoder)
			} else if t.Meta != nil {
				w.metaEncoder(t.Meta, t.Channels, h.Version)
			}
		})
	})
	w.in("blocks", func() { w.blocks(&t.Blocks, numBlocks, t.Channels, h.Version) })
	w.in("tip", func() {
		if t.NormKind == 0 {
			w.norm("norm", &t.Tip, t.Channels)
		} else {
			if w.reading {
				t.TipRMS = new(TipRMS)
			}
			w.in("rms", func() { w.tipRMS(t.TipRMS, t.Channels) })
		}
		w.act("act", &t.TipAct, h.Version)
	})
}

func (w *walker) metaEncoder(m *MetaEncoder, channels, version int) {
	w.label(&m.Name)
	inputs := MetaInputs
	w.count("metadata inputs", &inputs, MetaInputs, MetaInputs)
	w.matmul("m1", &m.M1, MetaInputs, anySize)
	w.bias("b1", &m.B1, m.M1.Out)
	w.act("a1", &m.A1, version)
	w.matmul("m2", &m.M2, m.M1.Out, anySize)
	w.bias("b2", &m.B2, m.M2.Out)
	w.act("a2", &m.A2, version)
	w.matmul("m3", &m.M3, m.M2.Out, channels)
}

// policyChannels returns the number of policy channels that a version implies, or 0 if the file
// states the number.
func policyChannels(version int) int {
	switch {
	case version <= 11:
		return 1
	case version <= 15:
		return 2
	case version == 16:
		return 4
	}
	return 0
}

func scoreValues(version int) int {
	switch {
	case version <= 3:
		return 1
	case version <= 7:
		return 2
	case version == 8:
		return 4
	}
	return 6
}

// inputCounts are the numbers of planes and globals that a version takes.
func inputCounts(version int) (spatial, global int) {
	switch {
	case version <= 5:
		return 22, 14
	case version == 6:
		return 13, 12
	case version == 7:
		return 22, 16
	}
	return 22, 19
}

func (w *walker) policyHead(p *PolicyHead, channels, version int) {
	w.label(&p.Name)
	if version >= 17 {
		w.count("policy channels", &p.Channels, 2, 4)
		if w.err == nil && p.Channels == 3 {
			w.fail(fmt.Errorf("%w: 3 policy channels, should be 2 or 4", ErrFormat))
		}
		w.options("policy", 'A', 3)
	} else if w.reading {
		p.Channels = policyChannels(version)
	} else if want := policyChannels(version); p.Channels != want {
		w.misfit("channels: %d, should be %d", p.Channels, want)
	}
	w.conv("p1", &p.P1, channels, anySize)
	w.conv("g1", &p.G1, channels, anySize)
	w.norm("gnorm", &p.GNorm, p.G1.Out)
	w.act("gact", &p.GAct, version)
	w.matmul("gmul", &p.GMul, 3*p.G1.Out, p.P1.Out)
	w.norm("pnorm", &p.PNorm, p.P1.Out)
	w.act("pact", &p.PAct, version)
	w.conv("p2", &p.P2, p.P1.Out, p.Channels)
	if version < 15 {
		w.matmul("pass1", &p.Pass1, 3*p.G1.Out, p.Channels)
		return
	}
	w.matmul("pass1", &p.Pass1, 3*p.G1.Out, p.P1.Out)
	w.bias("pass_bias", &p.PassBias, p.P1.Out)
	w.act("pass_act", &p.PassAct, version)
	w.matmul("pass2", &p.Pass2, p.P1.Out, p.Channels)
}

func (w *walker) valueHead(v *ValueHead, channels, version int) {
	w.label(&v.Name)
	if version >= 17 {
		w.options("value", 'A', 3)
	}
	w.conv("v1", &v.V1, channels, anySize)
	w.norm("vnorm", &v.VNorm, v.V1.Out)
	w.act("vact", &v.VAct, version)
	w.matmul("m2", &v.M2, 3*v.V1.Out, anySize)
	w.bias("b2", &v.B2, v.M2.Out)
	w.act("a2", &v.A2, version)
	w.matmul("m3", &v.M3, v.M2.Out, 3)
	w.bias("b3", &v.B3, 3)
	w.matmul("score", &v.Score, v.M2.Out, scoreValues(version))
	w.bias("score_bias", &v.ScoreBias, scoreValues(version))
	w.conv("ownership", &v.Ownership, v.V1.Out, 1)
}
