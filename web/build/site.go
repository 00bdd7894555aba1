package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/models"
)

// part is a file that the worker of a tab loads, as web/ui/src/tab/parts.ts has it.
type part struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// policy is what the page may do where no server says so: the files of its own folder,
// and no markup or script made from text.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"

// site writes the page as a folder of files that needs no server of its own: any host
// of files serves it, under any path. programs is the folder with page.wasm and the
// compiler's wasm_exec.js, kernel.wasm and kernel-worker.js. Into the folder npm it writes
// the engine alone, as a package for other pages and for node.
func site(out, npm, programs, version string) error {
	files, workerName, err := engineFiles(programs)
	if err != nil {
		return err
	}
	engine := maps.Clone(files)
	page, err := bundle(map[string]string{"IN_TAB": "true", "WORKER": fmt.Sprintf("%q", workerName)})
	if err != nil {
		return err
	}
	maps.Copy(files, page)
	if err := installable(files); err != nil {
		return err
	}
	licences, err := goLicences()
	if err != nil {
		return err
	}
	licences = fmt.Appendf(licences, "\nThe network for large boards was taught by networks of KataGo's:\n\n%s\n", models.Notice())
	files["assets/licences.txt"] = append(files["assets/licences.txt"], licences...)
	html := strings.NewReplacer(`="/`, `="./`, `<link rel="manifest"`, `<link rel="apple-touch-icon" href="./icon-180.png">`+"\n"+`<link rel="manifest"`, `<meta charset="utf-8">`, `<meta charset="utf-8">`+"\n"+`<meta http-equiv="Content-Security-Policy" content="`+policy+`">`).Replace(string(files["index.html"]))
	files["index.html"] = []byte(html)
	if files["sw.js"], err = serviceWorker(files); err != nil {
		return err
	}
	if err := writeFolder(out, "sw.js", files); err != nil {
		return err
	}
	engine["assets/licences.txt"] = licences
	if err := packageFiles(engine, workerName, version); err != nil {
		return err
	}
	return writeFolder(npm, "kosumi.mjs", engine)
}

// engineFiles are what the worker of a tab is made of, by name, with its script's.
func engineFiles(programs string) (files map[string][]byte, workerName string, err error) {
	files = map[string][]byte{}
	parts := map[string]part{}
	add := func(name, file string, data []byte) {
		sum := sha256.Sum256(data)
		stem, ext, _ := strings.Cut(file, ".")
		p := part{Name: stem + "-" + hex.EncodeToString(sum[:4]) + "." + ext, Bytes: len(data), SHA256: hex.EncodeToString(sum[:])}
		parts[name], files["assets/"+p.Name] = p, data
	}
	for name, file := range map[string]string{"program": "page.wasm", "kernel": "kernel.wasm"} {
		data, err := os.ReadFile(filepath.Join(programs, file))
		if err != nil {
			return nil, "", err
		}
		if data, err = packed(data); err != nil {
			return nil, "", err
		}
		add(name, strings.TrimSuffix(file, ".wasm")+".bin", data) // a host that knows .gz might unpack it
	}
	kernels, err := os.ReadFile(filepath.Join(programs, "kernel-worker.js"))
	if err != nil {
		return nil, "", err
	}
	add("kernelWorker", "kernel-worker.js", kernels)
	for name, n := range map[string]*models.Network{"zero": models.Zero(), "taught": models.Taught()} {
		data, err := n.Data()
		if err != nil {
			return nil, "", err
		}
		add(name, name+".bin", data)
	}
	about, err := json.Marshal(parts)
	if err != nil {
		return nil, "", err
	}
	glue, err := filepath.Abs(filepath.Join(programs, "wasm_exec.js"))
	if err != nil {
		return nil, "", err
	}
	worker, err := script("web/ui/src/tab/worker.ts", "iife", map[string]string{"PARTS": string(about)}, "--alias:wasm_exec="+glue)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(worker)
	workerName = "assets/worker-" + hex.EncodeToString(sum[:4]) + ".js"
	files[workerName] = worker
	return files, workerName, nil
}

// packageFiles adds what makes a package of npm of the engine.
func packageFiles(files map[string][]byte, workerName, version string) (err error) {
	files["kosumi.mjs"], err = script("web/ui/src/tab/kosumi.ts", "esm", map[string]string{"WORKER": fmt.Sprintf("%q", workerName)})
	if err != nil {
		return err
	}
	for name, from := range map[string]string{"kosumi.d.mts": "web/ui/npm/kosumi.d.mts", "README.md": "web/ui/npm/README.md", "example.html": "web/ui/npm/example.html", "LICENSE": "LICENSE"} {
		if files[name], err = os.ReadFile(from); err != nil {
			return err
		}
	}
	if version == "dev" {
		version = "0.0.0-dev"
	}
	files["package.json"], err = json.MarshalIndent(map[string]any{
		"name": "kosumi", "version": version, "description": "An engine for the game of Go, in a worker of a web page or of node: GTP and KataGo's analysis protocol", "license": "MIT",
		"keywords": []string{"go", "baduk", "weiqi", "gtp", "katago", "wasm"}, "engines": map[string]string{"node": ">=20"},
		"exports": map[string]any{".": map[string]string{"types": "./kosumi.d.mts", "default": "./kosumi.mjs"}, "./*": "./*"},
	}, "", "  ")
	return err
}

// installable gives the manifest the icons that home screens take.
func installable(files map[string][]byte) error {
	var manifest map[string]any
	if err := json.Unmarshal(files["manifest.webmanifest"], &manifest); err != nil {
		return err
	}
	icons, ok := manifest["icons"].([]any)
	if !ok {
		return errors.New("the manifest has no icons")
	}
	for _, pixels := range []int{180, 192, 512} {
		data, err := icon(pixels)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("icon-%d.png", pixels)
		files[name] = data
		icons = append(icons, map[string]string{"src": name, "sizes": fmt.Sprintf("%dx%d", pixels, pixels), "type": "image/png"})
	}
	manifest["icons"] = icons
	data, err := json.Marshal(manifest)
	files["manifest.webmanifest"] = data
	return err
}

// goLicences gathers the licences of Go and of the modules that the program is made from.
func goLicences() ([]byte, error) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./cmd/page")
	list.Env, list.Stderr = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0"), os.Stderr
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	dirs := map[string]string{"Go": strings.TrimSpace(string(root))}
	for line := range strings.Lines(string(text)) {
		if module, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			dirs[module] = dir
		}
	}
	var b bytes.Buffer
	for _, module := range slices.Sorted(maps.Keys(dirs)) {
		if err := licenceOf(&b, module, dirs[module]); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// serviceWorker returns the script that keeps the files for when there is no network.
func serviceWorker(files map[string][]byte) ([]byte, error) {
	all := sha256.New()
	var names []string
	late := []string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(all, "%s %x\n", name, sha256.Sum256(files[name]))
		names = append(names, strings.TrimSuffix(name, "index.html"))
		if strings.HasPrefix(name, "assets/taught-") {
			late = append(late, name)
		}
	}
	list, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	later, err := json.Marshal(late)
	if err != nil {
		return nil, err
	}
	return script("web/ui/src/tab/sw.ts", "iife", map[string]string{"VERSION": fmt.Sprintf("%q", hex.EncodeToString(all.Sum(nil))[:12]), "FILES": string(list), "LATE": string(later)})
}

// script bundles a script of its own, with the values that its build sets.
func script(path, format string, values map[string]string, args ...string) ([]byte, error) {
	files, _, err := esbuild(values, append(args, path, "--format="+format)...)
	return files[strings.TrimSuffix(filepath.Base(path), ".ts")+".js"], err
}

func packed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = z.Write(data)
	err = errors.Join(err, z.Close())
	return b.Bytes(), err
}

// writeFolder replaces a folder that holds the file mark, or makes one.
func writeFolder(out, mark string, files map[string][]byte) error {
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(out, mark)); err != nil {
			return fmt.Errorf("%s holds something else: name a folder that is empty", out)
		}
		if err := os.RemoveAll(out); err != nil {
			return err
		}
	}
	total := 0
	for name, data := range files {
		path := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
		total += len(data)
	}
	fmt.Printf("%d files, %.2f MB, in %s\n", len(files), float64(total)/1e6, out)
	return nil
}
