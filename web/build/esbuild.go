package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// esbuild bundles scripts and styles with esbuild, which comes with the packages of the
// page, and returns the files that it makes by their base names, and what it says of them
// (its metafile). Each value replaces a name in the sources, as an expression.
func esbuild(values map[string]string, args ...string) (files map[string][]byte, meta []byte, err error) {
	const program = "web/ui/node_modules/.bin/esbuild"
	out, err := os.MkdirTemp("", "kosumi-page-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(out)
	about := filepath.Join(out, "meta.json")
	args = append(args, "--bundle", "--minify", "--target=es2022", "--jsx=automatic", "--jsx-import-source=preact", "--legal-comments=none", "--charset=utf8",
		"--log-level=warning", "--outdir="+filepath.Join(out, "files"), "--metafile="+about)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		args = append(args, "--define:"+name+"="+values[name])
	}
	run := exec.Command(program, args...)
	run.Stdout, run.Stderr = os.Stderr, os.Stderr
	if err := run.Run(); err != nil {
		return nil, nil, fmt.Errorf("%s (npm ci in web/ui fetches it): %w", program, err)
	}
	files = map[string][]byte{}
	err = filepath.WalkDir(filepath.Join(out, "files"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[d.Name()], err = os.ReadFile(path)
		}
		return err
	})
	if err == nil {
		meta, err = os.ReadFile(about)
	}
	return files, meta, err
}
