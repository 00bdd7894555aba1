package wire

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"kosumi/internal/file"
)

// Policy is the content security policy of pages: own files only, no inline script or style, no
// markup made from text.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// Access admits the requests of a server's pages. Make one with [NewAccess].
type Access struct {
	Keys     Keys
	hosts    map[string]bool // Host headers that name this server
	https    bool
	warnings *Warnings
}

// NewAccess returns the Access of a server at addr. names are further host names of the server.
func NewAccess(addr net.Addr, names []string, https bool, token string, w *Warnings) (*Access, error) {
	hosts, err := hostNames(addr, names)
	return &Access{Keys: Keys{Token: token}, hosts: hosts, https: https, warnings: w}, err
}

// Guard calls next only for requests that name this server and do not come from another site's
// page. It also sets security headers. isPage reports whether other sites may link to a path.
func (a *Access) Guard(next http.Handler, isPage func(path string) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", Policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()")
		h.Set("Cache-Control", "no-store")
		if r.TLS != nil {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if !a.Ours(r.Host) {
			a.refuse(w, r, http.StatusMisdirectedRequest, "this server does not answer to that name")
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && !a.ourOrigin(origin) {
			a.refuse(w, r, http.StatusForbidden, "requests from other sites are refused")
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
			if r.Header.Get("Sec-Fetch-Mode") != "navigate" || !isPage(r.URL.Path) {
				a.refuse(w, r, http.StatusForbidden, "requests from other sites are refused")
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// refuse answers a request that is not for this server; it logs each reason once a minute.
func (a *Access) refuse(w http.ResponseWriter, r *http.Request, code int, why string) {
	a.warnings.Warn(fmt.Sprintf("refused %s %s (host %s, origin %s): %s", Shown(r.Method, 10), Shown(r.URL.Path, 60), Shown(r.Host, 60), Shown(r.Header.Get("Origin"), 60), why), why)
	http.Error(w, why, code)
}

// Ours reports whether a Host header names this server.
func (a *Access) Ours(host string) bool {
	_, ok := a.hosts[strings.ToLower(host)]
	return ok
}

// AddName lets the server answer to one more Host header.
func (a *Access) AddName(host string) { a.hosts[host] = true }

func (a *Access) ourOrigin(origin string) bool {
	host, ok := strings.CutPrefix(strings.ToLower(origin), a.Scheme()+"://")
	return ok && a.Ours(host)
}

// Scheme is the scheme of the server's addresses.
func (a *Access) Scheme() string {
	if a.https {
		return "https"
	}
	return "http"
}

// hostNames returns the Host headers that mean a server at addr: the given names, addr itself and,
// for a loopback address, its usual names. If addr is unspecified, all addresses of this machine are included.
func hostNames(addr net.Addr, names []string) (map[string]bool, error) {
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return nil, err
	}
	port := fmt.Sprint(at.Port())
	all := map[string]bool{}
	add := func(host string) { all[strings.ToLower(net.JoinHostPort(host, port))] = true }
	for _, n := range names {
		add(n)
	}
	ip := at.Addr().Unmap()
	if ip.IsLoopback() || ip.IsUnspecified() {
		add("127.0.0.1")
		add("localhost")
		add("::1")
	}
	if !ip.IsUnspecified() {
		add(ip.String())
		return all, nil
	}
	own, err := NetworkAddresses()
	for _, ip := range own {
		add(ip.String())
	}
	return all, err
}

// NetworkAddresses are the addresses by which other machines reach this one.
func NetworkAddresses() (all []net.IP, err error) {
	own, err := net.InterfaceAddrs()
	for _, a := range own {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() {
			all = append(all, n.IP)
		}
	}
	return all, err
}

// Keys holds the token, and the one-time keys that are exchanged for it.
type Keys struct {
	Token string
	mu    sync.Mutex
	once  map[string]time.Time // one-time key -> its expiry
	wrong int                  // wrong tokens and keys in a row
}

// keyLives is how long a one-time key may be used.
const keyLives = time.Minute

// patience is how many wrong tokens in a row are answered without delay.
const patience = 10

// LoadToken reads the token in dir, or makes one. note gets a text about each repair.
func LoadToken(dir string, fresh bool, note func(text string)) (string, error) {
	path := filepath.Join(dir, "token")
	if !fresh {
		text, err := file.Secret(path, func() ([]byte, error) { return []byte(RandomText(32)), nil }, note)
		if err != nil || len(text) >= 40 {
			return string(text), err
		}
		note(path + " held no token of 40 characters or more; a new one is made")
	}
	text := RandomText(32)
	return text, file.WritePrivate(path, []byte(text+"\n"))
}

// RandomText returns random bytes as text that an address may contain.
func RandomText(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// OneTime returns a key that can be exchanged for the token once.
func (k *Keys) OneTime() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	for old, end := range k.once {
		if now.After(end) {
			delete(k.once, old)
		}
	}
	key := RandomText(18)
	if k.once == nil {
		k.once = map[string]time.Time{}
	}
	k.once[key] = now.Add(keyLives)
	return key
}

// Admit reports whether a token or a one-time key is right. After more than patience wrong ones in
// a row, answers to further wrong ones are delayed by [Keys.Penalty].
func (k *Keys) Admit(token, key string) bool {
	if subtle.ConstantTimeCompare([]byte(token), []byte(k.Token)) == 1 {
		k.mu.Lock()
		k.wrong = 0
		k.mu.Unlock()
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if end, ok := k.once[key]; ok {
		delete(k.once, key)
		if time.Now().Before(end) {
			k.wrong = 0
			return true
		}
	}
	k.wrong++
	return false
}

// Penalty is how long the answer to a wrong token is delayed.
func (k *Keys) Penalty() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.wrong > patience {
		return time.Second
	}
	return 0
}

// Bearer reports whether a request carries the token in its Authorization header.
func (a *Access) Bearer(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && a.Keys.Admit(token, "")
}

// WithToken lets only requests with the token through.
func (a *Access) WithToken(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if a.Bearer(r) {
			next(w, r)
			return
		}
		select {
		case <-time.After(a.Keys.Penalty()):
		case <-r.Context().Done():
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
	}
}
