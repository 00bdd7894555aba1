package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"kosumi/internal/file"
)

func installCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "install-as-katago DIR",
		Short: "Put the program into a folder under the name katago, as which it answers as KataGo does",
		Long: `Links the program into a folder as katago, or copies it where links are not to be
had (katago.exe on Windows). Under that name it takes KataGo's subcommands, flags
and .cfg files and says that it is KataGo: for clients that want it by name. What is
there already under that name is left alone, unless it is this program.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := installAsKataGo(args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is Kosumi %s now: give this path to your client\n", path, version)
			return nil
		},
	}
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
