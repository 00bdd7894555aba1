package ort

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"
)

// MinVersion is the oldest onnxruntime that has the interface used here
// (version 24 of its C API).
const MinVersion = "1.24"

// EnvLibrary is the environment variable that names the library or its folder.
const EnvLibrary = "KOSUMI_ONNXRUNTIME"

// Library is an onnxruntime shared library that fits this program.
type Library struct {
	Path    string // absolute
	Version string // such as "1.30.0"; "" where the file does not tell
	Source  string // where it was found, in words, such as "the cache"

	api unsafe.Pointer // result of OrtGetApiBase, if loaded
}

// Candidate is a place where a library may be. Err is nil if the library there can be used, else
// it says why not.
type Candidate struct {
	Library
	Err error
}

// Find looks for the library: in the file or folder that explicit names, if not ""; else in the one
// that $KOSUMI_ONNXRUNTIME names; else beside the program, in the cache that [Fetch] fills, and on
// the system's library path. If explicit or the variable names an unusable library, Find fails. It
// loads nothing.
func Find(explicit string) (Library, error) {
	all := Candidates(explicit)
	for _, c := range all {
		if c.Err == nil {
			return c.Library, nil
		}
	}
	err := ErrNoLibrary
	for _, c := range all {
		err = c.explain(err)
	}
	return Library{}, fmt.Errorf("%w; put the library beside the program, or name it with --onnxruntime or %s; "+
		"in a folder of the source `make deps` fetches it", err, EnvLibrary)
}

// explain adds to an error why this library cannot be used.
func (c Candidate) explain(err error) error {
	return fmt.Errorf("%w; %s: %s: %w", err, c.Source, c.Path, c.Err)
}

// Candidates returns all places of [Find], best first, with the error of each.
func Candidates(explicit string) []Candidate {
	if explicit != "" {
		return lookAt("--onnxruntime", explicit)
	}
	if named := os.Getenv(EnvLibrary); named != "" {
		return lookAt(EnvLibrary, named)
	}
	var all []Candidate
	for _, p := range places() {
		all = append(all, lookAt(p.source, p.dir)...)
	}
	return all
}

type place struct{ source, dir string }

// places lists the folders to search, best first, each once. Of the system's folders it lists
// those that have a library; if none has, it lists them all as one entry, to keep the report
// short.
func places() []place {
	var all []place
	seen := map[string]bool{}
	add := func(source string, dirs ...string) {
		for _, d := range dirs {
			if d != "" && !seen[d] {
				seen[d] = true
				all = append(all, place{source, d})
			}
		}
	}
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		dir := filepath.Dir(exe)
		add("beside the program", dir, filepath.Join(dir, "lib"))
		if lib := filepath.Join(filepath.Dir(dir), "lib", "kosumi"); len(librariesIn(lib)) > 0 { // pip installs it there
			add("beside the program", lib)
		}
	}
	for _, root := range cacheRoots() {
		add("the cache", cachedVersions(root)...)
	}
	system := systemDirs()
	if kept := slices.DeleteFunc(slices.Clone(system), func(d string) bool { return len(librariesIn(d)) == 0 }); len(kept) > 0 {
		system = kept
	} else if len(system) > 0 {
		system = []string{strings.Join(system, string(filepath.ListSeparator))}
	}
	add("the system's library path", system...)
	return all
}

// cacheRoots lists the caches, which have one folder for each version.
func cacheRoots() []string {
	var roots []string
	add := func(dir string) {
		root := filepath.Join(dir, "kosumi", "onnxruntime")
		if dir != "" && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	add(os.Getenv("XDG_CACHE_HOME"))
	if home, err := os.UserHomeDir(); err == nil {
		add(filepath.Join(home, ".cache"))
	}
	if dir, err := os.UserCacheDir(); err == nil {
		add(dir)
	}
	return roots
}

// cachedVersions lists the version folders in root, newest first; of the same
// version, the one with GPU providers first, since it serves the CPU as well.
// A root without versions is listed itself, so that error reports name it.
func cachedVersions(root string) []string {
	entries, err := os.ReadDir(root)
	if err != nil {
		return []string{root}
	}
	var dirs []string
	for _, e := range entries {
		if parseVersion(e.Name()) != (version{}) {
			dirs = append(dirs, filepath.Join(root, e.Name()))
		}
	}
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Or(parseVersion(filepath.Base(b)).compare(parseVersion(filepath.Base(a))), len(b)-len(a))
	})
	if len(dirs) == 0 {
		return []string{root}
	}
	return dirs
}

// lookAt checks the library at path or, if path is a folder, every library in it.
func lookAt(source, path string) []Candidate {
	if abs, err := filepath.Abs(path); err == nil && !strings.ContainsRune(path, filepath.ListSeparator) {
		path = abs
	}
	info, err := os.Stat(path)
	if err != nil {
		return []Candidate{{Library{Path: path, Source: source}, notFound(err)}}
	}
	files := []string{path}
	if info.IsDir() {
		if files = librariesIn(path); len(files) == 0 {
			return []Candidate{{Library{Path: path, Source: source}, ErrNotFound}}
		}
	}
	var all []Candidate
	for _, f := range files {
		v, err := inspect(f, entryPoint, runtime.GOOS, runtime.GOARCH)
		all = append(all, Candidate{Library{Path: f, Version: v, Source: source}, err})
	}
	return all
}

func notFound(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return ErrNotFound
	}
	return fmt.Errorf("%w: %v", ErrNotFound, err)
}

// librariesIn lists the onnxruntime libraries of a folder by their usual names,
// the plain name first; names that lead to the same file are listed once.
func librariesIn(dir string) []string {
	patterns := []string{"libonnxruntime.so", "libonnxruntime.so.1", "libonnxruntime.so.1.*"}
	switch runtime.GOOS {
	case "darwin":
		patterns = []string{"libonnxruntime.dylib", "libonnxruntime.1.dylib", "libonnxruntime.1.*.dylib"}
	case "windows":
		patterns = []string{"onnxruntime.dll"}
	}
	var files []string
	seen := map[string]bool{}
	for _, p := range patterns {
		found, _ := filepath.Glob(filepath.Join(globEscape(dir), p))
		for _, f := range found {
			real, err := filepath.EvalSymlinks(f)
			if err == nil && !seen[real] {
				seen[real] = true
				files = append(files, f)
			}
		}
	}
	return files
}

// globEscape keeps a folder's own name from being read as a pattern.
func globEscape(dir string) string {
	if runtime.GOOS == "windows" {
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// systemDirs lists where the system's loader looks for libraries.
func systemDirs() []string {
	split := func(name string) []string { return filepath.SplitList(os.Getenv(name)) }
	switch runtime.GOOS {
	case "windows":
		return split("PATH")
	case "darwin":
		return append(split("DYLD_LIBRARY_PATH"), "/usr/local/lib", "/opt/homebrew/lib", "/opt/local/lib")
	}
	dirs := append(split("LD_LIBRARY_PATH"), loaderDirs("/etc/ld.so.conf", 0)...)
	return append(dirs, "/usr/local/lib", "/usr/lib64", "/usr/lib", "/lib64", "/lib")
}

// loaderDirs reads the folders named by the dynamic loader's configuration and
// by the files that it includes, ld.so.conf(5).
func loaderDirs(file string, depth int) []string {
	text, err := os.ReadFile(file)
	if err != nil || depth > 4 {
		return nil
	}
	var dirs []string
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == "include" && len(fields) > 1:
			pattern := fields[1]
			if !filepath.IsAbs(pattern) {
				pattern = filepath.Join(filepath.Dir(file), pattern)
			}
			more, _ := filepath.Glob(pattern)
			for _, m := range more {
				dirs = append(dirs, loaderDirs(m, depth+1)...)
			}
		case filepath.IsAbs(fields[0]):
			dirs = append(dirs, fields[0])
		}
	}
	return dirs
}
