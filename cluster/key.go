package cluster

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/nats-io/nkeys"

	"kosumi/internal/file"
)

// Key is a pair of NATS' nkeys, which proves a client's identity. The public half is the
// identity and part of every subject that the client may publish to. The seed never leaves the
// machine.
type Key struct {
	pair nkeys.KeyPair
	id   string
}

// NewKey draws a key.
func NewKey() (Key, error) {
	return keyOf(nkeys.CreateUser())
}

// keyOf returns the key of a pair, or the error of making the pair.
func keyOf(pair nkeys.KeyPair, err error) (Key, error) {
	if err != nil {
		return Key{}, err
	}
	id, err := pair.PublicKey()
	if err == nil && !nkeys.IsValidPublicUserKey(id) {
		err = fmt.Errorf("%s is not a user's key", id)
	}
	return Key{pair, id}, err
}

// KeyIn returns the key in a folder, made on first use. note is called with each repair of the
// file.
func KeyIn(dir string, note func(text string)) (Key, error) {
	path := filepath.Join(dir, "key")
	seed, err := file.Secret(path, func() ([]byte, error) {
		k, err := NewKey()
		if err != nil {
			return nil, err
		}
		return k.pair.Seed()
	}, note)
	if err != nil {
		return Key{}, err
	}
	k, err := keyOf(nkeys.FromSeed(seed))
	if err != nil {
		return k, fmt.Errorf("%s holds no key: %w; remove it for a new one, which makes a new worker of this one", path, err)
	}
	return k, nil
}

// keyOfCreds returns the key in a file of NATS credentials, or of a seed alone. jwt reports
// whether the file also has NATS' token (JWT).
func keyOfCreds(path string, note func(text string)) (k Key, jwt bool, err error) {
	data, err := file.Secret(path, nil, note)
	if err != nil {
		return k, false, err
	}
	if k, err = keyOf(nkeys.ParseDecoratedUserNKey(data)); err != nil {
		return k, false, fmt.Errorf("%s holds no credentials of a NATS user: %w", path, err)
	}
	return k, bytes.Contains(data, []byte("NATS USER JWT")), nil
}

// validID reports whether an id is the public half of a key.
func validID(id string) bool { return nkeys.IsValidPublicUserKey(id) }

// publicName shortens a client's id for other clients: too short to impersonate the client, long
// enough to be unique.
func publicName(id string) string { return id[:min(12, len(id))] }
