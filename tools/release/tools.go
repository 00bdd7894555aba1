package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// pins is the file that lists the packages of the Python registry for a release, with their sha256.
const pins = "tools/release/requirements.txt"

// tools are the programs that build a release.
type tools struct {
	cache string // kept between releases
	zig   string // the compiler
	bin   string // folder of nfpm and cyclonedx-gomod
}

// goTools are fetched and checked by the go command, at these versions.
var goTools = []string{
	"github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0",
	"github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0",
}

func fetchTools(ctx context.Context, work string) (tools, error) {
	t := tools{bin: filepath.Join(work, "bin")}
	if err := t.fetchZig(ctx); err != nil {
		return tools{}, err
	}
	for _, path := range goTools {
		cmd := exec.CommandContext(ctx, goTool(), "install", path)
		cmd.Env = append(os.Environ(), "GOBIN="+t.bin)
		if err := do(cmd); err != nil {
			return tools{}, err
		}
	}
	return t, nil
}

// fetchZig fetches the compiler.
func (t *tools) fetchZig(ctx context.Context) error {
	user, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	t.cache = filepath.Join(user, "kosumi", "release")
	dir := filepath.Join(t.cache, "ziglang")
	t.zig = filepath.Join(dir, "ziglang", "zig")
	return t.install(ctx, dir, "ziglang")
}

// install fetches a pinned package with pip and unpacks it into dir, unless dir is from the same pins.
func (t tools) install(ctx context.Context, dir, name string, args ...string) error {
	want, err := os.ReadFile(pins)
	if err != nil {
		return err
	}
	mark := filepath.Join(dir, "installed-from.txt")
	if have, err := os.ReadFile(mark); err == nil && string(have) == string(want) {
		return nil
	}
	fmt.Printf("fetching %s\n", name)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	wheels := filepath.Join(dir, "wheels")
	only := filepath.Join(dir, "pin.txt")
	if err := os.MkdirAll(wheels, 0o755); err != nil {
		return err
	}
	pin, err := pinOf(string(want), name)
	if err != nil {
		return err
	}
	if err := os.WriteFile(only, []byte(pin), 0o644); err != nil {
		return err
	}
	pip := append([]string{"-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
		"--require-hashes", "--dest", wheels, "-r", only}, args...)
	if err := do(exec.CommandContext(ctx, "python3", pip...)); err != nil {
		return err
	}
	wheel, err := filepath.Glob(filepath.Join(wheels, "*.whl"))
	if err != nil || len(wheel) != 1 {
		return fmt.Errorf("pip left %d packages of %s, want 1", len(wheel), name)
	}
	if err := unzip(wheel[0], dir); err != nil {
		return err
	}
	if err := os.RemoveAll(wheels); err != nil {
		return err
	}
	if name == "ziglang" && runtime.GOOS != "windows" {
		if err := os.Chmod(filepath.Join(dir, "ziglang", "zig"), 0o755); err != nil {
			return err
		}
	}
	return os.WriteFile(mark, want, 0o644)
}

// find returns the first file called name at any depth of a folder.
func find(dir, name string) (string, error) {
	var found string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && found == "" && d.Name() == name {
			found = path
		}
		return err
	})
	if err == nil && found == "" {
		err = fmt.Errorf("there is no %s in %s", name, dir)
	}
	return found, err
}
