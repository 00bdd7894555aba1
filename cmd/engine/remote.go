package main

import (
	"context"
	"crypto/tls"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kosumi/cluster"
	"kosumi/cluster/remote"
)

func remoteCommand() *cobra.Command {
	level := "warn"
	c := &cobra.Command{
		Use:   "remote ADDRESS gtp|analysis",
		Short: "Use an engine on another machine as if it were a local one",
		Long: `Connects a GUI to engine serve on another machine: the GUI starts this program as
its engine. ADDRESS is a file with the address that engine serve prints (it keeps one
in kosumi/serve/address in its config folder), or env:NAME for a variable. It may also
be the address itself, kosumi://TOKEN@HOST:PORT#FINGERPRINT; other users of this
machine then see the token in the list of processes. Broken connections are restored,
even in the middle of a move. After a restart of the server the game continues from
the same position. Flags of engine gtp belong to engine serve; kata-set-param changes a
setting of this game, as in kata-set-param level 10k.`,
		Example: `  scp bigmachine:.config/kosumi/serve/address bigmachine
  engine remote bigmachine gtp`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			log, err := clusterLog(level, false)
			if err != nil {
				return err
			}
			address, err := cluster.FindAddress(args[0], warn(log))
			if err != nil {
				return usageError{err}
			}
			rest, found := strings.CutPrefix(address, "kosumi://")
			if !found {
				return usagef("this is not the address of an engine, which looks like kosumi://TOKEN@HOST:PORT#FINGERPRINT")
			}
			a, err := cluster.ParseAddress("tls://" + rest)
			if err != nil {
				return usageError{err}
			}
			if args[1] != remote.GTP && args[1] != remote.Analysis {
				return usagef("the second argument is %q, must be gtp or analysis", args[1])
			}
			dialer := &tls.Dialer{NetDialer: &net.Dialer{Timeout: 10 * time.Second}, Config: a.TLSConfig()}
			dial := func(ctx context.Context) (net.Conn, error) { return dialer.DialContext(ctx, "tcp", a.Host) }
			return remote.Run(cmd.Context(), remote.ClientConfig{Token: a.Token, Kind: args[1], Log: log, Dial: dial}, os.Stdin, os.Stdout)
		},
	}
	c.Flags().StringVar(&level, "log-level", level, "level of messages on stderr: debug, info, warn or error")
	return c
}
