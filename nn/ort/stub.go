//go:build !cgo

package ort

import "kosumi/nn"

// Available says whether this program can load the library at all.
const Available = false

// Load returns ErrNoCgo.
func Load(string) (Library, error) { return Library{}, ErrNoCgo }

// Loaded returns false.
func Loaded() (Library, bool) { return Library{}, false }

// Providers returns ErrNoCgo.
func Providers(string) ([]ProviderStatus, error) { return nil, ErrNoCgo }

// Open returns ErrNoCgo.
func Open([]byte, nn.Spec, Config) (nn.Backend, error) { return nil, ErrNoCgo }

// Offers returns ErrNoCgo.
func Offers(string, string) error { return ErrNoCgo }

// Register returns ErrNoCgo.
func Register(string, string) error { return ErrNoCgo }

// Devices returns ErrNoCgo.
func Devices(string) ([]Offer, error) { return nil, ErrNoCgo }

func pluginOffers() []Offer { return nil }
