package web

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kosumi/internal/file"
)

// OwnCertificate reads the certificate kept in a folder, or makes one for these
// names that holds for ten years. fingerprint is its sha256, for people who
// compare it with what their browser shows. note is told what was mended.
func OwnCertificate(folder string, names []string, note func(text string)) (cert tls.Certificate, fingerprint string, err error) {
	certFile, keyFile := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	for _, path := range []string{keyFile, certFile} {
		_, err = file.Secret(path, func() ([]byte, error) { return nil, errNoCertificate }, note)
		if errors.Is(err, errNoCertificate) {
			err = makeCertificate(certFile, keyFile, names)
		}
		if err != nil {
			return cert, "", fmt.Errorf("the certificate: %w", err)
		}
	}
	if cert, err = tls.LoadX509KeyPair(certFile, keyFile); err != nil {
		return cert, "", fmt.Errorf("%s and %s hold no certificate with its key (%w); remove both for a new one", certFile, keyFile, err)
	}
	sum := sha256.Sum256(cert.Certificate[0])
	parts := make([]string, len(sum))
	for i, b := range sum {
		parts[i] = fmt.Sprintf("%02X", b)
	}
	return cert, strings.Join(parts, ":"), nil
}

// errNoCertificate says that there is none, or an empty file.
var errNoCertificate = errors.New("there is none")

func makeCertificate(certFile, keyFile string, names []string) error {
	if err := os.MkdirAll(filepath.Dir(certFile), 0o700); err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	t := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: "Kosumi on this machine"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true}
	for _, n := range append([]string{"localhost", "127.0.0.1", "::1"}, names...) {
		if ip := net.ParseIP(n); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, n)
		}
	}
	if own, err := net.InterfaceAddrs(); err == nil {
		for _, a := range own {
			if n, ok := a.(*net.IPNet); ok {
				t.IPAddresses = append(t.IPAddresses, n.IP)
			}
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := file.WritePrivate(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})); err != nil {
		return err
	}
	return file.WritePrivate(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
