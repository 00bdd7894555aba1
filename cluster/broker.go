package cluster

import (
	"crypto/subtle"
	"crypto/tls"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Broker is a NATS server inside this program.
type Broker struct {
	nats  *server.Server
	token string
}

// StartBroker listens on HOST:PORT (port 0: any) for clients that have the token.
// They may publish to the cluster's subjects and read their own inbox, no more,
// and answer what comes there.
func StartBroker(listen, token string, cert *tls.Certificate) (*Broker, error) {
	host, portText, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, fmt.Errorf("%q is no HOST:PORT to listen on: %w", listen, err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port < 0 || port > 65535 {
		return nil, fmt.Errorf("%q is no port", portText)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	if host == "" {
		host = "0.0.0.0"
	}
	o := &server.Options{ServerName: "kosumi", Host: host, Port: port, NoSigs: true, NoLog: true, MaxPayload: maxGame + 4096,
		MaxConn: 65536, MaxPending: 16 << 20, PingInterval: 20 * time.Second, MaxPingsOut: 3, WriteDeadline: 10 * time.Second}
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

// Addr is HOST:PORT that it listens on.
func (b *Broker) Addr() string { return b.nats.Addr().String() }

// Connections counts the clients.
func (b *Broker) Connections() int { return b.nats.NumClients() }

// Close ends the broker.
func (b *Broker) Close() {
	b.nats.Shutdown()
	b.nats.WaitForShutdown()
}

// Connect opens a connection inside the process, which may do everything.
func (b *Broker) Connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(b.nats), nats.Token(b.token), nats.Name(insider), nats.MaxReconnects(-1))
}

const insider = "server"

// gatekeeper decides who may connect, and to what.
type gatekeeper Broker

var inboxName = regexp.MustCompile(`^[0-9a-f]{32}$`)

// Check implements server.Authentication.
func (g *gatekeeper) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	if subtle.ConstantTimeCompare([]byte(o.Token), []byte(g.token)) != 1 {
		return false
	}
	user := &server.User{Username: o.Name}
	if inside := c.RemoteAddress() == nil || c.RemoteAddress().Network() == "pipe"; inside && o.Name == insider {
		c.RegisterUser(user)
		return true
	}
	if !inboxName.MatchString(o.Name) {
		return false
	}
	user.Permissions = &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{"kosumi.>"}},
		Subscribe: &server.SubjectPermission{Allow: []string{inboxOf(o.Name) + ".>"}},
		Response:  &server.ResponsePermission{MaxMsgs: 1, Expires: time.Minute}, // a client answers for its files
	}
	c.RegisterUser(user)
	return true
}

// inboxOf is where a client's replies go; who does not know its name cannot read
// them.
func inboxOf(name string) string { return "_INBOX_" + name }
