package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"kosumi/internal/file"
	"kosumi/katago/cli"
	"kosumi/models"
)

func installCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "install-as-katago DIR",
		Short: "Put the program into a folder as katago, to take KataGo's place in a GUI",
		Long: `Copies the program into a folder as katago (katago.exe on Windows). Under that name
it takes KataGo's subcommands, flags and .cfg files and calls itself KataGo, for
clients that start it by name. It does not replace another program of that name.

The folder also gets the built-in network as a file, gtp.cfg and analysis.cfg, for
dialogs that ask for them.

After an update run the command again: it replaces the program and the network. The
configs are yours and stay. A program of a .deb or .rpm is linked and needs no second
run.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			exe, err := os.Executable()
			if err != nil {
				return err
			}
			if exe, err = filepath.EvalSymlinks(exe); err != nil {
				return err
			}
			path, err := installAsKataGo(exe, args[0])
			if err != nil {
				return err
			}
			if path, err = filepath.Abs(path); err != nil {
				return err
			}
			network := filepath.Join(filepath.Dir(path), models.File)
			gtp := filepath.Join(filepath.Dir(path), "gtp.cfg")
			analysis := filepath.Join(filepath.Dir(path), "analysis.cfg")
			if err := installFiles(network, gtp, analysis); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), `%s is Kosumi %s now: give this path to your client
  network  %s
  configs  %s, %s
Where a client wants one line:
  %[6]s gtp -model %[7]s -config %[8]s
`, path, version, network, gtp, analysis, file.Quote(path), file.Quote(network), file.Quote(gtp))
			return nil
		},
	}
}

// installFiles writes the network and the missing configs. The configs have the lines that KataGo
// requires.
func installFiles(network, gtp, analysis string) error {
	data, err := models.Data()
	if err != nil {
		return err
	}
	if have, err := os.ReadFile(network); err != nil || !bytes.Equal(have, data) {
		if err := file.WriteBytes(network, data); err != nil {
			return err
		}
	}
	for path, keys := range map[string]string{gtp: cli.StandIn, analysis: "numAnalysisThreads=2,numSearchThreads=16"} {
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		text := "# Settings by KataGo's names, such as maxVisits = 500. Kosumi's\n# defaults hold for all others.\n" +
			strings.NewReplacer(",", "\n", "=", " = ").Replace(keys) + "\n"
		if err := file.WriteBytes(path, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// packaged is the folder of programs from the system's packages; an update replaces such a program
// in place.
const packaged = "/usr/"

// installAsKataGo puts the program exe into a folder and returns its path there: a link if exe
// comes from a package, otherwise a copy, so that updates and make clean do not remove it.
func installAsKataGo(exe, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "katago")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if there, err := filepath.EvalSymlinks(path); err == nil && there != exe && !isKosumi(there) {
		return "", fmt.Errorf("%s is there already and is another program: move it away first", path)
	}
	link := strings.HasPrefix(exe, packaged)
	if info, err := os.Lstat(path); err == nil && (link || info.Mode()&os.ModeSymlink != 0) {
		if err := os.Remove(path); err != nil {
			return "", err
		}
	}
	if link && os.Symlink(exe, path) == nil {
		return path, nil
	}
	libraries, err := filepath.Glob(filepath.Join(filepath.Dir(exe), map[bool]string{true: "*.dll", false: "libonnxruntime*"}[runtime.GOOS == "windows"]))
	if err != nil {
		return "", err
	}
	for _, from := range libraries {
		if err := copyFile(filepath.Join(dir, filepath.Base(from)), from); err != nil {
			return "", err
		}
	}
	return path, copyFile(path, exe)
}

// isKosumi reports whether a file is this program, of any version.
func isKosumi(path string) bool {
	self, ok := debug.ReadBuildInfo()
	info, err := buildinfo.ReadFile(path)
	return ok && err == nil && info.Path == self.Path
}

// copyFile makes an executable copy of a file, unless both paths lead to the same file.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if a, err := os.Stat(to); err == nil {
		if b, err := in.Stat(); err == nil && os.SameFile(a, b) {
			return nil
		}
	}
	err = file.Write(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	if err != nil {
		return err
	}
	return os.Chmod(to, 0o755)
}
