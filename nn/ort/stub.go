//go:build !cgo

package ort

import "kosumi/nn"

// Available says whether this program can load the library at all.
const Available = false

func Load(string) (Library, error)                     { return Library{}, ErrNoCgo }
func Loaded() (Library, bool)                          { return Library{}, false }
func Providers(string) ([]ProviderStatus, error)       { return nil, ErrNoCgo }
func Open([]byte, nn.Spec, Config) (nn.Backend, error) { return nil, ErrNoCgo }
func Offers(string, string) error                      { return ErrNoCgo }
func Register(string, string) error                    { return ErrNoCgo }
func Devices(string) ([]Offer, error)                  { return nil, ErrNoCgo }

func pluginOffers() []Offer { return nil }
