// Package kosumi_test checks rules that concern several packages.
package kosumi_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// floors lists the rooms of each floor, lowest floor first. A room is a package with all packages in
// its subfolders that are not rooms themselves. A package imports only from its room or lower floors.
var floors = []string{
	"internal/file",
	"internal board models engine/clock search/setting life/check life/solver nn/onnx nn/kernel",
	"sgf search/thinking nn/features nn/katago nn/arch nn/fuse nn/autodiff",
	"nn gtp nn/fresh",
	"search life match/opening nn/ort nn/onnxgo nn/graph nn/open",
	"review match engine/level engine/bench nn/model",
	"engine match/ladder engine/doctor",
	"katago train",
	"web cluster",
	"cmd tools examples",
}

// testOnly names packages that serve tests and that only tests may import.
var testOnly = []string{"internal/browsertest", "train/learn/learntest", "internal/testshared", "internal/conform", "nn/nntest", "nn/onnx/onnxref", "nn/features/featurestest"}

type listed struct {
	ImportPath string
	Imports    []string
}

// room returns a package's room and floor; the floor is -1 if it belongs to none.
func room(pkg string) (string, int) {
	for dir := pkg; dir != "."; dir = path.Dir(dir) {
		for floor, rooms := range floors {
			if slices.Contains(strings.Fields(rooms), dir) {
				return dir, floor
			}
		}
	}
	return "", -1
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var all []listed
	for dec := json.NewDecoder(out); ; {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		all = append(all, p)
	}
	require.NoError(t, cmd.Wait())
	return all
}

// TestImportsPointDown: a package imports only packages of its own room or of lower floors (see floors), only
// tests import packages for tests, and only web and cmd import katago.
func TestImportsPointDown(t *testing.T) {
	const module = "kosumi/"
	for _, p := range listPackages(t) {
		name, inside := strings.CutPrefix(p.ImportPath, module)
		if !inside || slices.Contains(testOnly, name) {
			continue
		}
		home, floor := room(name)
		if floor < 0 {
			t.Errorf("%s stands in no room of the table", name)
		}
		for _, path := range p.Imports {
			imported, inside := strings.CutPrefix(path, module)
			if !inside {
				continue
			}
			target, below := room(imported)
			if target != home && below >= floor || slices.Contains(testOnly, imported) {
				t.Errorf("%s may not import %s", name, imported)
			}
			if target == "katago" && !slices.Contains([]string{"katago", "web", "cmd"}, home) {
				t.Errorf("%s knows of KataGo", name)
			}
		}
	}
}

// TestCoresHaveOneOwner: programs ask nn.Cores how many cores they may use, because
// runtime.NumCPU ignores quotas and the program changes runtime.GOMAXPROCS.
func TestCoresHaveOneOwner(t *testing.T) {
	owners := []string{"nn/cores.go", "engine/doctor/doctor.go", "cmd/engine/main.go"}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || slices.Contains(owners, filepath.ToSlash(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		for _, call := range []string{"runtime.NumCPU", "runtime.GOMAXPROCS"} {
			if strings.Contains(string(text), call+"(") {
				t.Errorf("%s calls %s", path, call)
			}
		}
		return err
	})
	require.NoError(t, err)
}
