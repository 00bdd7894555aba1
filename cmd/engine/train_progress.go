package main

import (
	"fmt"
	"strings"
	"time"

	"kosumi/train/learn"
	"kosumi/train/training"
)

// trainLine says losses, speed and time left.
func trainLine(s *training.Progress) string {
	if s.Doing != "" {
		return s.Doing
	}
	parts := []string{fmt.Sprintf("loss %.4f", s.Recent.Loss)}
	for _, name := range []string{learn.TermPolicy, learn.TermValue, learn.TermOwnership, learn.TermScoreMean} {
		if t, ok := s.Recent.Term(name); ok && t.Weight > 0 {
			parts = append(parts, fmt.Sprintf("%s %.3f", strings.ReplaceAll(name, "_", " "), t.Mean))
		}
	}
	if t, ok := s.Recent.Term(learn.MeasurePolicyTop1); ok {
		parts = append(parts, fmt.Sprintf("top-1 %.0f %%", 100*t.Mean))
	}
	if s.Speed > 0 {
		parts = append(parts, fmt.Sprintf("%.0f samples/s", s.Speed))
	}
	if s.Left > 0 {
		parts = append(parts, "left "+s.Left.Round(time.Second).String())
	}
	return strings.Join(parts, ", ")
}
