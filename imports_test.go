// Package kosumi_test holds the rules of the house that no single package can
// check of itself.
package kosumi_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// below is the room that all others may import.
const below = "internal/file"

// allowed says, for each room of the house, which other rooms its code may
// import. Imports point down only: a room stands below every room that names it.
var allowed = map[string]string{
	below:           "",
	"board":         "",
	"clock":         "",
	"handout":       "",
	"models":        "",
	"scripts":       "",
	"setting":       "",
	"nn/onnx":       "",
	"sgf":           "board",
	"thinking":      "board",
	"gtp":           "board clock setting thinking",
	"nn/features":   "board",
	"nn":            "board nn/features",
	"nn/arch":       "nn/onnx",
	"nn/katago":     "nn/onnx",
	"nn/kernel":     "",
	"nn/fuse":       "nn/kernel nn/onnx",
	"nn/ort":        "nn nn/kernel nn/onnx",
	"nn/fresh":      "nn/arch nn/katago nn/onnx",
	"nn/onnxgo":     "nn nn/onnx",
	"nn/graph":      "nn nn/fuse nn/kernel nn/onnx",
	"nn/open":       "board nn",
	"nn/model":      "board models nn nn/arch nn/features nn/fuse nn/graph nn/katago nn/kernel nn/onnx nn/onnxgo nn/ort setting",
	"search":        "board nn nn/features setting thinking",
	"engine":        "board clock level life nn nn/features search setting sgf thinking",
	"katago":        "board clock engine gtp nn nn/features nn/open search setting sgf thinking",
	"level":         "board models search thinking",
	"life":          "board life/check life/solver nn sgf",
	"console":       "",
	"life/check":    "",
	"life/solver":   "",
	"life/mine":     "board life nn nn/model sgf",
	"bench":         "board nn nn/features search",
	"doctor":        "board nn nn/model nn/ort",
	"match/opening": "board nn sgf",
	"review":        "board handout life nn search sgf",
	"match":         "board clock sgf",
	"match/ladder":  "board level match sgf",
	"nn/autodiff":   "nn/onnx",
	"train":         "board handout match models nn nn/autodiff nn/features nn/fresh nn/fuse nn/katago nn/kernel nn/model nn/onnx nn/ort search setting sgf thinking",
	"web/api":       "",
	"release":       "models",
	"web":           "board clock engine katago level life nn nn/open review search sgf thinking train web/api",
	"cluster":       "board nn nn/open train",
	"cmd/engine":    "*",
	"cmd/page":      "*",
	"examples":      "board nn nn/model search",
}

// testOnly names packages that serve tests and that only tests may import.
var testOnly = []string{"internal/browsertest", "web/webtest", "train/learn/learntest", "internal/testshared", "internal/conform", "nn/nntest", "nn/features/featurestest"}

type listed struct {
	ImportPath string
	Imports    []string
}

// room returns the room that a package of the module belongs to: the longest
// entry of the table that is the package itself or a folder above it.
func room(pkg string) (string, bool) {
	for dir := pkg; dir != ""; {
		if _, ok := allowed[dir]; ok {
			return dir, true
		}
		cut := strings.LastIndexByte(dir, '/')
		if cut < 0 {
			break
		}
		dir = dir[:cut]
	}
	return "", false
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

// TestImportsPointDown requires that code imports what its room may, no code but
// tests imports what serves tests, and each import that the table allows is there.
func TestImportsPointDown(t *testing.T) {
	const module = "kosumi/"
	used := map[string]map[string]bool{}
	for _, p := range listPackages(t) {
		name, inside := strings.CutPrefix(p.ImportPath, module)
		if !inside || slices.Contains(testOnly, name) {
			continue
		}
		home, ok := room(name)
		if !ok {
			t.Errorf("%s stands in no room of the table", name)
			continue
		}
		if used[home] == nil {
			used[home] = map[string]bool{}
		}
		for _, path := range p.Imports {
			imported, inside := strings.CutPrefix(path, module)
			if !inside {
				continue
			}
			target, ok := room(imported)
			used[home][target] = true
			granted := allowed[home] == "*" || ok && (target == home || target == below || slices.Contains(strings.Fields(allowed[home]), target))
			if !granted || slices.Contains(testOnly, imported) {
				t.Errorf("%s may not import %s", name, imported)
			}
		}
	}
	for home, grants := range allowed {
		for _, target := range strings.Fields(grants) {
			if target != "*" && !used[home][target] {
				t.Errorf("%s imports nothing of %s: the table need not allow it", home, target)
			}
		}
	}
}

// TestCoresHaveOneOwner requires that programs ask nn.Cores how many cores they may use:
// runtime.NumCPU heeds no quota, and the program changes runtime.GOMAXPROCS.
func TestCoresHaveOneOwner(t *testing.T) {
	owners := []string{"nn/cores.go", "doctor/doctor.go", "cmd/engine/main.go"}
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

// TestKataGoIsAlone requires that no room below imports KataGo's personality.
func TestKataGoIsAlone(t *testing.T) {
	for home, grants := range allowed {
		if home != "web" && slices.Contains(strings.Fields(grants), "katago") {
			t.Errorf("%s knows of KataGo", home)
		}
	}
}

// TestRoomsAreOrdered checks the table itself: no chain of allowed imports
// leads back to where it began.
func TestRoomsAreOrdered(t *testing.T) {
	var visit func(path []string)
	visit = func(path []string) {
		for _, below := range strings.Fields(allowed[path[len(path)-1]]) {
			if below == "*" {
				continue
			}
			if slices.Contains(path, below) {
				t.Fatalf("the table lets imports run in a circle: %v -> %s", path, below)
			}
			visit(append(slices.Clone(path), below))
		}
	}
	for name := range allowed {
		visit([]string{name})
	}
}
