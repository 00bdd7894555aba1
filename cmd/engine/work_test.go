package main

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"kosumi/train/loop"
)

// TestWorkersHaveACache: --cache and [loop.Compute] give the size of a worker's cache in MiB.
func TestWorkersHaveACache(t *testing.T) {
	cache := workCommand().Flags().Lookup("cache")
	require.Equal(t, "64", cache.DefValue)
	s := cache.Value.(*flagValue).s
	require.EqualValues(t, 64<<20, s.ServerConfig(s.Play.Seed).CacheBytes)
	require.NoError(t, cache.Value.Set("3"))
	require.NoError(t, s.load(&cobra.Command{}, nil))
	require.EqualValues(t, 3<<20, s.ServerConfig(s.Play.Seed).CacheBytes)
	require.EqualValues(t, 48<<20, workerSettings(&loop.Compute{CacheMiB: 48}).ServerConfig(1).CacheBytes)
}
