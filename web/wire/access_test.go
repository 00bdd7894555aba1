package wire

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestToken: the token stays until a new one is requested, and only its owner can read it; a file
// that is not a token is replaced.
func TestToken(t *testing.T) {
	dir := t.TempDir()
	first, err := LoadToken(dir, false, nil)
	require.NoError(t, err)
	notes := ""
	again, err := LoadToken(dir, false, func(text string) { notes += text })
	require.NoError(t, err)
	require.Equal(t, first, again)
	info, err := os.Stat(filepath.Join(dir, "token"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	fresh, err := LoadToken(dir, true, func(text string) { notes += text })
	require.NoError(t, err)
	require.NotEqual(t, again, fresh)
	require.Empty(t, notes)
	for text, want := range map[string]string{"": "was empty", "short": "no token of 40"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "token"), []byte(text), 0o600))
		_, err = LoadToken(dir, false, func(text string) { notes += text })
		require.NoError(t, err)
		require.Contains(t, notes, want)
	}
}

// TestAdmit: wrong tokens in a row are answered late; a right token or one-time key ends the row. A
// key works once, and not after its time.
func TestAdmit(t *testing.T) {
	k := Keys{Token: "right"}
	for name, admit := range map[string]func() bool{
		"token": func() bool { return k.Admit("right", "") },
		"key":   func() bool { return k.Admit("", k.OneTime()) },
	} {
		for range patience + 1 {
			require.False(t, k.Admit("wrong", ""))
		}
		require.Positive(t, k.Penalty(), name)
		require.True(t, admit(), name)
		require.Zero(t, k.Penalty(), name)
	}
	key := k.OneTime()
	require.True(t, k.Admit("", key))
	require.False(t, k.Admit("", key))
	late := k.OneTime()
	k.once[late] = time.Now().Add(-time.Second)
	require.False(t, k.Admit("", late))
}

func TestOwnCertificate(t *testing.T) {
	dir := t.TempDir()
	cert, print1, err := OwnCertificate(dir, []string{"board.home"}, nil)
	require.NoError(t, err)
	require.NotEmpty(t, cert.Certificate)
	for _, name := range []string{"board.home", "localhost", "127.0.0.1", "::1"} {
		require.NoError(t, cert.Leaf.VerifyHostname(name))
	}
	_, print2, err := OwnCertificate(dir, nil, nil)
	require.NoError(t, err)
	require.Equal(t, print1, print2, "it is kept")
	for _, name := range []string{"cert.pem", "key.pem"} {
		notes := ""
		require.NoError(t, os.Truncate(filepath.Join(dir, name), 0))
		_, print2, err = OwnCertificate(dir, nil, nil)
		require.NoError(t, err, "an empty one is made anew")
		require.NotEqual(t, print1, print2)
		require.NoError(t, os.Chmod(filepath.Join(dir, name), 0o644))
		_, _, err = OwnCertificate(dir, nil, func(text string) { notes += text })
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			require.Contains(t, notes, "could be read by others")
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cert.pem"), []byte("damaged"), 0o600))
	_, _, err = OwnCertificate(dir, nil, nil)
	require.ErrorContains(t, err, "remove both")
}
