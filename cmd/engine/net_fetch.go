package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"kosumi/board"
	"kosumi/internal/console"
	"kosumi/internal/file"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/store"
)

func netFetchCommand() *cobra.Command {
	var folder string
	var asJSON bool
	c := &cobra.Command{
		Use:   "fetch strongest|newest",
		Short: "Fetch KataGo's strongest or newest network",
		Long: `Asks katagotraining.org for KataGo's strongest or newest network and fetches the
file that it names, often 40 to 300 MB, into the folder networks of engine web's
folder, on Linux ~/.config/kosumi/networks. The file is verified by size and
sha256, loaded, and its speed measured. The same command resumes an interrupted
download. Standard output is the path of the file.`,
		Example: `  engine net fetch strongest
  engine gtp --model "$(engine net fetch newest)"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return fetchLatest(cmd, args[0], folder, asJSON)
		},
	}
	c.Flags().StringVar(&folder, "networks", "", "`FOLDER` to keep the network in; default: networks in the folder of engine web")
	c.Flags().BoolVar(&asJSON, "json", false, "print name, path, size and speed as JSON")
	return c
}

// fetched is the JSON about a fetched network.
type fetched struct {
	Name  string            `json:"name"`
	Path  string            `json:"path"`
	Bytes int64             `json:"bytes"`
	Speed *api.NetworkSpeed `json:"speed,omitempty"`
}

func fetchLatest(cmd *cobra.Command, name, folder string, asJSON bool) error {
	s := defaultSettings()
	if err := s.load(cmd, nil); err != nil {
		return err
	}
	if folder == "" {
		home, err := store.DefaultFolder()
		if err != nil {
			return fmt.Errorf("%w, or name a folder with --networks", err)
		}
		folder = filepath.Join(home, "networks")
	}
	c := engines.NetworksConfig{Folder: folder, Open: func(file string) engines.Network {
		s.Model = file
		return openNetwork(&s, board.Square(19), s.stderr)
	}}
	show := console.NewProgress(cmd.ErrOrStderr())
	net, path, err := engines.FetchLatest(cmd.Context(), c, name, showFetch(show))
	show.Close()
	if err != nil {
		if cmd.Context().Err() != nil {
			return fmt.Errorf("interrupted; the same command resumes")
		}
		said := api.Said(err)
		if said == nil {
			return err
		}
		if said.Key == "net_latest" {
			return usagef("%q: %s", name, said)
		}
		return fmt.Errorf("net fetch %s: %s", name, said)
	}
	if asJSON {
		return writeJSON(cmd.OutOrStdout(), fetched{net.Name, path, net.Bytes, net.Speed})
	}
	if v := net.Speed; v != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "%.*f evaluations a second on %s; a move in 2 s sees %.0f positions\n", map[bool]int{true: 1}[v.Evals < 10], v.Evals, v.Size, 2*v.Evals)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "to play: engine web --model %s\n", file.Quote(path))
	fmt.Fprintln(cmd.OutOrStdout(), path)
	return nil
}

// showFetch returns a function that shows the progress of a download: a bar on a terminal.
func showFetch(show *console.Progress) func(api.NetworkJob) {
	state := ""
	return func(j api.NetworkJob) {
		news := j.State != state
		switch state = j.State; {
		case news && state == "fetching":
			show.Note(fmt.Sprintf("%s, %.1f MB", j.Name, float64(j.Total)/1e6))
		case news && state == "checking":
			show.Note("verifying its sha256")
		case news && state == "trying":
			show.Note("loading it and measuring its speed")
		case state == "fetching":
			show.Show("", j.Done/1e6, j.Total/1e6, "MB", fmt.Sprintf("%.1f MB a second", j.Speed/1e6))
		}
	}
}
