package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kosumi/models"
)

// shared makes the files of every archive: manual pages, completions, documents, the network,
// licences. It builds the page first, which is embedded in the program.
func (r *release) shared() (tree, error) {
	fmt.Println("building the page, the manual pages and the completions")
	if err := do(exec.CommandContext(r.ctx, "make", "page")); err != nil {
		return nil, err
	}
	if err := do(exec.CommandContext(r.ctx, "make", "-q", "page")); err != nil {
		return nil, errors.New("the page was not built: a release needs npm")
	}
	manual := filepath.Join(r.work, "manual")
	if err := r.manual(manual, "engine"); err != nil {
		return nil, err
	}
	all := tree{}
	if err := all.addDocuments(); err != nil {
		return nil, err
	}
	licences := filepath.Join(r.work, "THIRD-PARTY-LICENCES.txt")
	if err := r.licences(licences); err != nil {
		return nil, err
	}
	all.add("THIRD-PARTY-LICENCES.txt", licences, 0o644)
	if err := r.site(all); err != nil {
		return nil, err
	}
	return all, all.addFolder("", manual)
}

// addDocuments adds the documents, the built-in network, and the files that the documents tell
// people to use.
func (t tree) addDocuments() error {
	for _, dir := range []string{"docs", "models"} {
		if err := t.addFolder(dir, dir); err != nil {
			return err
		}
	}
	for path := range t {
		if strings.HasSuffix(path, ".go") || path == "models/kosumi-zero.bin.gz" {
			delete(t, path)
		}
	}
	for _, name := range []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "kosumi.example.toml",
		"tools/deploy/kosumi-bot.service", "tools/deploy/kosumi-work.service", "examples/analyse/main.go", "web/api/schema.json"} {
		t.add(name, name, 0o644)
	}
	t.add("tools/scripts/gpu-day.sh", "tools/scripts/gpu-day.sh", 0o755)
	t.add("tools/scripts/fetch-onnxruntime.sh", "nn/ort/fetch-onnxruntime.sh", 0o755)
	return nil
}

// manual has the program write its manual pages and completions.
func (r *release) manual(dir, name string) error {
	cmd := exec.CommandContext(r.ctx, goTool(), "run", "-ldflags", "-X main.version="+r.version, "./cmd/engine", "manual", dir, "--name", name)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.when.Unix()))
	return do(cmd)
}

// licences collects the licences of third parties in a release: Go and its modules, the packages
// of the page, onnxruntime, the VC++ runtime and the libraries of zig.
func (r *release) licences(to string) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, "Kosumi's own licence stands in LICENSE. Its archives hold work of others too, under these licences.")
	add := func(what, dir string) error {
		texts, err := licenceFiles(dir)
		if err != nil {
			return err
		}
		if len(texts) == 0 {
			return fmt.Errorf("%s: there is no licence in %s", what, dir)
		}
		for _, t := range texts {
			data, err := os.ReadFile(t)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), what, filepath.Base(t), bytes.TrimSpace(data))
		}
		return nil
	}
	root, err := output(exec.CommandContext(r.ctx, goTool(), "env", "GOROOT"))
	if err != nil {
		return err
	}
	parts, err := r.modules()
	if err != nil {
		return err
	}
	parts = append(parts, part{"Go", root}, part{"zig (compiler-rt, mingw-w64)", filepath.Join(r.tools.cache, "ziglang", "ziglang")})
	versions, err := pageVersions("web/ui/package.json")
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		parts = append(parts, part{name, filepath.Join("web/ui/node_modules", name)})
	}
	notices := filepath.Join(r.tools.cache, "onnxruntime", "notices")
	if err := do(exec.CommandContext(r.ctx, "nn/ort/fetch-onnxruntime.sh", "--from", "pip", "--platform", "linux/x64", "--notices", notices, "--dir", filepath.Join(r.tools.cache, "onnxruntime", "linux-amd64"))); err != nil {
		return err
	}
	parts = append(parts, part{"onnxruntime (in archives for Windows and macOS)", notices})
	for _, p := range parts {
		if err := add(p.name, p.dir); err != nil {
			return err
		}
	}
	fmt.Fprintf(&b, "\n%s\nThe network inside (models/%s) is KataGo's g170-b6c96, taught further by KataGo's transformer:\n\n%s\n", strings.Repeat("=", 80), models.File, models.Notice())
	fmt.Fprintf(&b, "\n%s\nWindows: msvcp140*.dll and vcruntime140*.dll are Microsoft's Visual C++ runtime, redistributed\nunder the terms of Visual Studio's distributable code.\n", strings.Repeat("=", 80))
	return os.WriteFile(to, b.Bytes(), 0o644)
}

// part is third-party work: its name, and the folder of its licence.
type part struct{ name, dir string }

// modules lists the Go modules that the program contains on at least one of the systems.
func (r *release) modules() ([]part, error) {
	seen := map[part]bool{}
	for _, t := range targets {
		cmd := exec.CommandContext(r.ctx, goTool(), "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/engine")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOOS="+t.os, "GOARCH="+t.arch)
		text, err := output(cmd)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(text) {
			if name, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				seen[part{name, dir}] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b part) int { return strings.Compare(a.name, b.name) }), nil
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense|third-?party-?notices|patents)([-._].*)?$`)

// licenceFiles lists the files of a folder that contain a licence.
func licenceFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		if e.Type()&fs.ModeDir == 0 && licenceName.MatchString(strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))) {
			all = append(all, filepath.Join(dir, e.Name()))
		}
	}
	return all, nil
}
