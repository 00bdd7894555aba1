package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/cli/browser"
	"github.com/inconshreveable/mousetrap"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"kosumi/board"
	"kosumi/cluster/hub"
	"kosumi/life"
	"kosumi/models"
	"kosumi/train/loop"
	"kosumi/web"
	"kosumi/web/engines"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// webOptions are the flags that only `engine web` has.
type webOptions struct {
	listen, folder, reviews, networks, cert, key, ui string
	names, loops                                     []string
	noOpen, newToken                                 bool
}

func webCommand() *cobra.Command {
	s := defaultSettings()
	s.LogLevel = "warn"
	var o webOptions
	c := &cobra.Command{
		Use:        "web",
		SuggestFor: []string{"gui", "board", "page", "browser", "backup"},
		Short:      "Open a board in the browser: play, analyse, review",
		Long: `Serves a page on this machine and opens it in the browser: play against the
engine, analyse positions and games, review. Nothing is installed and nothing
leaves this machine.

The first line on standard output is the page's address; --listen 0.0.0.0:8443
prints one for each network of this machine too. The address contains a key; anyone
who has it can use the engine, and no one else. Games are kept in --folder. A second
start opens the page of the first. ^C ends it.

On another machine, or without a browser there: engine web --no-open, then
ssh -L PORT:127.0.0.1:PORT machine, and open the printed address.`,
		Example: `  engine web
  engine web --model kata1-b18c384nbt.bin.gz --networks ~/networks
  engine web --listen :8443 --no-open
  engine web --listen 192.168.1.20:8443 --name board.home --no-open`,
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveWeb(cmd.Context(), &s, &o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.noOpen, "no-open", false, "print the address, open no browser")
	f.StringVar(&o.listen, "listen", "", "`ADDRESS`:PORT to listen on; beyond this machine only with TLS; default: 127.0.0.1, the port of last time")
	f.StringArrayVar(&o.names, "name", nil, "`HOST` name of the page, if it is not its address")
	f.StringVar(&o.cert, "tls-cert", "", "certificate `FILE` in PEM; default with TLS: the program's own, with its fingerprint printed")
	f.StringVar(&o.key, "tls-key", "", "key `FILE` of the certificate")
	f.StringVar(&o.folder, "folder", "", "`FOLDER` for games and settings; default: kosumi in the user's configuration folder, or $KOSUMI_HOME")
	f.StringVar(&o.reviews, "reviews", "", "`FOLDER` for reviews and drills, the same as engine review's -o; default: reviews in --folder")
	f.StringVar(&o.networks, "networks", "", "`FOLDER` of networks for the page to use, add and remove; default: networks in --folder")
	f.StringArrayVar(&o.loops, "loop", nil, "`FOLDER` of an engine loop to show; may be given more than once")
	f.BoolVar(&o.newToken, "new-token", false, "make a new key: old addresses stop working")
	f.StringVar(&o.ui, "ui", "", "`FOLDER` with the page's files, in place of those in the program")
	s.networkFlags(f)
	s.searchFlags(f)
	f.MarkHidden("ui")
	return c
}

func serveWeb(ctx context.Context, s *settings, o *webOptions) error {
	err := checkListen("listen", o.listen)
	if err != nil {
		return err
	}
	for flag, path := range map[string]string{"model": s.Model, "human-model": s.HumanModel, "networks": o.networks, "ui": o.ui} {
		if _, err := os.Stat(path); path != "" && err != nil && path != models.Name {
			return fmt.Errorf("--%s: %w", flag, err)
		}
	}
	for _, dir := range o.loops {
		if _, err := loop.NewViewer(dir).Snapshot(); err != nil {
			return fmt.Errorf("--loop: %w", err)
		}
	}
	if o.folder == "" {
		if o.folder, err = store.DefaultFolder(); err != nil {
			return fmt.Errorf("%w, or name one with --folder", err)
		}
	}
	c := web.Config{Folder: o.folder, Reviews: o.reviews, Version: version, Engine: s.engineConfig(), Listen: o.listen, Names: o.names, NewToken: o.newToken, Log: s.stderr}
	if len(o.loops) > 0 {
		c.Training = web.NewLoops(o.loops)
	}
	if o.ui != "" {
		ui, err := os.OpenRoot(o.ui)
		if err != nil {
			return fmt.Errorf("--ui: %w", err)
		}
		defer ui.Close()
		c.Page, c.Dev = ui.FS(), true
	}
	fingerprint := ""
	if c.TLS, fingerprint, err = o.tls(); err != nil {
		return err
	}
	o.networks = cmp.Or(o.networks, filepath.Join(o.folder, "networks"))
	engines.YieldToBrowser()
	networks := engines.NewNetworks(engines.NetworksConfig{File: s.Model, Folder: o.networks, Human: s.HumanModel != "", Open: func(file string) engines.Network {
		other := *s
		other.Model = file
		return openNetwork(&other, board.Square(9), s.stderr)
	}})
	defer networks.Close()
	c.Networks, c.Life = networks, life.Evaluated{Evaluator: networks}
	server, err := web.New(c)
	if taken, ok := errors.AsType[*store.TakenError](err); ok {
		return openRunning(taken.Address, o)
	}
	if op := new(net.OpError); errors.As(err, &op) && op.Op == "listen" {
		return fmt.Errorf("--listen: %w", err)
	}
	if err != nil {
		return err
	}
	if fingerprint != "" {
		fmt.Fprintf(os.Stderr, "The browser will warn of a certificate that it does not know. Continue only if its SHA-256 fingerprint is\n%s\n", fingerprint)
	}
	for _, url := range server.URLs() {
		fmt.Println(url)
	}
	if !o.noOpen {
		openBrowser(server.OneTimeURL())
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	return errors.Join(err, server.Close())
}

// tls returns the TLS settings, and the fingerprint of the program's own certificate; nil if there is no
// --tls-cert and only this machine is served.
func (o *webOptions) tls() (conf *tls.Config, fingerprint string, err error) {
	if (o.cert == "") != (o.key == "") {
		return nil, "", usagef("--tls-cert and --tls-key go together: give both or neither")
	}
	var cert tls.Certificate
	switch {
	case o.cert != "":
		if cert, err = tls.LoadX509KeyPair(o.cert, o.key); err != nil {
			err = fmt.Errorf("the certificate: %w", err)
		}
	case o.listen == "" || hub.Loopback(o.listen):
		return nil, "", nil
	default:
		cert, fingerprint, err = wire.OwnCertificate(o.folder, o.names, func(text string) { fmt.Fprintln(os.Stderr, text) })
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, fingerprint, err
}

// openRunning opens the page of a server that is already running.
func openRunning(address string, o *webOptions) error {
	token, err := os.ReadFile(filepath.Join(o.folder, "token"))
	if err != nil || address == "" {
		return fmt.Errorf("%w, but where cannot be read from %s", store.ErrTaken, o.folder)
	}
	if _, port, _ := net.SplitHostPort(o.listen); o.listen != "" && !strings.HasSuffix(address, ":"+port+"/") {
		return fmt.Errorf("--listen %s: Kosumi's page is already running at %s; stop that program first", o.listen, address)
	}
	key := strings.TrimSpace(string(token))
	url := address + "#k=" + key
	fmt.Println(url)
	fmt.Fprintln(os.Stderr, "Kosumi's page is already running; this is its address.")
	if o.noOpen {
		return nil
	}
	req, err := http.NewRequest(http.MethodPost, address+"api/key", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	client := http.Client{Timeout: 3 * time.Second}
	if resp, err := client.Do(req); err == nil {
		var once struct{ URL string }
		if json.NewDecoder(resp.Body).Decode(&once) == nil && strings.HasPrefix(once.URL, address) {
			url = once.URL
		}
		resp.Body.Close()
	}
	openBrowser(url)
	return nil
}

func openBrowser(url string) {
	browser.Stdout, browser.Stderr = nil, nil // the browser's output is of no interest
	if err := browser.OpenURL(url); err != nil {
		fmt.Fprintln(os.Stderr, "No browser could be opened: open the address above.")
	}
}

// startedByClick reports whether the program was started from a desktop: without a terminal, and
// not by a program that speaks GTP.
func startedByClick() bool {
	if mousetrap.StartedByExplorer() {
		return true
	}
	if runtime.GOOS != "darwin" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return false
	}
	in, err := os.Stdin.Stat()
	if err != nil || term.IsTerminal(int(os.Stdin.Fd())) {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(in, null)
}
