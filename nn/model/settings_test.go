package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/model"
)

// TestSettings: the table sets each field, and unset numbers have their documented meaning.
func TestSettings(t *testing.T) {
	s := model.DefaultSettings()
	require.Empty(t, model.SettingsTable().Check(&s))
	require.Positive(t, s.SessionCount())
	require.Equal(t, 8, s.BatchSize())
	require.NotZero(t, s.ServerConfig(0).Seed)
	table := model.SettingsTable()
	for name, text := range map[string]string{
		"model": "a", "human-model": "b", "provider": "cpu", "precision": "fp32", "onnxruntime": "c", "encoder": "v7",
		"policy": "softmax", "value": "wdl", "sessions": "3", "batch": "5", "cache": "2",
	} {
		require.NoError(t, table.Set(&s, name, text))
	}
	require.Equal(t, model.Settings{Model: "a", HumanModel: "b", Provider: "cpu", Precision: "fp32", OnnxRuntime: "c", Encoder: "v7",
		Policy: "softmax", Value: "wdl", Sessions: 3, Batch: 5, Cache: 2 << 20}, s)
	c := s.ServerConfig(7)
	require.Equal(t, []int{3, 5, 2 << 20, 7}, []int{c.Sessions, c.MaxBatch, int(c.CacheBytes), int(c.Seed)})
	require.Equal(t, model.Overrides{Encoding: "v7", Policy: "softmax", Value: "wdl"}, s.Config(nil).Overrides)
	require.Error(t, table.Set(&s, "precision", "int8"))
}
