package model

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"strings"

	"kosumi/nn"
	"kosumi/nn/ort"
	"kosumi/search/setting"
)

// Settings are the user's settings of the network and of the provider that runs it. Start
// from [DefaultSettings]; [SettingsTable] has their names.
type Settings struct {
	Model, HumanModel      string // files; an empty Model is the built-in network, an empty HumanModel none
	Provider, Precision    string // "auto", Kernel, OnnxGo or one of ort.ProviderNames; one of Precisions
	OnnxRuntime            string // file of the library; "": ort.Find looks for it
	Plugin                 string // file of a library of execution providers; "": none
	Device                 int    // number of the provider's device, from 0
	Encoder, Policy, Value string // for foreign networks without metadata; "": inferred
	Sessions, Batch        int    // 0: see SessionCount and BatchSize
	Cache                  int64  // in bytes
	// The end of Context also ends the wait for a device that is slow to start. nil: it never ends.
	Context context.Context

	auto *choice // see Settle
}

// DefaultSettings are the settings if the user sets nothing.
func DefaultSettings() Settings {
	return Settings{Provider: "auto", Precision: "auto", Cache: 256 << 20}
}

// SettingsTable lists what can be set.
func SettingsTable() setting.Table[Settings] {
	return setting.Table[Settings]{
		setting.Of(setting.Info{Name: "model", Source: "the one that the program carries",
			Doc: "network `FILE`: .onnx, or KataGo's .bin.gz or .txt.gz; kosumi, the default, is the built-in one"},
			func(s *Settings) *string { return &s.Model }),
		setting.Of(setting.Info{Name: "human-model", Source: "none",
			Doc: "human network `FILE` beside the model, such as KataGo's b18c384nbt-humanv0; humanSLProfile sets the rank"},
			func(s *Settings) *string { return &s.HumanModel }),
		setting.Of(setting.Info{Name: "provider", Words: append([]string{"auto", Kernel, OnnxGo}, ort.ProviderNames()...), Source: "the fastest here",
			Doc: "runtime of the network: auto (measures once), kernel (no library), cpu (onnxruntime), cuda, tensorrt, coreml, directml, openvino, webgpu, plugin or onnx-go"},
			func(s *Settings) *string { return &s.Provider }),
		setting.Of(setting.Info{Name: "precision", Words: Precisions, Source: "the fastest that is accurate",
			Doc: "number format: auto, int16 (CPUs), fp32 or fp16 (GPUs); auto is int16 with AVX2, else fp32"},
			func(s *Settings) *string { return &s.Precision }),
		setting.Of(setting.Info{Name: "onnxruntime", Source: "the newest found",
			Doc: "onnxruntime library `FILE`; default: searched for (see engine doctor)"},
			func(s *Settings) *string { return &s.OnnxRuntime }),
		setting.Of(setting.Info{Name: "plugin", Source: "none",
			Doc: "plugin `FILE` with execution providers for onnxruntime, such as libonnxruntime_providers_webgpu.so of PyPI's onnxruntime-ep-webgpu"},
			func(s *Settings) *string { return &s.Plugin }),
		setting.Of(setting.Info{Name: "device", High: 63, Source: "the first",
			Doc: "number of the provider's device, from 0, as listed by engine doctor"},
			func(s *Settings) *int { return &s.Device }),
		setting.Of(setting.Info{Name: "encoder", Source: "what the network says of itself",
			Doc: "input encoding, if a foreign ONNX network does not name it: mini7, agz17, agz17-split or seed22"},
			func(s *Settings) *string { return &s.Encoder }),
		setting.Of(setting.Info{Name: "policy", Source: "what the network says of itself",
			Doc: "policy output of a foreign ONNX network: logits, log_softmax or softmax"},
			func(s *Settings) *string { return &s.Policy }),
		setting.Of(setting.Info{Name: "value", Source: "what the network says of itself",
			Doc: "value output of a foreign ONNX network: tanh ([-1,1]) or wdl (three logits)"},
			func(s *Settings) *string { return &s.Value }),
		setting.Of(setting.Info{Name: "sessions", KataGo: "numNNServerThreadsPerModel", High: 256, Source: "own measurements on CPUs",
			Doc: "network sessions. On a CPU each keeps one core busy: 1 uses one core; 0: one for each core, two or three on a device"},
			func(s *Settings) *int { return &s.Sessions }),
		setting.Of(setting.Info{Name: "batch", KataGo: "nnMaxBatchSize", High: 1024, Source: "own measurements on CPUs",
			Doc: "maximum batch size of a network call; 0: 8, on a device 64"},
			func(s *Settings) *int { return &s.Batch }),
		setting.Of(setting.Info{Name: "cache", High: 1 << 20, Unit: 1 << 20, Source: "some 100,000 positions of 19x19",
			Doc: "cache of evaluations in `MiB`; 0: none"},
			func(s *Settings) *int64 { return &s.Cache }),
	}
}

// provider is the provider of the network; the CPU until "auto" has chosen.
func (s *Settings) provider() string {
	switch {
	case !isAuto(s.Provider):
		return strings.ToLower(s.Provider)
	case s.auto != nil && s.auto.Device != "":
		return s.auto.Device
	}
	return ort.CPU
}

// OnDevice reports whether a device runs the network; false until "auto" has chosen.
func (s *Settings) OnDevice() bool { return onDevice(s.provider()) }

// SessionCount is the number of sessions. The default is one for each core; on a device, one for
// each batch that it runs at a time and one to prepare the next batch.
func (s *Settings) SessionCount() int {
	sessions, _, _ := plan(s.provider())
	return cmp.Or(s.Sessions, sessions)
}

// BatchSize is the maximum number of positions in one call.
func (s *Settings) BatchSize() int {
	_, batch, _ := plan(s.provider())
	return cmp.Or(s.Batch, batch)
}

// Config returns the configuration for opening network files.
func (s *Settings) Config(log *slog.Logger) Config {
	return Config{
		Provider: s.Provider, Precision: s.Precision, Library: s.OnnxRuntime, Plugin: s.Plugin, Device: s.Device, Log: log, Context: s.Context, auto: s.auto,
		Overrides: Overrides{Encoding: s.Encoder, Policy: s.Policy, Value: s.Value},
	}
}

// ServerConfig returns the configuration for serving the network; for seed 0 it draws one.
func (s *Settings) ServerConfig(seed uint64) nn.ServerConfig {
	_, _, atOnce := plan(s.provider())
	return nn.ServerConfig{Sessions: s.SessionCount(), MaxBatch: s.BatchSize(), OneDevice: atOnce, CacheBytes: s.Cache, Seed: cmp.Or(seed, rand.Uint64())}
}
