package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
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
		Long: `Links the program into a folder as katago (katago.exe on Windows), or copies it if the
file system has no links. Under that name it takes KataGo's subcommands, flags and
.cfg files and calls itself KataGo, for clients that start it by name. It does not
replace another program of that name.

The folder also gets the built-in network for large boards as a file, gtp.cfg and analysis.cfg, for
dialogs that ask for them. Each version replaces the network; the configs are yours
and stay.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := installAsKataGo(args[0])
			if err != nil {
				return err
			}
			if path, err = filepath.Abs(path); err != nil {
				return err
			}
			network := filepath.Join(filepath.Dir(path), models.Taught().File)
			gtp := filepath.Join(filepath.Dir(path), "gtp.cfg")
			analysis := filepath.Join(filepath.Dir(path), "analysis.cfg")
			if err := installFiles(network, gtp, analysis); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), `%s is Kosumi %s now: give this path to your client
  network  %s
  configs  %s, %s
Where a client wants one line:
  %[1]s gtp -model %[3]s -config %[4]s
`, path, version, network, gtp, analysis)
			return nil
		},
	}
}

// installFiles writes the network and the configs that are not there yet, with
// what KataGo's own must have in them.
func installFiles(network, gtp, analysis string) error {
	data, err := models.Taught().Data()
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

// installAsKataGo links or copies the program into a folder and returns its path
// there.
func installAsKataGo(dir string) (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	if exe, err = filepath.EvalSymlinks(exe); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "katago")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if there, err := filepath.EvalSymlinks(path); err == nil {
		if there == exe {
			return path, nil
		}
		return "", fmt.Errorf("%s is there already and is another program: move it away first", path)
	}
	if err := os.Symlink(exe, path); err == nil {
		return path, nil
	}
	in, err := os.Open(exe)
	if err != nil {
		return "", err
	}
	defer in.Close()
	err = file.Write(path, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	if err != nil {
		return "", err
	}
	return path, os.Chmod(path, 0o755)
}
