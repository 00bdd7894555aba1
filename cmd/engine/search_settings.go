package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"kosumi/search"
)

// searchFlags adds what changes the search itself.
func (s *settings) searchFlags(f *pflag.FlagSet) {
	f.StringVar(&s.Preset, "preset", s.Preset, "what settings of the search start from: "+strings.Join(search.Presets, ", "))
	f.StringArrayVar(&s.sets, "set", nil, "`NAME=VALUE` of the search, may be given often; engine config lists the names")
}

// applySearch changes parameters of the search to what preset, config file and
// --set ask for, in this order.
func (s *settings) applySearch(p *search.Params) error {
	if s.Preset != defaultSettings().Preset {
		from, err := search.Preset(s.Preset)
		if err != nil {
			return fmt.Errorf("--preset: %w", err)
		}
		// These tell analysis from play; presets are about how to search.
		from.Root.WideNoise, from.Pass.IgnorePreRootHistory = p.Root.WideNoise, p.Pass.IgnorePreRootHistory
		from.AntiMirror = from.AntiMirror && p.AntiMirror
		*p = from
	}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(s.Search)) {
		if err := p.SetByName(name, fmt.Sprint(s.Search[name])); err != nil {
			faults = append(faults, fmt.Errorf("config file, [search]: %w", err))
		}
	}
	for _, set := range s.sets {
		for one := range strings.SplitSeq(set, ",") {
			name, value, ok := strings.Cut(one, "=")
			if !ok {
				faults = append(faults, fmt.Errorf("--set %s: want NAME=VALUE", one))
				continue
			}
			if err := p.SetByName(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
				faults = append(faults, fmt.Errorf("--set: %w", err))
			}
		}
	}
	if len(faults) == 0 {
		faults = append(faults, p.Validate())
	}
	return errors.Join(faults...)
}

// searchParams returns the parameters that the settings ask for, over those
// given.
func (s *settings) searchParams(base search.Params) (search.Params, error) {
	err := s.applySearch(&base)
	base.Seed = s.Seed
	base.Parallel.Workers = s.workers()
	base.Memory.MaxBytes = int64(s.MaxMemory) << 20
	return base, err
}
