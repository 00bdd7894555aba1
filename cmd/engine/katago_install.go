package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"kosumi/internal/file"
	"kosumi/models"
)

func installCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "install-as-katago DIR",
		Short: "Put the program into a folder under the name katago, as which it answers as KataGo does",
		Long: `Links the program into a folder as katago, or copies it where links are not to be
had (katago.exe on Windows). Under that name it takes KataGo's subcommands, flags
and .cfg files and says that it is KataGo: for clients that want it by name. What is
there already under that name is left alone, unless it is this program.

Beside it lie the embedded network as a file and a config, for dialogs that insist
on both. The network is written anew by each version; the config is yours and stays.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := installAsKataGo(args[0])
			if err != nil {
				return err
			}
			network, config, err := installFiles(filepath.Dir(path))
			if err != nil {
				return err
			}
			if abs, err := filepath.Abs(path); err == nil {
				path, network, config = abs, filepath.Join(filepath.Dir(abs), network), filepath.Join(filepath.Dir(abs), config)
			}
			fmt.Fprintf(cmd.OutOrStdout(), `%s is Kosumi %s now: give this path to your client
  network  %s  (learnt %dx%[4]d)
  config   %s
Where a client wants one line:
  %[1]s gtp -model %[3]s -config %[5]s
`, path, version, network, models.Default().Size, config)
			return nil
		},
	}
}

// katagoConfig is the config that is installed: it has no key, so that what the
// program takes by itself holds.
const katagoConfig = `# Settings by KataGo's names, as in its own example configs, for example
#   maxVisits = 500
#   rules = japanese
# Where nothing is set, Kosumi's defaults hold: there is nothing to be tuned.
`

// installFiles puts the network and a config into a folder and returns their names
// there.
func installFiles(dir string) (network, config string, err error) {
	network, config = models.Default().File, "kosumi.cfg"
	if have, err := os.ReadFile(filepath.Join(dir, network)); err != nil || !bytes.Equal(have, models.Default().Data) {
		if err := file.WriteBytes(filepath.Join(dir, network), models.Default().Data); err != nil {
			return "", "", err
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, config)); err == nil {
		return network, config, nil
	}
	return network, config, file.WriteBytes(filepath.Join(dir, config), []byte(katagoConfig))
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
