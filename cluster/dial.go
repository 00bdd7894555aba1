package cluster

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// DialConfig holds the settings of a connection.
type DialConfig struct {
	Address string
	Creds   string // file of credentials, or of a seed, for the user's own NATS cluster
	CA      string // file of root certificates to verify the server's certificate with
	Key     Key    // zero: the key in Creds, or a new one
	Log     *slog.Logger
}

// Conn is a connection whose identity is proved to the broker by its key.
type Conn struct {
	nats *nats.Conn
	ID   string // the key's public half
}

func (c *Conn) Close() { c.nats.Close() }

// subject returns the subject of a request in the client's name. No other client may publish to
// it.
func (c *Conn) subject(verb string) string { return subjectOf(verb, c.ID) }

// reply answers a request. It ignores errors: a client that gets no answer repeats the request.
func (c *Conn) reply(to string, v any) {
	if to != "" {
		c.nats.Publish(to, pack(v))
	}
}

// reach waits for the connection.
func (c *Conn) reach(patience time.Duration) error {
	if err := c.nats.FlushTimeout(patience); err != nil {
		if last := c.nats.LastError(); last != nil {
			err = last
		}
		return fmt.Errorf("no connection: is the address right, its token too, and does the loop serve? %w", err)
	}
	return nil
}

// Dial connects to a broker. When the broker cannot be reached, now or later, the connection
// is tried again with growing random pauses.
func Dial(c DialConfig) (*Conn, error) {
	a, err := ParseAddress(c.Address)
	if err != nil {
		return nil, err
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	k, jwt := c.Key, false
	switch {
	case c.Creds != "":
		k, jwt, err = keyOfCreds(c.Creds, func(text string) { c.Log.Warn(text) })
	case k.pair == nil:
		k, err = NewKey()
	}
	if err != nil {
		return nil, err
	}
	o := append(reconnecting(c.Log, a.Hidden()), nats.CustomInboxPrefix(inboxOf(k.id)))
	if a.Token != "" {
		o = append(o, nats.Token(a.Token))
	}
	if jwt {
		o = append(o, nats.UserCredentials(c.Creds))
	} else {
		o = append(o, nats.Nkey(k.id, k.pair.Sign))
	}
	if c.CA != "" {
		o = append(o, nats.RootCAs(c.CA))
	}
	scheme := "nats://"
	if a.TLS {
		scheme = "tls://"
		o = append(o, nats.Secure(a.TLSConfig()), func(n *nats.Options) error {
			n.TLSConfig.MinVersion = tls.VersionTLS13
			return nil
		})
	}
	conn, err := nats.Connect(scheme+a.Host, o...)
	if err != nil {
		return nil, err
	}
	return &Conn{conn, k.id}, nil
}

// reconnecting returns options that reconnect after every outage and log each cause once.
func reconnecting(log *slog.Logger, address string) []nats.Option {
	var mu sync.Mutex
	told := ""
	cause := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if text := fmt.Sprint(err); err != nil && text != told {
			told = text
			log.Warn("not connected; the program tries again", "address", address, "error", err)
		}
	}
	return []nats.Option{
		nats.Timeout(10 * time.Second), nats.PingInterval(20 * time.Second), nats.MaxPingsOutstanding(3),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.IgnoreAuthErrorAbort(),
		nats.CustomReconnectDelay(backoff), nats.ReconnectJitter(0, 0),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { cause(err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			if errors.Is(err, nats.ErrNkeysNotSupported) {
				err = errors.New("the NATS server there asks for no keys, so it cannot prove who speaks; give it a user for each key (docs/cluster.md)")
			}
			cause(err)
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			mu.Lock()
			told = ""
			mu.Unlock()
			log.Info("connected", "address", address)
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Warn("NATS", "error", err) }),
	}
}

// backoff returns the pause before try n, 1 or more. It doubles from 100 ms to 15 s, and half of
// it is random, so that many clients do not reconnect at once.
func backoff(n int) time.Duration {
	d := min(15*time.Second, 50*time.Millisecond<<min(n, 10))
	return d/2 + rand.N(d/2+1)
}
