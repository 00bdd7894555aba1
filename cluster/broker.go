package cluster

import (
	"cmp"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// Broker is a NATS server inside this program.
type Broker struct {
	nats  *server.Server
	token string
}

// maxConnections bounds the clients; each takes some 0.15 MB.
const maxConnections = 16384

// StartBroker listens on HOST:PORT (port 0: any) for clients that have the token and prove that
// they own their key. A client may only publish in its own name and read its own inbox.
func StartBroker(listen, token string, cert *tls.Certificate) (*Broker, error) {
	host, portText, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, fmt.Errorf("%q is no HOST:PORT to listen on: %w", listen, err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port < 0 || port > 65535 {
		return nil, fmt.Errorf("%q is not a port", portText)
	}
	try, err := net.Listen("tcp", listen) // because the NATS server does not report why it cannot listen
	if err != nil {
		return nil, err
	}
	try.Close()
	port = cmp.Or(port, server.RANDOM_PORT)
	host = cmp.Or(host, "0.0.0.0")
	o := &server.Options{ServerName: "kosumi", Host: host, Port: port, NoSigs: true, NoLog: true, MaxPayload: maxGame + 4096,
		MaxConn: maxConnections, MaxSubs: 64, MaxPending: 16 << 20, AuthTimeout: 5, AlwaysEnableNonce: true,
		PingInterval: 20 * time.Second, MaxPingsOut: 3, WriteDeadline: 10 * time.Second}
	if cert != nil {
		o.TLS, o.TLSTimeout = true, 5
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{*cert}}
	}
	b := &Broker{token: token}
	o.CustomClientAuthentication = (*gatekeeper)(b)
	if b.nats, err = server.NewServer(o); err != nil {
		return nil, err
	}
	b.nats.Start()
	if !b.nats.ReadyForConnections(10 * time.Second) {
		b.nats.Shutdown()
		return nil, fmt.Errorf("nothing can listen on %s: is the port taken?", listen)
	}
	return b, nil
}

// Addr is the HOST:PORT that the broker listens on.
func (b *Broker) Addr() string { return b.nats.Addr().String() }

// Connections counts the clients.
func (b *Broker) Connections() int { return b.nats.NumClients() }

func (b *Broker) Close() {
	b.nats.Shutdown()
	b.nats.WaitForShutdown()
}

// Connect opens a connection inside the process, with all permissions.
func (b *Broker) Connect() (*Conn, error) {
	k, err := NewKey()
	if err != nil {
		return nil, err
	}
	conn, err := nats.Connect("", nats.InProcessServer(b.nats), nats.Token(b.token), nats.Name(insider), nats.CustomInboxPrefix(inboxOf(k.id)), nats.MaxReconnects(-1))
	if err != nil {
		return nil, err
	}
	return &Conn{conn, k.id}, nil
}

const insider = "server"

// gatekeeper authenticates connections and sets their permissions.
type gatekeeper Broker

// Check implements server.Authentication: by signing the connection's nonce a client
// proves that it owns its key, which is part of every subject that the client may use.
func (g *gatekeeper) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	if subtle.ConstantTimeCompare([]byte(o.Token), []byte(g.token)) != 1 {
		return false
	}
	if inside := c.RemoteAddress() == nil || c.RemoteAddress().Network() == "pipe"; inside && o.Name == insider {
		c.RegisterUser(&server.User{Username: insider})
		return true
	}
	if !validID(o.Nkey) || !signed(o.Nkey, o.Sig, c.GetNonce()) {
		return false
	}
	c.RegisterUser(&server.User{Username: o.Nkey, Permissions: permissions(o.Nkey)})
	return true
}

// signed reports whether a signature of a nonce was made with a key.
func signed(id, signature string, nonce []byte) bool {
	sig, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		return false
	}
	k, err := nkeys.FromPublicKey(id)
	return err == nil && len(nonce) > 0 && k.Verify(nonce, sig) == nil
}

// permissions let a client send requests in its own name and read the replies.
func permissions(id string) *server.Permissions {
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{subjectOf("*", id)}},
		Subscribe: &server.SubjectPermission{Allow: []string{inboxOf(id) + ".>"}},
	}
}

// inboxOf returns the subject of a client's replies.
func inboxOf(id string) string { return "_INBOX." + id }
