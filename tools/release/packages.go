package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// contents is an entry of nfpm's configuration that describes one file of a package.
type contents map[string]any

// packages makes a .deb and a .rpm. They call the program kosumi: "engine" is too
// common a name for a command of the whole system.
func (r *release) packages(t target, program string) ([]string, error) {
	files, err := r.installed(program)
	if err != nil {
		return nil, err
	}
	config, err := json.MarshalIndent(r.nfpm(t, files), "", " ")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(r.work, "nfpm-"+t.arch+".yaml") // JSON is valid YAML
	if err := os.WriteFile(path, config, 0o644); err != nil {
		return nil, err
	}
	var made []string
	for _, kind := range []string{"deb", "rpm"} {
		to := filepath.Join(r.out, fmt.Sprintf("kosumi-%s-%s.%s", r.version, t.name(), kind))
		cmd := exec.CommandContext(r.ctx, filepath.Join(r.tools.bin, "nfpm"), "package", "--config", path, "--packager", kind, "--target", to)
		cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.when.Unix()))
		if err := do(cmd); err != nil {
			return nil, err
		}
		made = append(made, to)
	}
	return made, nil
}

// nfpm is the description of a package.
func (r *release) nfpm(t target, files []contents) map[string]any {
	return map[string]any{
		"name": "kosumi", "arch": t.arch, "platform": "linux", "version": r.version, "version_schema": "semver",
		"section": "games", "priority": "optional", "license": "MIT", "maintainer": "Kosumi <kosumi@localhost>",
		"description": summary + "\n" + longSummary,
		"mtime":       r.when, "contents": files,
		"deb": map[string]any{"compression": "gzip"},
		"rpm": map[string]any{"compression": "gzip", "buildhost": "kosumi", "group": "Amusements/Games"},
		"overrides": map[string]any{ // only recommended: the library that onnxruntime needs, and programs that fetch onnxruntime
			"deb": map[string]any{"depends": []string{"libc6 (>= 2.28)"}, "recommends": []string{"libstdc++6 (>= 6)", "python3-pip | npm"}},
			"rpm": map[string]any{"depends": []string{"glibc >= 2.28"}, "recommends": []string{"libstdc++ >= 6", "python3-pip"}},
		},
	}
}

// installed lists the files of a package and their places.
func (r *release) installed(program string) ([]contents, error) {
	manual := filepath.Join(r.work, "manual-kosumi")
	if !exists(manual) {
		if err := r.manual(manual, "kosumi"); err != nil {
			return nil, err
		}
		if err := compressPages(filepath.Join(manual, "man")); err != nil {
			return nil, err
		}
	}
	var all []contents
	add := func(src, dst string, mode fs.FileMode) {
		all = append(all, contents{"src": src, "dst": dst, "file_info": contents{"mode": mode, "mtime": r.when}})
	}
	add(program, "/usr/lib/kosumi/engine", 0o755)
	all = append(all, contents{"src": "/usr/lib/kosumi/engine", "dst": "/usr/bin/kosumi", "type": "symlink", "file_info": contents{"mtime": r.when}})
	pages, err := filepath.Glob(filepath.Join(manual, "man", "man1", "*.gz"))
	if err != nil || len(pages) == 0 {
		return nil, fmt.Errorf("no manual pages were made: %w", err)
	}
	for _, p := range pages {
		add(p, "/usr/share/man/man1/"+filepath.Base(p), 0o644)
	}
	completions := filepath.Join(manual, "completions")
	add(filepath.Join(completions, "kosumi.bash"), "/usr/share/bash-completion/completions/kosumi", 0o644)
	add(filepath.Join(completions, "kosumi.fish"), "/usr/share/fish/vendor_completions.d/kosumi.fish", 0o644)
	for kind, dir := range map[string]string{"deb": "vendor-completions", "rpm": "site-functions"} {
		add(filepath.Join(completions, "_kosumi"), "/usr/share/zsh/"+dir+"/_kosumi", 0o644)
		all[len(all)-1]["packager"] = kind
	}
	for path, e := range r.common {
		to := documentPath(path)
		if to == "" {
			continue
		}
		if strings.HasPrefix(path, "deploy/") {
			if e.from, err = r.packagedUnit(e.from); err != nil {
				return nil, err
			}
		}
		add(e.from, to, e.mode)
	}
	return all, nil
}

// documentPath returns the place of an archive's file in a package; "": none.
func documentPath(path string) string {
	switch {
	case strings.HasPrefix(path, "man/"), strings.HasPrefix(path, "completions/"), // they have special places
		strings.HasPrefix(path, "site/"): // a page without the program; the packaged program serves its own page
		return ""
	case path == "LICENSE":
		return "/usr/share/doc/kosumi/copyright"
	}
	return "/usr/share/doc/kosumi/" + path
}

// packagedUnit rewrites a systemd unit for the program's place in a package.
func (r *release) packagedUnit(from string) (string, error) {
	data, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	to := filepath.Join(r.work, filepath.Base(from))
	return to, os.WriteFile(to, bytes.ReplaceAll(data, []byte("/opt/kosumi/engine"), []byte("/usr/bin/kosumi")), 0o644)
}

// compressPages replaces the manual pages of a folder by gzipped ones.
func compressPages(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // no error is possible: the level is valid, and a buffer accepts everything
		w.Write(data)
		w.Close()
		if err := os.WriteFile(path+".gz", b.Bytes(), 0o644); err != nil {
			return err
		}
		return os.Remove(path)
	})
}
