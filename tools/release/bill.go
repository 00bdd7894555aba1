package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// bill writes a CycloneDX bill of materials: the Go modules in the program, the packages of its
// page, and the libraries shipped with it.
func (r *release) bill(t target, program, to string) error {
	text, err := output(exec.CommandContext(r.ctx, filepath.Join(r.tools.bin, "cyclonedx-gomod"), "bin",
		"-json", "-noserial", "-notimestamp", "-version", "v"+r.version, program))
	if err != nil {
		return err
	}
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return err
	}
	more, err := materials(t)
	if err != nil {
		return err
	}
	list, _ := doc["components"].([]any)
	for _, m := range more {
		list = append(list, m)
	}
	doc["components"] = list
	data, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(to, append(data, '\n'), 0o644)
}

// component is a part of a bill of materials.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Purl    string `json:"purl"`
}

// materials lists the parts that are not Go modules.
func materials(t target) ([]component, error) {
	var all []component
	if t.ort != "" {
		script, err := os.ReadFile("nn/ort/fetch-onnxruntime.sh")
		if err != nil {
			return nil, err
		}
		version := regexp.MustCompile(`(?m)^VERSION=(\S+)$`).FindSubmatch(script)
		if version == nil {
			return nil, fmt.Errorf("nn/ort/fetch-onnxruntime.sh names no version")
		}
		all = append(all, component{"library", "onnxruntime", string(version[1]), "pkg:pypi/onnxruntime@" + string(version[1])})
	}
	if t.os == "windows" {
		pin, err := pinned("msvc-runtime")
		if err != nil {
			return nil, err
		}
		all = append(all, component{"library", "msvc-runtime", pin, "pkg:pypi/msvc-runtime@" + pin})
	}
	versions, err := pageVersions("web/ui/package.json")
	if err != nil {
		return nil, err
	}
	for name, v := range versions {
		all = append(all, component{"library", name, v, "pkg:npm/" + name + "@" + v})
	}
	slices.SortFunc(all, func(a, b component) int { return strings.Compare(a.Purl, b.Purl) })
	return all, nil
}
