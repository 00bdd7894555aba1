package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"kosumi/gtp"
	"kosumi/nn/open"
)

// Reasons why a session ends before its client asks for it.
var (
	errNoNetwork  = errors.New("the network could not be loaded")
	errClientGone = errors.New("the program that reads the output has gone")
)

// lastWords is how long a client's commands are still answered, with errors, after its network has
// failed. A finished session waits for the same time to learn whether the network has failed.
const lastWords = time.Second

// serveClient runs serve, which speaks a protocol on standard input and output, to its end. If the network fails, serve
// answers with errors for lastWords more, and serveClient returns the failure. It is no error if the client disconnects
// or a signal stops the program. Unless the argument what is empty, a banner on standard error ends with that text.
func serveClient(ctx context.Context, s *settings, net *open.Network, what string, serve func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		if err := announce(s, net, what); err != nil {
			time.AfterFunc(lastWords, func() { stop(errNoNetwork) })
		}
	}()
	go func() {
		waitForHangup()
		stop(errClientGone)
	}()
	err := serve(ctx)
	select {
	case <-net.Ready():
	case <-time.After(lastWords):
	}
	_, failed := net.Loaded()
	switch cause := context.Cause(ctx); {
	case failed != nil && !errors.Is(failed, context.Canceled):
		return fmt.Errorf("%w: %w", errNoNetwork, failed)
	case cause != nil, errors.Is(err, gtp.ErrOutput):
		return nil
	}
	return err
}

// announce writes the banner when the network is loaded.
func announce(s *settings, net *open.Network, what string) error {
	if err := net.Wait(); err != nil {
		return err
	}
	if what == "" {
		return nil
	}
	d := net.Describe()
	fmt.Fprintf(os.Stderr, "Kosumi %s: %s on %s, %s (%s); %d workers, %d sessions; %s\n",
		version, d.Name, d.Provider, d.Precision, d.Why, s.workers(), s.SessionCount(), what)
	return nil
}
