package cluster

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// connectLine reads what a broker says first and returns the line by which a client
// logs in.
func connectLine(t testing.TB, conn net.Conn, k Key, token string) string {
	t.Helper()
	line, err := bufio.NewReaderSize(conn, 4096).ReadString('\n')
	require.NoError(t, err)
	var info struct{ Nonce string }
	require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(line, "INFO ")), &info))
	sig, err := k.pair.Sign([]byte(info.Nonce))
	require.NoError(t, err)
	text, err := json.Marshal(map[string]any{"verbose": false, "pedantic": false, "auth_token": token, "nkey": k.id, "sig": base64.RawURLEncoding.EncodeToString(sig)})
	require.NoError(t, err)
	return "CONNECT " + string(text)
}
