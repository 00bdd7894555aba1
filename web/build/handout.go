package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// handoutFolder is where package handout embeds its bundle from.
const handoutFolder = "handout/dist"

// handout bundles the page's components once more, into one script and one style
// without a server: what files that can be mailed are made of. Of the texts it has those
// that its code names.
func handout() error {
	code, err := bundleHandout(func([]byte) ([]byte, error) { return []byte("{}"), nil })
	if err != nil {
		return err
	}
	english, err := os.ReadFile("web/ui/src/gen/en.json")
	if err != nil {
		return err
	}
	files, err := bundleHandout(func(texts []byte) ([]byte, error) { return textsFor(code["handout.js"], english, texts) })
	if err != nil {
		return err
	}
	if err := os.MkdirAll(handoutFolder, 0o755); err != nil {
		return err
	}
	total := 0
	for name, data := range files {
		var packed bytes.Buffer
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := z.Write(data); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		total += len(data)
		if err := os.WriteFile(filepath.Join(handoutFolder, name+".gz"), packed.Bytes(), 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("the page in one file: %.0f kB\n", float64(total)/1000)
	return nil
}

// bundleHandout bundles with what kept leaves of the texts of each language, and returns
// handout.js, handout.css and the licences of the packages in them.
func bundleHandout(kept func(texts []byte) ([]byte, error)) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "kosumi-texts-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	paths, err := filepath.Glob("web/ui/src/gen/*.json")
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if data, err = kept(data); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), data, 0o644); err != nil {
			return nil, err
		}
	}
	files, meta, err := esbuild(served, "web/ui/src/handout.tsx", "web/ui/src/handout.css", "--format=iife", "--alias:gen="+dir)
	if err != nil {
		return nil, err
	}
	files["licences.txt"], err = licenceTexts(meta)
	return files, err
}

// composed finds the beginnings of keys that code puts together: `phase_${...}` and "why_" + ….
var composed = regexp.MustCompile("`([a-z_]+_)\\$\\{|\"([a-z]+_)\"")

// textsFor returns the texts of a language that code names: an object as English is, or a
// list in the order of its keys.
func textsFor(code, english, texts []byte) ([]byte, error) {
	all := map[string]string{}
	if err := json.Unmarshal(english, &all); err != nil {
		return nil, fmt.Errorf("English texts: %w", err)
	}
	var beginnings []string
	for _, m := range composed.FindAllSubmatch(code, -1) {
		beginnings = append(beginnings, string(m[1])+string(m[2]))
	}
	named := func(key string) bool {
		if strings.HasPrefix(key, "say_") { // no server refuses anything there
			return false
		}
		for _, b := range beginnings {
			if strings.HasPrefix(key, b) {
				return true
			}
		}
		plain := strings.TrimSuffix(strings.TrimSuffix(key, "_one"), "_other")
		return bytes.Contains(code, []byte(`"`+plain+`"`))
	}
	keys := slices.Sorted(maps.Keys(all))
	if bytes.Equal(english, texts) {
		maps.DeleteFunc(all, func(key, _ string) bool { return !named(key) })
		return json.Marshal(all)
	}
	var list, kept []string
	if err := json.Unmarshal(texts, &list); err != nil || len(list) != len(keys) {
		return nil, fmt.Errorf("a language has %d texts of %d: %v", len(list), len(keys), err)
	}
	for i, key := range keys {
		if named(key) {
			kept = append(kept, list[i])
		}
	}
	return json.Marshal(kept)
}
