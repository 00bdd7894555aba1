// Package doctor reports what a machine needs to run networks and how to get what is missing: the
// library, its providers, the processor, the cache, a network.
package doctor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/cpu"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/nn/ort"
)

// Finding is the result of one check.
type Finding struct {
	What   string `json:"what"`
	OK     bool   `json:"ok"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"`
}

// Config says what to check.
type Config struct {
	Program string // name and version
	Model   string // file; "" is the built-in network
	Open    model.Config
	Size    board.Size // board size of the trial evaluation
}

// WithoutC describes the limits of a program built without cgo.
const WithoutC = "this program was built without a C compiler: networks run some 70 times slower, transformers and training not at all"

// Examine runs all checks; the network comes last. It changes nothing, except that it makes the
// cache folder.
func Examine(c Config) []Finding {
	all := []Finding{
		{What: "program", OK: true, Found: c.Program},
		{What: "processor", OK: true, Found: Processor()},
	}
	if ort.Available {
		all = append(all, examineLibrary(c.Open.Library, c.Open.Plugin)...)
	} else {
		all = append(all, Finding{What: "C compiler", Found: WithoutC, Advice: "install one, such as gcc, and run make build, or take a release"})
	}
	return append(all, examineCache(), examineNetwork(c))
}

// WhatMatters leaves out missing providers and library locations if others work, and joins the
// providers into one line.
func WhatMatters(all []Finding) []Finding {
	var some []Finding
	var absent []string
	serves := slices.ContainsFunc(all, func(f Finding) bool { return f.OK && (f.What == "onnxruntime" || f.What == "network") })
	for _, f := range all {
		provider, is := strings.CutPrefix(f.What, "provider ")
		switch {
		case is && !f.OK && f.Advice == "":
			absent = append(absent, provider)
		case strings.HasPrefix(f.What, "onnxruntime in ") && serves:
		default:
			some = append(some, f)
		}
	}
	if len(absent) == 0 {
		return some
	}
	at := slices.IndexFunc(some, func(f Finding) bool { return f.What == "cache folder" })
	return slices.Insert(some, at, Finding{What: "other providers", OK: true,
		Found: "not here: " + strings.Join(absent, ", ") + " (--all says why)"})
}

// Processor describes the processor's features that matter for networks.
func Processor() string {
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
	if n := nn.Cores(); n != runtime.NumCPU() {
		text += fmt.Sprintf(" (the container or GOMAXPROCS allows %d)", n)
	}
	if len(has) > 0 {
		slices.Sort(has)
		text += ", " + strings.Join(has, ", ")
	}
	return text
}

func examineLibrary(library, plugin string) []Finding {
	var all []Finding
	for _, c := range ort.Candidates(library) {
		f := Finding{What: "onnxruntime in " + c.Source, OK: c.Err == nil, Found: c.Path}
		if c.Err != nil {
			f.Found += ": " + c.Err.Error()
		} else if c.Version != "" {
			f.Found += ", version " + c.Version
		}
		all = append(all, f)
	}
	lib, err := ort.Load(library)
	if err != nil {
		return append(all, Finding{What: "onnxruntime", Found: "not found, so GPUs were not looked for",
			Advice: "it is fetched when training or an ONNX file needs it, and by --provider cuda. Without internet access, put the library beside the program or name it with --onnxruntime FILE"})
	}
	all = append(all, Finding{What: "onnxruntime", OK: true, Found: fmt.Sprintf("%s, version %s", lib.Path, lib.Version)})
	if plugin != "" {
		f := Finding{What: "plugin", OK: true, Found: plugin}
		if err := ort.Register(library, plugin); err != nil {
			f.OK, f.Found, f.Advice = false, err.Error(), "name the plugin's library, made for onnxruntime "+lib.Version+" and for a device that is here, or leave --plugin out"
		}
		all = append(all, f)
	}
	statuses, err := ort.Providers(library)
	if err != nil {
		return append(all, Finding{What: "providers", Found: err.Error()})
	}
	for _, p := range statuses {
		f := Finding{What: "provider " + p.Name, OK: p.Err == nil, Found: "works"}
		if p.Err != nil {
			f.Found = p.Err.Error()
		}
		if errors.Is(p.Err, ort.ErrHangs) {
			f.Advice = "restart the machine or renew its driver; --provider cpu does without it"
		}
		all = append(all, f)
	}
	return append(all, examineDevices(library)...)
}

// examineDevices lists the devices that providers and plugins offer.
func examineDevices(library string) []Finding {
	offers, err := ort.Devices(library)
	if err != nil {
		return []Finding{{What: "devices", Found: err.Error()}}
	}
	var all []Finding
	for _, o := range offers {
		text := fmt.Sprintf("%s, %s", strings.ToUpper(o.Kind), o.Name)
		if o.Plugin != "" {
			text += ", by " + o.Plugin
		}
		all = append(all, Finding{What: fmt.Sprintf("device %d of %s", o.Device, o.Provider), OK: true, Found: text})
	}
	return all
}

func examineCache() Finding {
	dir, err := file.Cache()
	if err != nil {
		return Finding{What: "cache folder", Found: err.Error(), Advice: "without one nothing can be fetched, and no measurement is kept for later starts"}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Finding{What: "cache folder", Found: err.Error(), Advice: "make the folder writable"}
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
	return Finding{What: "cache folder", OK: true, Found: fmt.Sprintf("%s: %d files, %.1f MiB", dir, files, float64(size)/(1<<20))}
}

func examineNetwork(c Config) Finding {
	f := Finding{What: "network"}
	m, err := model.Open(c.Model, c.Open)
	if err != nil {
		f.Found, f.Advice = err.Error(), "name another file with --model, or another --provider or --precision"
		return f
	}
	defer m.Close()
	began := time.Now()
	b, err := m.Open(c.Size, 1)
	if err == nil {
		defer b.Close()
		err = nn.FirstRun(b, 1, time.Since(began))
	}
	if err != nil {
		f.Found = err.Error()
		return f
	}
	d := m.Describe()
	f.OK = true
	f.Found = fmt.Sprintf("%s on %s in %s (%s), evaluates %dx%d", d.Name, d.Provider, d.Precision, d.Why, c.Size.W, c.Size.H)
	return f
}

// Print writes findings as text, each with its remedy.
func Print(w io.Writer, all []Finding) {
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
