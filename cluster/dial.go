package cluster

import (
	"crypto/tls"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"
)

// DialConfig says how a client connects.
type DialConfig struct {
	Address string
	Creds   string // file of credentials, for a NATS cluster of one's own
	CA      string // file of roots that the server's certificate is checked by
	ID      string // 32 hex digits
	Log     *slog.Logger
}

// Dial connects to a broker, and goes on trying where it cannot be reached, now or
// later, with growing and random pauses.
func Dial(c DialConfig) (*nats.Conn, error) {
	a, err := ParseAddress(c.Address)
	if err != nil {
		return nil, err
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	o := []nats.Option{
		nats.Name(c.ID), nats.CustomInboxPrefix(inboxOf(c.ID)), nats.Timeout(10 * time.Second), nats.PingInterval(20 * time.Second), nats.MaxPingsOutstanding(3),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.IgnoreAuthErrorAbort(),
		nats.CustomReconnectDelay(backoff), nats.ReconnectJitter(0, 0),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.Log.Warn("the connection is lost", "address", a.Hidden(), "error", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { c.Log.Info("connected", "address", a.Hidden()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.Log.Warn("NATS", "error", err) }),
	}
	if a.Token != "" {
		o = append(o, nats.Token(a.Token))
	}
	if c.Creds != "" {
		o = append(o, nats.UserCredentials(c.Creds))
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
	return nats.Connect(scheme+a.Host, o...)
}

// backoff is the pause before try n, 1 or more: from 50 ms on it doubles, up to 15
// seconds, and half of it is random, so that many clients do not come at once.
func backoff(n int) time.Duration {
	d := min(15*time.Second, 50*time.Millisecond<<min(n, 10))
	return d/2 + rand.N(d/2+1)
}
