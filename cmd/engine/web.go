package main

import (
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
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cli/browser"
	"github.com/inconshreveable/mousetrap"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/web"
	"kosumi/web/api"
)

// webOptions are the flags of `engine web` alone.
type webOptions struct {
	listen, folder, reviews, networks, cert, key, ui string
	names                                            []string
	noOpen, newToken                                 bool
}

func webCommand() *cobra.Command {
	s := defaultSettings()
	s.LogLevel = "warn"
	var o webOptions
	c := &cobra.Command{
		Use:   "web",
		Short: "Open a board in the browser: play, analyse, review",
		Long: `Serves a page on this machine and opens it in the browser: play against the
engine, analyse positions and games, review. Nothing is installed and nothing
leaves this machine.

The first line on standard output is the page's address. It holds a key, so that
no other program or site can use the engine; whoever has it can. Games are kept
in the folder of --folder and survive anything; a second start opens the page of
the first. ^C ends it.

On another machine, or without a browser there: engine web --no-open, then
ssh -L PORT:127.0.0.1:PORT machine, and open the printed address.`,
		Example: `  engine web
  engine web --model kata1-b18c384nbt.bin.gz --networks ~/networks
  engine web --listen 192.168.1.20:8443 --name board.home --no-open`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.load(cmd); err != nil {
				return err
			}
			return serveWeb(cmd.Context(), &s, &o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.noOpen, "no-open", false, "print the address, open no browser")
	f.StringVar(&o.listen, "listen", "", "`ADDRESS`:PORT to listen on; beyond this machine only with TLS; default: 127.0.0.1, the port of last time")
	f.StringArrayVar(&o.names, "name", nil, "`HOST` name under which the page is reached, where that is not its address")
	f.StringVar(&o.cert, "tls-cert", "", "certificate `FILE` in PEM; default where TLS is needed: one of our own, whose fingerprint is printed")
	f.StringVar(&o.key, "tls-key", "", "key `FILE` of the certificate")
	f.StringVar(&o.folder, "folder", "", "`FOLDER` for games and settings; default: kosumi in the user's configuration folder, or $KOSUMI_HOME")
	f.StringVar(&o.reviews, "reviews", "", "`FOLDER` for reviews and drills, the same as engine review's -o; default: reviews in --folder")
	f.StringVar(&o.networks, "networks", "", "`FOLDER` with networks that the page may change to")
	f.BoolVar(&o.newToken, "new-token", false, "make a new key: old addresses stop working")
	f.StringVar(&o.ui, "ui", "", "`FOLDER` with the page's files, in place of those in the program")
	s.networkFlags(f)
	s.searchFlags(f)
	f.MarkHidden("ui")
	return c
}

func serveWeb(ctx context.Context, s *settings, o *webOptions) error {
	var err error
	if o.folder == "" {
		if o.folder, err = web.DefaultFolder(); err != nil {
			return err
		}
	}
	c := web.Config{Folder: o.folder, Reviews: o.reviews, Version: version, Engine: s.engineConfig(), Listen: o.listen, Names: o.names, NewToken: o.newToken, Log: s.stderr}
	if o.ui != "" {
		c.Page, c.Dev = os.DirFS(o.ui), true
	}
	if c.TLS, err = o.tls(); err != nil {
		return err
	}
	backend := newWebBackend(s, o.networks)
	defer backend.Close()
	c.Backend = backend
	server, err := web.New(c)
	var taken *web.TakenError
	if errors.As(err, &taken) {
		return openRunning(taken.Address, o)
	}
	if err != nil {
		return err
	}
	fmt.Println(server.URL())
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

// tls returns the TLS settings, nil on this machine alone.
func (o *webOptions) tls() (*tls.Config, error) {
	if (o.cert == "") != (o.key == "") {
		return nil, usagef("--tls-cert and --tls-key go together")
	}
	if o.cert == "" {
		if o.listen == "" || isLoopback(o.listen) {
			return nil, nil
		}
		cert, fingerprint, err := web.OwnCertificate(o.folder, o.names)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "The browser will warn of a certificate that it does not know. Go on only if its SHA-256 fingerprint is\n%s\n", fingerprint)
		return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, nil
	}
	cert, err := tls.LoadX509KeyPair(o.cert, o.key)
	if err != nil {
		return nil, fmt.Errorf("the certificate: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, nil
}

func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// openRunning opens the page of a server that is already running.
func openRunning(address string, o *webOptions) error {
	token, err := os.ReadFile(filepath.Join(o.folder, "token"))
	if err != nil || address == "" {
		return fmt.Errorf("%w, but where cannot be read from %s", web.ErrTaken, o.folder)
	}
	key := strings.TrimSpace(string(token))
	fmt.Println(address + "#k=" + key)
	fmt.Fprintln(os.Stderr, "Kosumi's page is already running; this is its address.")
	if o.noOpen {
		return nil
	}
	url := address + "#k=" + key
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
	browser.Stdout, browser.Stderr = nil, nil // they have nothing to say to us
	if err := browser.OpenURL(url); err != nil {
		fmt.Fprintln(os.Stderr, "No browser could be opened: open the address above.")
	}
}

// webBackend lets the page play with the network of the flags and change to
// others, between searches.
type webBackend struct {
	s      *settings
	folder string

	mu        sync.Mutex
	cur       *network
	name      string
	next      *network // takes over when no search is under way
	nextName  string
	searching int
}

func newWebBackend(s *settings, folder string) *webBackend {
	b := &webBackend{s: s, folder: folder, name: filepath.Base(s.Model)}
	if s.Model == "" {
		b.name = embeddedName
	}
	b.cur = openNetwork(s, board.Square(9), s.stderr)
	return b
}

const embeddedName = "kosumi-9x9 (built in)"

func (b *webBackend) now() *network {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cur
}

// Evaluate implements nn.Evaluator.
func (b *webBackend) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	return b.now().Evaluate(ctx, q, out)
}

// Submit implements nn.Submitter.
func (b *webBackend) Submit(ctx context.Context, j *nn.Job) { b.now().Submit(ctx, j) }

// SHA256 is that of the network's file, by which its levels are found; "" while
// it loads.
func (b *webBackend) SHA256() string {
	net := b.now()
	select {
	case <-net.ready:
		return net.SHA256()
	default:
		return ""
	}
}

// Identity implements web.Backend: what engine review tells its searches apart by.
func (b *webBackend) Identity() (name, identity string) {
	net := b.now()
	if b.Status().State != "ready" {
		return "", ""
	}
	return reviewIdentity(net.model)
}

// Stats returns what the network has done so far.
func (b *webBackend) Stats() nn.Stats { return b.now().Stats() }

// BatchSize returns the most positions in one network call.
func (b *webBackend) BatchSize() int { return b.now().BatchSize() }

// Serves returns nil if boards of that size can be evaluated.
func (b *webBackend) Serves(size board.Size) error { return b.now().Serves(size) }

// SearchBegins tells that a search is under way until the function that it
// returns is called.
func (b *webBackend) SearchBegins(board.Size) (ends func()) {
	b.mu.Lock()
	b.searching++
	b.mu.Unlock()
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.searching--
		b.turn()
	}
}

// turn lets the next network take over if no search is under way. The caller
// holds mu.
func (b *webBackend) turn() {
	if b.next == nil || b.searching > 0 {
		return
	}
	old := b.cur
	b.cur, b.name, b.next = b.next, b.nextName, nil
	go old.Close()
}

// Status implements web.Backend.
func (b *webBackend) Status() api.Engine {
	b.mu.Lock()
	net, name := b.cur, b.name
	b.mu.Unlock()
	select {
	case <-net.ready:
	default:
		return api.Engine{State: "loading", Name: name}
	}
	if err := net.failed(); err != nil {
		return api.Engine{State: "failed", Name: name, Error: err.Error()}
	}
	d := net.model.Describe()
	return api.Engine{State: "ready", Name: name, Provider: d.Provider, Precision: d.Precision, Why: d.Why, Slow: d.Provider == "onnx-go"}
}

// Networks implements web.Backend.
func (b *webBackend) Networks() []api.Network {
	b.mu.Lock()
	name := b.name
	b.mu.Unlock()
	var all []api.Network
	for n := range b.files() {
		net := api.Network{Name: n, Sizes: "any", InUse: n == name}
		if n == embeddedName {
			net.Weak = "9x9"
		}
		all = append(all, net)
	}
	slices.SortFunc(all, func(x, y api.Network) int { return strings.Compare(x.Name, y.Name) })
	return all
}

// files returns the networks that can be chosen, by name: nothing else that a
// page says is ever a path.
func (b *webBackend) files() map[string]string {
	all := map[string]string{embeddedName: ""}
	if b.s.Model != "" {
		all[filepath.Base(b.s.Model)] = b.s.Model
	}
	entries, _ := os.ReadDir(b.folder) // no folder: nothing more
	for _, e := range entries {
		for _, ext := range []string{".bin.gz", ".txt.gz", ".onnx"} {
			if strings.HasSuffix(e.Name(), ext) && !e.IsDir() {
				all[e.Name()] = filepath.Join(b.folder, e.Name())
			}
		}
	}
	return all
}

// Use implements web.Backend.
func (b *webBackend) Use(name string) error {
	path, ok := b.files()[name]
	if !ok {
		return errors.New("there is no network of that name")
	}
	s := *b.s
	s.Model = path
	net := openNetwork(&s, board.Square(9), s.stderr)
	if err := net.wait(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		go b.next.Close()
	}
	b.next, b.nextName = net, name
	b.turn()
	return nil
}

// Close lets go of the networks.
func (b *webBackend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		b.next.Close()
	}
	return b.cur.Close()
}

// startedByClick tells whether the program was started from a desktop: without a
// terminal and without anybody who would speak GTP with it.
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
