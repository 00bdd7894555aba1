package main

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"kosumi/cluster"
	"kosumi/internal/console"
)

// findAddress returns the address of a loop. The command line has the address itself, or names a
// file or an environment variable that holds it.
func findAddress(text string, log *slog.Logger) (string, error) {
	address, err := cluster.FindAddress(text, warn(log))
	if err == nil {
		_, err = cluster.ParseAddress(address)
	}
	if err != nil {
		return "", usageError{err}
	}
	return address, nil
}

func warn(log *slog.Logger) func(text string) { return func(text string) { log.Warn(text) } }

func clusterCommand() *cobra.Command {
	c := &cobra.Command{Use: "cluster", Short: "Show the state of the machines that play for a loop"}
	c.AddCommand(clusterStatusCommand())
	needSubcommand(c)
	return c
}

func clusterStatusCommand() *cobra.Command {
	var creds, ca string
	var asJSON, metrics bool
	c := &cobra.Command{
		Use:   "status ADDRESS",
		Short: "Print games, workers, rejected games and lag of a loop that serves",
		Long: `Prints the state of a loop that was started with engine loop DIR --serve. ADDRESS is
the workers' address: the file DIR/cluster/address, env:NAME, or the address itself.`,
		Example: `  engine cluster status run1/cluster/address`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			address, err := findAddress(args[0], console.NewLog(os.Stderr, slog.LevelWarn))
			if err != nil {
				return err
			}
			st, err := cluster.AskStatus(cmd.Context(), cluster.DialConfig{Address: address, Creds: creds, CA: ca}, 5*time.Second)
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				return writeJSON(cmd.OutOrStdout(), st)
			case metrics:
				st.WriteMetrics(cmd.OutOrStdout())
			default:
				printStatus(cmd.OutOrStdout(), st)
			}
			return nil
		},
	}
	c.Flags().StringVar(&creds, "creds", "", "`FILE` of NATS credentials or of a seed, for a NATS cluster of your own")
	c.Flags().StringVar(&ca, "ca", "", "root certificates `FILE` to check the server's certificate")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&metrics, "metrics", false, "print Prometheus metrics")
	return c
}

func printStatus(w io.Writer, st *cluster.Status) {
	fmt.Fprintf(w, "%s plays (offer %s), served since %s ago\n", st.Network, st.Offer, time.Duration(st.Seconds*float64(time.Second)).Round(time.Second))
	fmt.Fprintf(w, "%d games stored (%.0f/h), %d duplicates, %d rejected; %d games leased, %d uploads wait, lag %.2f s (p99 %.2f s)\n",
		st.Stored, st.Rate, st.Doubles, st.Rejected, st.Out, st.Queue, st.LagP50, st.LagP99)
	fmt.Fprintf(w, "%d games of the gating match to come; %.2f hours of workers, %.2f of processors", st.Gating, st.WorkerHours, st.ProcessorHours)
	if st.Cost > 0 {
		fmt.Fprintf(w, ", cost %.2f", st.Cost)
	}
	fmt.Fprintln(w)
	if st.Wanted <= 0 {
		fmt.Fprintln(w, "no games are handed out now: the learner has to catch up first")
	}
	if len(st.Workers) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "worker\tname\tplays with\tgames\tgames/h\tgating\trejected\twaiting\tseen")
		for _, k := range st.Workers {
			with := k.Processor
			if k.Precision != "" {
				with += ", " + k.Provider + " " + k.Precision
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%.0f\t%d\t%d\t%d\t%.0f s ago\n", k.ID, k.Name, with, k.Stored, k.Rate, k.Gating, k.Rejected, k.Spooled, k.Seen)
		}
		t.Flush()
	}
	for _, id := range slices.Sorted(maps.Keys(st.Aside)) {
		fmt.Fprintf(w, "set aside: %s, %s\n", id, st.Aside[id])
	}
	for _, r := range st.Reasons {
		fmt.Fprintf(w, "rejected %s: %s, %s\n", r.Time.Format(time.DateTime), r.Worker, r.Reason)
	}
}
