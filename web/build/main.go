// Command build makes the page of engine web: the types of its messages from Go, its
// languages from web/i18n, and one bundle of it all (by esbuild, from npm), in
// web/ui/dist, from where web embeds it. The packages of web/ui/package-lock.json
// must be unpacked: make build does both.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

func main() {
	typesOnly := flag.Bool("types", false, "write the generated sources only, for the type checker")
	siteFolder := flag.String("site", "", "write the page that needs no server into this folder only, and the engine as a package of npm into the folder of -npm")
	npm := flag.String("npm", "bin/npm", "folder of the package, for -site")
	version := flag.String("version", "dev", "version of the package")
	programs := flag.String("programs", "bin/page", "where page.wasm, kernel.wasm and kernel-worker.js stand, for -site")
	schemaOnly := flag.Bool("schema", false, "write "+schemaFile+" and the lists of "+guideFile+" only")
	flag.Parse()
	if *schemaOnly {
		if err := describe(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := run(*typesOnly, *siteFolder, *npm, *programs, *version); err != nil {
		fmt.Fprintln(os.Stderr, "the page cannot be built:", err)
		os.Exit(1)
	}
}

func run(typesOnly bool, siteFolder, npm, programs, version string) error {
	if err := os.MkdirAll("web/ui/src/gen", 0o755); err != nil {
		return err
	}
	if err := types(); err != nil {
		return err
	}
	if err := languages(); err != nil {
		return err
	}
	if typesOnly {
		return nil
	}
	if siteFolder != "" {
		return site(siteFolder, npm, programs, version)
	}
	files, err := bundle(served)
	if err != nil {
		return err
	}
	if err := write(files); err != nil {
		return err
	}
	return handout()
}

// types writes the TypeScript of package web/api.
func types() error {
	data, err := typescript("web/api")
	if err != nil {
		return err
	}
	return os.WriteFile("web/ui/src/gen/api.ts", data, 0o644)
}

// languages turns web/i18n/*.toml into JSON: English into an object, the others into lists
// of texts in the order of its keys, "" where one lacks a text. The keys become a type.
func languages() error {
	read := func(path string) (map[string]string, error) {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		texts := map[string]string{}
		if err := toml.Unmarshal(data, &texts); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return texts, nil
	}
	paths, err := filepath.Glob("web/i18n/*.toml")
	if err != nil {
		return err
	}
	english, err := read("web/i18n/en.toml")
	if err != nil {
		return err
	}
	for _, path := range paths {
		texts, err := read(path)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(path), ".toml")
		var out any = english
		if name != "en" {
			var list []string
			for _, key := range slices.Sorted(maps.Keys(english)) {
				list = append(list, texts[key])
			}
			out = list
		}
		data, err := json.MarshalIndent(out, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile("web/ui/src/gen/"+name+".json", data, 0o644); err != nil {
			return err
		}
	}
	return keyType(english)
}

func keyType(texts map[string]string) error {
	var b strings.Builder
	b.WriteString("// Made by web/build from web/i18n/en.toml.\nexport type Key =\n")
	seen := map[string]bool{}
	for _, k := range slices.Sorted(maps.Keys(texts)) {
		k = strings.TrimSuffix(strings.TrimSuffix(k, "_one"), "_other")
		if !seen[k] {
			seen[k] = true
			fmt.Fprintf(&b, "\t| %q\n", k)
		}
	}
	return os.WriteFile("web/ui/src/gen/keys.ts", []byte(strings.TrimSuffix(b.String(), "\n")+";\n"), 0o644)
}

// served are the values that the build of a page sets which has a server.
var served = map[string]string{"IN_TAB": "false", "WORKER": `""`}

// bundle returns the files of the page by name, made with the values that the build sets.
func bundle(values map[string]string) (map[string][]byte, error) {
	made, meta, err := esbuild(values, "web/ui/src/start.ts", "web/ui/src/style.css", "--entry-names=[name]-[hash]", "--chunk-names=[name]-[hash]", "--splitting", "--format=esm")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	var script, style string
	for base, data := range made {
		name := "assets/" + base
		files[name] = data
		switch {
		case strings.HasPrefix(base, "start-"):
			script = name
		case strings.HasPrefix(base, "style-"):
			style = name
		}
	}
	licences, err := licenceTexts(meta)
	if err != nil {
		return nil, err
	}
	files["assets/licences.txt"] = licences
	first, err := firstScripts(meta)
	if err != nil {
		return nil, err
	}
	var preload strings.Builder
	for _, name := range first {
		if "assets/"+name != script {
			fmt.Fprintf(&preload, "\n<link rel=\"modulepreload\" href=\"/assets/%s\">", name)
		}
	}
	html, err := os.ReadFile("web/ui/src/index.html")
	if err != nil {
		return nil, err
	}
	files["index.html"] = []byte(strings.NewReplacer("{{script}}", "/"+script, "{{style}}", "/"+style, "{{preload}}", preload.String()).Replace(string(html)))
	for _, name := range []string{"icon.svg", "manifest.webmanifest"} {
		if files[name], err = os.ReadFile("web/ui/src/" + name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// firstScripts names the scripts that the page's first screen is made of: a browser that is
// told of them fetches all at once, in place of one after the other.
func firstScripts(meta []byte) ([]string, error) {
	var m struct {
		Outputs map[string]struct {
			EntryPoint string
			Imports    []struct{ Path, Kind string }
		}
	}
	if err := json.Unmarshal(meta, &m); err != nil {
		return nil, err
	}
	found := map[string]bool{}
	var add func(path string)
	add = func(path string) {
		if found[path] {
			return
		}
		found[path] = true
		for _, i := range m.Outputs[path].Imports {
			if i.Kind == "import-statement" {
				add(i.Path)
			}
		}
	}
	for path, out := range m.Outputs {
		if out.EntryPoint == "web/ui/src/start.ts" || out.EntryPoint == "web/ui/src/main.tsx" {
			add(path)
		}
	}
	var names []string
	for _, path := range slices.Sorted(maps.Keys(found)) {
		names = append(names, filepath.Base(path))
	}
	return names, nil
}

// licenceTexts gathers the licences of the packages in the bundle.
func licenceTexts(meta []byte) ([]byte, error) {
	var m struct {
		Inputs map[string]any `json:"inputs"`
	}
	if err := json.Unmarshal(meta, &m); err != nil {
		return nil, err
	}
	packages := map[string]bool{}
	for input := range m.Inputs {
		_, path, ok := strings.Cut(input, "node_modules/")
		if !ok {
			continue
		}
		parts := strings.Split(path, "/")
		n := 1
		if strings.HasPrefix(path, "@") {
			n = 2
		}
		packages[strings.Join(parts[:n], "/")] = true
	}
	var b bytes.Buffer
	for _, p := range slices.Sorted(maps.Keys(packages)) {
		if err := licenceOf(&b, p, "web/ui/node_modules/"+p); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// licenceOf adds the licence that stands in the folder of a package.
func licenceOf(b *bytes.Buffer, name, dir string) error {
	texts, err := filepath.Glob(filepath.Join(dir, "LICEN[CS]E*"))
	if err != nil || len(texts) == 0 {
		return fmt.Errorf("package %s has no licence file", name)
	}
	text, err := os.ReadFile(texts[0])
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "%s\n\n%s\n\n", name, bytes.TrimSpace(text))
	return nil
}

// write replaces the contents of web/ui/dist: every file compressed, but those
// that a browser asks for by a fixed name as they are as well.
func write(files map[string][]byte) error {
	const dist = "web/ui/dist"
	if err := os.RemoveAll(dist + "/assets"); err != nil {
		return err
	}
	if err := os.MkdirAll(dist+"/assets", 0o755); err != nil {
		return err
	}
	sum := sha256.New()
	total := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(sum, "%s %x\n", name, sha256.Sum256(files[name]))
		var packed bytes.Buffer
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := z.Write(files[name]); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		total += packed.Len()
		path := filepath.Join(dist, name)
		if name == "index.html" {
			err = os.WriteFile(path, files[name], 0o644)
		} else {
			err = os.WriteFile(path+".gz", packed.Bytes(), 0o644)
		}
		if err != nil {
			return err
		}
	}
	fmt.Printf("the page: %d files, %.0f kB compressed\n", len(files), float64(total)/1000)
	return os.WriteFile(dist+"/build.txt", []byte(hex.EncodeToString(sum.Sum(nil))[:12]+"\n"), 0o644)
}
