package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/cpu"

	"kosumi/nn/model"
	"kosumi/nn/ort"
)

// finding is one thing that the doctor looked at.
type finding struct {
	What   string `json:"what"`
	OK     bool   `json:"ok"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"`
}

func doctorCommand() *cobra.Command {
	s := defaultSettings()
	var asJSON, everything bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what was found on this machine and what to do about what is missing",
		Long: `Looks for the onnxruntime library, asks it for its execution providers, and
checks the processor, the cache folders and the network. Nothing is changed. What
does not matter here is left out without --all; --json has all of it, for reports
of bugs.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.load(cmd); err != nil {
				return err
			}
			findings := examine(&s)
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), findings)
			}
			if !everything {
				findings = whatMatters(findings)
			}
			printFindings(cmd.OutOrStdout(), findings)
			for _, f := range findings {
				if f.What == "network" && !f.OK {
					return errors.New("the network cannot be run: see above")
				}
			}
			return nil
		},
	}
	s.oneNetworkFlags(c.Flags())
	s.gameFlags(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	c.Flags().BoolVar(&everything, "all", false, "list every provider and every place that was looked at")
	return c
}

func examine(s *settings) []finding {
	all := []finding{
		{What: "program", OK: true, Found: fmt.Sprintf("Kosumi %s, %s", version, buildText())},
		{What: "processor", OK: true, Found: processor()},
	}
	all = append(all, examineLibrary(s)...)
	all = append(all, examineCache())
	return append(all, examineNetwork(s))
}

// whatMatters leaves out the providers that do not work and the places that hold no
// library, where something else serves; the providers become one line.
func whatMatters(all []finding) []finding {
	var some []finding
	var absent []string
	serves := slices.ContainsFunc(all, func(f finding) bool { return f.What == "onnxruntime" && f.OK })
	for _, f := range all {
		provider, is := strings.CutPrefix(f.What, "provider ")
		switch {
		case is && !f.OK:
			absent = append(absent, provider)
		case strings.HasPrefix(f.What, "onnxruntime in ") && serves:
		default:
			some = append(some, f)
		}
	}
	if len(absent) == 0 {
		return some
	}
	at := slices.IndexFunc(some, func(f finding) bool { return f.What == "cache folder" })
	return slices.Insert(some, at, finding{What: "other providers", OK: true,
		Found: "not here: " + strings.Join(absent, ", ") + " (--all says why)"})
}

// processor names what matters for a network on the CPU.
func processor() string {
	var has []string
	for name, present := range map[string]bool{
		"AVX2": cpu.X86.HasAVX2, "AVX-512": cpu.X86.HasAVX512F, "AVX-512 VNNI": cpu.X86.HasAVX512VNNI,
		"AVX-VNNI": cpu.X86.HasAVXVNNI, "AMX int8": cpu.X86.HasAMXInt8,
		"dot product": cpu.ARM64.HasASIMDDP, "I8MM": cpu.ARM64.HasI8MM, "SVE": cpu.ARM64.HasSVE,
	} {
		if present {
			has = append(has, name)
		}
	}
	text := fmt.Sprintf("%d cores", runtime.NumCPU())
	if len(has) > 0 {
		slices.Sort(has)
		text += ", " + strings.Join(has, ", ")
	}
	return text
}

func examineLibrary(s *settings) []finding {
	var all []finding
	for _, c := range ort.Candidates(s.OnnxRuntime) {
		f := finding{What: "onnxruntime in " + c.Source, OK: c.Err == nil, Found: c.Path}
		if c.Err != nil {
			f.Found += ": " + c.Err.Error()
		} else if c.Version != "" {
			f.Found += ", version " + c.Version
		}
		all = append(all, f)
	}
	lib, err := ort.Load(s.OnnxRuntime)
	if err != nil {
		return append(all, finding{What: "onnxruntime", Found: "none that can be used",
			Advice: "run `make deps`, or name a library with --onnxruntime FILE; until then networks run through onnx-go, many times slower"})
	}
	all = append(all, finding{What: "onnxruntime", OK: true, Found: fmt.Sprintf("%s, version %s", lib.Path, lib.Version)})
	statuses, err := ort.Providers(s.OnnxRuntime)
	if err != nil {
		return append(all, finding{What: "providers", Found: err.Error()})
	}
	for _, p := range statuses {
		f := finding{What: "provider " + p.Name, OK: p.Err == nil, Found: "works"}
		if p.Err != nil {
			f.Found = p.Err.Error()
		}
		all = append(all, f)
	}
	return all
}

func examineCache() finding {
	base, err := os.UserCacheDir()
	if err != nil {
		return finding{What: "cache folder", Found: err.Error(), Advice: "set HOME or XDG_CACHE_HOME; without a cache every start prepares the network anew"}
	}
	dir := filepath.Join(base, "kosumi")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return finding{What: "cache folder", Found: err.Error(), Advice: "make the folder writable"}
	}
	var size int64
	var files int
	filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				files++
				size += info.Size()
			}
		}
		return nil
	})
	return finding{What: "cache folder", OK: true, Found: fmt.Sprintf("%s: %d files, %.1f MiB", dir, files, float64(size)/(1<<20))}
}

func examineNetwork(s *settings) finding {
	f := finding{What: "network"}
	size := s.Play.Size
	m, err := model.Open(s.Model, s.modelConfig(s.stderr))
	if err != nil {
		f.Found, f.Advice = err.Error(), "name another file with --model, or another --provider or --precision"
		return f
	}
	defer m.Close()
	b, err := m.Open(size, 1)
	if err != nil {
		f.Found = err.Error()
		return f
	}
	defer b.Close()
	if err := b.Run(1); err != nil {
		f.Found = err.Error()
		return f
	}
	d := m.Describe()
	f.OK = true
	f.Found = fmt.Sprintf("%s on %s in %s (%s), evaluates %dx%d", d.Name, d.Provider, d.Precision, d.Why, size.W, size.H)
	return f
}

func printFindings(w io.Writer, all []finding) {
	for _, f := range all {
		mark := "ok     "
		if !f.OK {
			mark = "missing"
		}
		fmt.Fprintf(w, "%s  %s: %s\n", mark, f.What, strings.ReplaceAll(f.Found, "\n", "; "))
		if f.Advice != "" {
			fmt.Fprintf(w, "         -> %s\n", f.Advice)
		}
	}
}

// writeJSON prints a value as indented JSON.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
