package doctor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDoctorSaysWhatMatters(t *testing.T) {
	all := []Finding{
		{What: "program", OK: true}, {What: "onnxruntime in the cache", OK: true}, {What: "onnxruntime in /usr/lib", Found: "nothing there"},
		{What: "onnxruntime", OK: true}, {What: "provider cpu", OK: true}, {What: "provider cuda"}, {What: "provider coreml"}, {What: "provider webgpu", Advice: "renew its driver"},
		{What: "cache folder", OK: true}, {What: "network", OK: true},
	}
	names := func(all []Finding) (out []string) {
		for _, f := range all {
			out = append(out, f.What)
		}
		return out
	}
	some := WhatMatters(all)
	require.Equal(t, []string{"program", "onnxruntime", "provider cpu", "provider webgpu", "other providers", "cache folder", "network"}, names(some))
	require.Equal(t, "not here: cuda, coreml (--all says why)", some[4].Found)

	all[3].OK = false
	require.NotContains(t, names(WhatMatters(all)), "onnxruntime in /usr/lib", "the network runs without one")
	all[len(all)-1].OK = false
	require.Contains(t, names(WhatMatters(all)), "onnxruntime in /usr/lib", "where nothing serves, it matters where one was sought")
}
