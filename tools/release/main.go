// Command release builds a version for all systems on one machine: programs by Go and zig's C
// compiler, archives, packages, bills of materials and checksums, in dist/. The same commit and
// version give the same bits. make release runs it; it needs python3 with
// pip, and npm for the page.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	version := flag.String("version", "", "`VERSION` to make, such as 0.1.0")
	only := flag.String("only", "", "`OS/ARCH,...` to make; default: all of them")
	out := flag.String("out", "dist", "`DIR` that gets the files")
	url := flag.String("url", "", "the project's page: `https://HOST/OWNER/kosumi`, for the files of Homebrew, Scoop and winget")
	kernels := flag.String("kernels", "", "make only the module of the kernels that a page loads, and write it to `FILE`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *kernels != "" {
		err = makeKernels(ctx, *kernels)
	} else {
		err = run(ctx, *version, *only, *out, *url)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// versionForm is three numbers, because clients of GTP compare them.
var versionForm = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

func run(ctx context.Context, version, only, out, url string) error {
	if !versionForm.MatchString(version) {
		return fmt.Errorf("the version is %q, must be three numbers: make release VERSION=0.1.0", version)
	}
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	r := &release{ctx: ctx, version: version, out: out, url: strings.TrimRight(url, "/")}
	if err := r.prepare(); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	for _, t := range chosen {
		if err := r.target(t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	if err := r.manifests(); err != nil {
		return err
	}
	return r.checksums()
}

// release is one version in the making.
type release struct {
	ctx     context.Context
	version string
	commit  string // with "-dirty" if files were changed since
	when    time.Time
	out     string
	url     string // the project's page
	work    string // temporary folder, removed at the end
	tools   tools
	common  tree // files that every archive has
}

// prepare fetches the tools and makes the files that all archives share.
func (r *release) prepare() error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	commit, when, err := source(r.ctx)
	if err != nil {
		return err
	}
	r.commit, r.when = commit, when
	if r.work, err = os.MkdirTemp("", "kosumi-release-"); err != nil {
		return err
	}
	fmt.Printf("release %s of %s\n", r.version, r.commit)
	if r.tools, err = fetchTools(r.ctx, r.work); err != nil {
		return err
	}
	r.common, err = r.shared()
	return err
}

// source returns the commit and its time.
func source(ctx context.Context) (commit string, when time.Time, err error) {
	head, err := output(exec.CommandContext(ctx, "git", "log", "-1", "--format=%h %ct", "--abbrev=12"))
	if err != nil {
		return "", time.Time{}, err
	}
	commit, seconds, _ := strings.Cut(head, " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return "", time.Time{}, err
	}
	changed, err := output(exec.CommandContext(ctx, "git", "status", "--porcelain"))
	if err == nil && changed != "" {
		commit += "-dirty"
	}
	return commit, time.Unix(unix, 0).UTC(), err
}

// target makes the archive, the packages and the bill of materials of one system.
func (r *release) target(t target) error {
	start := time.Now()
	program := filepath.Join(r.work, t.name(), t.program())
	if err := r.build(t, program); err != nil {
		return err
	}
	libraries, err := r.libraries(t)
	if err != nil {
		return err
	}
	files := maps.Clone(r.common)
	files.add(t.program(), program, 0o755)
	for _, l := range libraries {
		files.add(filepath.Base(l), l, 0o644)
	}
	top := "kosumi-" + r.version + "-" + t.name()
	archive := filepath.Join(r.out, top+t.suffix())
	if err := files.write(archive, top, r.when); err != nil {
		return err
	}
	wheel, err := r.wheel(t, program, libraries)
	if err != nil {
		return err
	}
	made := []string{archive, wheel}
	if t.os == "linux" {
		packages, err := r.packages(t, program)
		if err != nil {
			return err
		}
		made = append(made, packages...)
	}
	bill := filepath.Join(r.out, top+".cdx.json")
	if err := r.bill(t, program, bill); err != nil {
		return err
	}
	made = append(made, bill)
	for _, f := range made {
		info, err := os.Stat(f)
		if err != nil {
			return err
		}
		fmt.Printf("  %-52s %6.1f MB\n", f, float64(info.Size())/1e6)
	}
	fmt.Printf("  %s took %s\n", t, time.Since(start).Round(time.Second))
	return nil
}

// output runs a command and returns what it printed, without the last newline.
func output(cmd *exec.Cmd) (string, error) {
	data, err := cmd.Output()
	if err != nil {
		return "", explain(cmd, err)
	}
	return strings.TrimRight(string(data), "\r\n"), nil
}

// do runs a command and shows its output only if it fails.
func do(cmd *exec.Cmd) error {
	if data, err := cmd.CombinedOutput(); err != nil {
		return explain(cmd, fmt.Errorf("%w\n%s", err, data))
	}
	return nil
}

func explain(cmd *exec.Cmd, err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		err = fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
}

// goTool is the go command: $GO, or the one on the path.
func goTool() string { return cmp.Or(os.Getenv("GO"), "go") }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
