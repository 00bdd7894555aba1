package cluster

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"kosumi/internal/file"
)

// Address is the address of a cluster: nats://TOKEN@HOST:PORT, followed by # and the sha256 of the
// certificate if the server made it itself.
type Address struct {
	Token string
	Host  string // host and port
	Pin   string // sha256 of the certificate, hex; "": none
	TLS   bool
}

// addressMark precedes the name of an environment variable that holds the address.
const addressMark = "env:"

// FindAddress returns the address that a text gives. A text with :// is the address itself; other
// users of the machine can see its token in the list of processes. env:NAME names an environment
// variable that holds the address; the variable is removed, so that child processes do not inherit it. Any
// other text is the name of a file that holds the address; note is called if others can read the
// file. Errors never contain a token.
func FindAddress(text string, note func(text string)) (string, error) {
	if name, found := strings.CutPrefix(text, addressMark); found {
		if value := strings.TrimSpace(os.Getenv(name)); value != "" {
			return value, os.Unsetenv(name)
		}
		return "", fmt.Errorf("the environment variable %s is not set", name)
	}
	if strings.Contains(text, "://") {
		return text, nil
	}
	exposed := ""
	data, err := file.Secret(text, nil, func(text string) { exposed = text })
	if at := strings.LastIndex(text, "@"); err != nil && at >= 0 {
		return "", fmt.Errorf("the text that ends in %q is neither a file nor an address; one looks like nats://TOKEN@HOST:PORT or kosumi://…", text[at:])
	}
	if err != nil {
		return "", fmt.Errorf("%q is neither an address (nats://TOKEN@HOST:PORT or kosumi://…) nor a file that holds one, nor env:NAME: %w", text, err)
	}
	address := string(data)
	if !strings.Contains(address, "://") || strings.ContainsFunc(address, unicode.IsSpace) {
		return "", fmt.Errorf("%s holds no address; a line like nats://TOKEN@HOST:PORT or kosumi://… is expected", text)
	}
	if exposed != "" && note != nil {
		note(exposed)
	}
	return address, nil
}

// KeepAddress writes an address into a folder, readable by this user alone, and returns the file's
// name.
func KeepAddress(dir, address string) (string, error) {
	path := filepath.Join(dir, "address")
	return path, file.WritePrivate(path, []byte(address+"\n"))
}

// ParseAddress reads an address. Errors do not repeat it, since it may contain a token.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return Address{}, errors.New("this is not an address; one looks like nats://TOKEN@HOST:PORT")
	}
	a := Address{Host: u.Host, Pin: strings.ToLower(u.Fragment), TLS: u.Scheme == "tls"}
	if u.Port() == "" {
		a.Host = net.JoinHostPort(u.Hostname(), "4222")
	}
	if u.User != nil {
		if _, two := u.User.Password(); two {
			return a, errors.New("the address has a user and a password; a token alone is expected, or --creds FILE")
		}
		a.Token = u.User.Username()
	}
	if a.Pin != "" {
		if raw, err := hex.DecodeString(a.Pin); err != nil || len(raw) != sha256.Size {
			return a, fmt.Errorf("%q is not the SHA-256 of a certificate", a.Pin)
		}
		a.TLS = true
	}
	return a, nil
}

// String is the address as ParseAddress reads it.
func (a Address) String() string {
	u := url.URL{Scheme: "nats", Host: a.Host, Fragment: a.Pin}
	if a.TLS && a.Pin == "" {
		u.Scheme = "tls"
	}
	if a.Token != "" {
		u.User = url.User(a.Token)
	}
	return u.String()
}

// Hidden is the address without its token.
func (a Address) Hidden() string {
	a.Token = ""
	return a.String()
}

// Reachable returns the HOST:PORT by which other machines reach a server that listens on addr: addr itself, but if
// the setting listen has no host or an unspecified IP address, with this machine's name, or, unless named is set, its
// IP address where DNS and the file of hosts do not give this address to the name.
func Reachable(listen, addr string, named bool) string {
	host, _, _ := net.SplitHostPort(listen)
	_, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || host != "" && (ip == nil || !ip.IsUnspecified()) {
		return addr
	}
	if name, err := os.Hostname(); err == nil {
		host = name
	}
	if way, err := net.Dial("udp", "192.0.2.1:9"); err == nil && !named { // sends nothing; it has the address of the default route
		defer way.Close()
		own := way.LocalAddr().(*net.UDPAddr).IP.String()
		ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
		defer stop()
		known, _ := (&net.Resolver{PreferGo: true}).LookupHost(ctx, host) // the system's resolver would invent an answer for this machine
		if !slices.Contains(known, own) {
			host = own
		}
	}
	return net.JoinHostPort(host, port)
}

// TLSConfig verifies the server by the pin, or by the system's roots.
func (a Address) TLSConfig() *tls.Config {
	host, _, _ := net.SplitHostPort(a.Host)
	c := &tls.Config{MinVersion: tls.VersionTLS13, ServerName: host}
	if a.Pin != "" {
		c.InsecureSkipVerify = true // VerifyConnection checks the fingerprint instead
		c.VerifyConnection = func(s tls.ConnectionState) error {
			if subtle.ConstantTimeCompare(fmt.Appendf(nil, "%x", sha256.Sum256(s.PeerCertificates[0].Raw)), []byte(a.Pin)) != 1 {
				return errors.New("the server's certificate is not the one that the address names")
			}
			return nil
		}
	}
	return c
}

// Certificate returns the certificate in a folder, made on first use, and the certificate's sha256
// in hex. note is called with each repair of the file.
func Certificate(dir string, note func(text string)) (tls.Certificate, string, error) {
	path := filepath.Join(dir, "server.pem")
	text, err := file.Secret(path, func() ([]byte, error) {
		cert, key, err := file.SelfSigned("kosumi", "kosumi", "localhost")
		return append(cert, key...), err
	}, note)
	if err != nil {
		return tls.Certificate{}, "", err
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return pair, "", fmt.Errorf("%s holds no certificate with its key (%w); remove it for a new one, which has another fingerprint in the address", path, err)
	}
	return pair, fmt.Sprintf("%x", sha256.Sum256(pair.Certificate[0])), nil
}

// Token returns the token in a folder, made on first use. note is called with each repair of the
// file.
func Token(dir string, note func(text string)) (string, error) {
	path := filepath.Join(dir, "token")
	data, err := file.Secret(path, func() ([]byte, error) { return []byte(NewID()), nil }, note)
	if err != nil {
		return "", err
	}
	if token := string(data); len(token) >= 16 && !strings.ContainsFunc(token, unicode.IsSpace) {
		return token, nil
	}
	return "", fmt.Errorf("%s: a token of 16 characters or more in one word is expected; remove the file for a new one", path)
}

// NewID returns 128 random bits in hex.
func NewID() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
