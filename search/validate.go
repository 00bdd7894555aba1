package search

import (
	"errors"
	"fmt"
	"math"

	"kosumi/board"
)

// ErrParams is wrapped by every fault that Validate finds.
var ErrParams = errors.New("bad search settings")

// faults collects what is wrong with settings.
type faults []error

// in demands lo <= v <= hi.
func (f *faults) in(name string, v, lo, hi float64) {
	if !(v >= lo && v <= hi) { // NaN fails too
		*f = append(*f, fmt.Errorf("%w: %s is %v, must be from %v to %v", ErrParams, name, v, lo, hi))
	}
}

// Validate returns all faults of the settings joined, each wrapping ErrParams,
// or nil.
func (p Params) Validate() error {
	var f faults
	p.validateSelection(&f)
	p.validateBackup(&f)
	p.validateRoot(&f)
	p.validateLimits(&f)
	return errors.Join(f...)
}

const large = 1e6

func (p *Params) validateSelection(f *faults) {
	f.in("PUCT.Exploration", p.PUCT.Exploration, 0, 100)
	f.in("PUCT.ExplorationLog", p.PUCT.ExplorationLog, 0, 100)
	f.in("PUCT.ExplorationBase", p.PUCT.ExplorationBase, 1e-3, large)
	f.in("PUCT.ParentOffset", p.PUCT.ParentOffset, 1e-9, 100)
	f.in("PUCT.UtilityStdevScale", p.PUCT.UtilityStdevScale, 0, 1)
	f.in("PUCT.UtilityStdevPrior", p.PUCT.UtilityStdevPrior, 1e-3, 10)
	f.in("PUCT.UtilityStdevPriorWeight", p.PUCT.UtilityStdevPriorWeight, 0, 100)
	f.in("FPU.ReductionMax", p.FPU.ReductionMax, 0, 2)
	f.in("FPU.RootReductionMax", p.FPU.RootReductionMax, 0, 2)
	f.in("FPU.ParentWeight", p.FPU.ParentWeight, 0, 1)
	if p.FPU.ParentWeightByVisitedPolicy {
		f.in("FPU.ParentWeightByVisitedPolicyPow", p.FPU.ParentWeightByVisitedPolicyPow, 0, 5)
	}
	f.in("FPU.LossProp", p.FPU.LossProp, 0, 1)
	f.in("FPU.RootLossProp", p.FPU.RootLossProp, 0, 1)
	f.in("VirtualLoss.Form", float64(p.VirtualLoss.Form), 0, float64(CountOnly))
	f.in("VirtualLoss.PerVisit", p.VirtualLoss.PerVisit, 0.01, 1000)
	f.in("VirtualLoss.WeightFloor", p.VirtualLoss.WeightFloor, 0, 100)
	f.in("Net.Symmetry", float64(p.Net.Symmetry), -1, 7)
	f.in("Net.PolicyOptimism", p.Net.PolicyOptimism, 0, 1)
	f.in("Net.RootOptimism", p.Net.RootOptimism, 0, 1)
	f.in("Net.PolicyTemperature", p.Net.PolicyTemperature, 0.01, 100)
	f.in("Net.PlayoutDoublingAdvantage", p.Net.PlayoutDoublingAdvantage, -3, 3)
	f.in("Net.AdvantageFor", float64(p.Net.AdvantageFor), float64(board.Empty), float64(board.White))
}

func (p *Params) validateBackup(f *faults) {
	f.in("Utility.WinLossFactor", p.Utility.WinLossFactor, 0, 1)
	f.in("Utility.StaticScoreFactor", p.Utility.StaticScoreFactor, 0, 1)
	f.in("Utility.DynamicScoreFactor", p.Utility.DynamicScoreFactor, 0, 1)
	f.in("Utility.DynamicCenterZeroWeight", p.Utility.DynamicCenterZeroWeight, 0, 1)
	f.in("Utility.DynamicCenterScale", p.Utility.DynamicCenterScale, 0.2, 5)
	f.in("Utility.NoResultForWhite", p.Utility.NoResultForWhite, -2, 2)
	f.in("Utility.DrawEquivalentWinsForWhite", p.Utility.DrawEquivalentWinsForWhite, 0, 1)
	b := &p.Backup
	if b.UseUncertainty {
		f.in("Backup.UncertaintyCoeff", b.UncertaintyCoeff, 1e-4, 1)
		f.in("Backup.UncertaintyExponent", b.UncertaintyExponent, 0, 2)
		f.in("Backup.UncertaintyMaxWeight", b.UncertaintyMaxWeight, 1, 100)
	}
	if b.UseNoisePruning {
		f.in("Backup.NoisePruneUtilityScale", b.NoisePruneUtilityScale, 1e-3, 10)
		f.in("Backup.NoisePruningCap", b.NoisePruningCap, 0, math.MaxFloat64)
	}
	f.in("Backup.ValueWeightExponent", b.ValueWeightExponent, 0, 1)
	f.in("Backup.ExactVisits", float64(b.ExactVisits), 0, math.MaxInt32)
	f.in("Backup.ExactShare", float64(b.ExactShare), 0, math.MaxInt32)
	f.in("Graph.RepBound", float64(p.Graph.RepBound), 3, 50)
	f.in("Bias.Factor", p.Bias.Factor, 0, 1)
	f.in("Bias.WeightExponent", p.Bias.WeightExponent, 0, 1)
	f.in("Bias.FreeProp", p.Bias.FreeProp, 0, 1)
}

func (p *Params) validateRoot(f *faults) {
	r := &p.Root
	if r.NoiseEnabled {
		f.in("Root.DirichletTotalConcentration", r.DirichletTotalConcentration, 1e-3, large)
		f.in("Root.DirichletAlpha", r.DirichletAlpha, 0, large)
		f.in("Root.DirichletWeight", r.DirichletWeight, 0, 1)
	}
	f.in("Root.PolicyTemperature", r.PolicyTemperature, 0.01, 100)
	f.in("Root.PolicyTemperatureEarly", r.PolicyTemperatureEarly, 0.01, 100)
	f.in("Root.WideNoise", r.WideNoise, 0, 5)
	f.in("Root.DesiredPerChildVisitsCoeff", r.DesiredPerChildVisitsCoeff, 0, 100)
	f.in("Root.EndingBonusPoints", r.EndingBonusPoints, -1, 1)
	f.in("Root.NumSymmetries", float64(r.NumSymmetries), 1, 8)
	f.in("Root.Gumbel.Considered", float64(r.Gumbel.Considered), 0, 626)
	f.in("Root.Gumbel.VisitScale", r.Gumbel.VisitScale, 0, large)
	f.in("Root.Gumbel.ValueScale", r.Gumbel.ValueScale, 0, large)
	c := &p.Choice
	f.in("Choice.LCBStdevs", c.LCBStdevs, 0, 12)
	if c.UseLCB {
		f.in("Choice.LCBStdevs with UseLCB", c.LCBStdevs, 0.1, 12)
	}
	f.in("Choice.MinVisitPropForLCB", c.MinVisitPropForLCB, 0, 1)
	f.in("Choice.Temperature", c.Temperature, 0, 5)
	f.in("Choice.TemperatureEarly", c.TemperatureEarly, 0, 5)
	f.in("Choice.TemperatureHalflife", c.TemperatureHalflife, 0.1, large)
	f.in("Choice.Subtract", c.Subtract, 0, large)
	f.in("Choice.Prune", c.Prune, 0, large)
}

func (p *Params) validateLimits(f *faults) {
	f.in("Parallel.Workers", float64(p.Parallel.Workers), 1, 4096)
	f.in("Parallel.VisitsPerFlight", float64(p.Parallel.VisitsPerFlight), 0, large)
	f.in("Parallel.PlayoutsPerFlight", float64(p.Parallel.PlayoutsPerFlight), 0, large)
	f.in("Parallel.CollisionRetries", float64(p.Parallel.CollisionRetries), 0, 1000)
	f.in("Parallel.FreePerFlight", p.Parallel.FreePerFlight, 0, 1000)
	f.in("Memory.MaxBytes", float64(p.Memory.MaxBytes), 0, math.MaxInt64)
	if p.Memory.MaxBytes != 0 {
		f.in("Memory.MaxBytes", float64(p.Memory.MaxBytes), float64(minBytes), math.MaxInt64)
	}
	f.in("Memory.PriorsPerNode", float64(p.Memory.PriorsPerNode), 8, 626)
	f.in("Stop.FutileVisitsThreshold", p.Stop.FutileVisitsThreshold, 0, 1)
	f.in("Stop.DecidedShare", p.Stop.DecidedShare, 0.01, 1)
}
