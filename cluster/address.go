package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Address is where a cluster is reached: nats://TOKEN@HOST:PORT, and for a server
// that made its own certificate, # and the certificate's sha256.
type Address struct {
	Token string
	Host  string // with its port
	Pin   string // sha256 of the certificate, hex; "" is none
	TLS   bool
}

// ParseAddress reads an address.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Address{}, fmt.Errorf("%q is no address: %w", text, err)
	}
	a := Address{Host: u.Host, Pin: strings.ToLower(u.Fragment), TLS: u.Scheme == "tls"}
	if u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" {
		return a, fmt.Errorf("%q is no address; it looks like nats://TOKEN@HOST:PORT", text)
	}
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
			return a, fmt.Errorf("%q is no sha256 of a certificate", a.Pin)
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

// Reachable is the address that others use for one that is listened on: the
// machine's name stands for all of its addresses.
func Reachable(listen, addr string) string {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		_, port, err := net.SplitHostPort(addr)
		if name, hostErr := os.Hostname(); err == nil && hostErr == nil {
			return net.JoinHostPort(name, port)
		}
	}
	return addr
}

// TLSConfig verifies the server by the pin, or by the system's roots.
func (a Address) TLSConfig() *tls.Config {
	host, _, _ := net.SplitHostPort(a.Host)
	c := &tls.Config{MinVersion: tls.VersionTLS13, ServerName: host}
	if a.Pin != "" {
		c.InsecureSkipVerify = true // the pin says more than a name
		c.VerifyConnection = func(s tls.ConnectionState) error {
			sum := sha256.Sum256(s.PeerCertificates[0].Raw)
			if subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum[:])), []byte(a.Pin)) != 1 {
				return errors.New("the server's certificate is not the one that the address names")
			}
			return nil
		}
	}
	return c
}

// Certificate returns the certificate in a folder and its sha256, made on first
// use.
func Certificate(dir string) (tls.Certificate, string, error) {
	path := filepath.Join(dir, "server.pem")
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := makeCertificate(path); err != nil {
			return tls.Certificate{}, "", err
		}
	}
	pair, err := tls.LoadX509KeyPair(path, path)
	if err != nil {
		return pair, "", fmt.Errorf("%s: %w", path, err)
	}
	sum := sha256.Sum256(pair.Certificate[0])
	return pair, hex.EncodeToString(sum[:]), nil
}

func makeCertificate(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	now := time.Now()
	form := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: "kosumi"}, DNSNames: []string{"kosumi", "localhost"},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.AddDate(10, 0, 0), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	return writeSecret(path, text)
}

// Token returns the token in a folder, made on first use.
func Token(dir string) (string, error) {
	path := filepath.Join(dir, "token")
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		token := NewID()
		return token, writeSecret(path, []byte(token+"\n"))
	}
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(data))
	if len(token) < 16 {
		return "", fmt.Errorf("%s: a token of 16 characters or more is expected; remove the file for a new one", path)
	}
	return token, nil
}

// writeSecret writes a file that only its owner can read.
func writeSecret(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// NewID returns 128 random bits in hex.
func NewID() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
