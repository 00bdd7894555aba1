package wire

import (
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kosumi/internal/file"
)

// OwnCertificate reads the certificate in a folder, or makes a self-signed one for names, valid for
// ten years. fingerprint is the certificate's SHA-256, to compare with the one that the browser shows.
// note gets a text about each repair.
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

// errNoCertificate says that a file of the certificate is missing or empty.
var errNoCertificate = errors.New("there is none")

func makeCertificate(certFile, keyFile string, names []string) error {
	if err := os.MkdirAll(filepath.Dir(certFile), 0o700); err != nil {
		return err
	}
	hosts := append([]string{"localhost", "127.0.0.1", "::1"}, names...)
	if own, err := NetworkAddresses(); err == nil {
		for _, ip := range own {
			hosts = append(hosts, ip.String())
		}
	}
	cert, key, err := file.SelfSigned("Kosumi on this machine", hosts...)
	if err != nil {
		return err
	}
	if err := file.WritePrivate(keyFile, key); err != nil {
		return err
	}
	return file.WritePrivate(certFile, cert)
}
