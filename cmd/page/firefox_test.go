package main_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// smokeHTML shows the page in a frame, plays a stone there by keyboard events, reloads the page,
// and reports when the stone and its answer are on the board again.
const smokeHTML = `<!doctype html><title>smoke</title><iframe src="some/path/" width="1200" height="800"></iframe><script>
const frame = document.querySelector("iframe");
const say = (text) => fetch("said", { method: "POST", body: text });
const until = async (what) => {
	for (;;) {
		const doc = frame.contentDocument, alert = doc?.querySelector("[role=alert]");
		if (alert) throw new Error(alert.innerText);
		const found = doc && what(doc);
		if (found) return found;
		await new Promise((later) => setTimeout(later, 50));
	}
};
const answered = (doc) => doc.querySelectorAll(".moves li").length === 2;
(async () => {
	await until((doc) => doc.querySelector("main.home[data-front], main.first"));
	if (frame.contentDocument.querySelector("main.first")) frame.contentDocument.querySelectorAll(".first-answers > button")[1].click();
	await until((doc) => doc.querySelector("main.home[data-front]"));
	const point = await until((doc) => [...doc.querySelectorAll("[role=gridcell]")].find((c) => c.ariaLabel.split(/[ ,]/)[0] === "E5"));
	point.focus();
	point.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
	await until(answered);
	frame.contentWindow.before = true;
	frame.contentWindow.location.reload();
	await until(() => !frame.contentWindow.before);
	await until(answered);
	await say("played");
})().catch((e) => say(String(e)));
</script>`

// TestFirefox plays a stone in Firefox without a window, if Firefox is installed, and finds the
// stone after a reload.
func TestFirefox(t *testing.T) {
	testshared.Long(t)
	dir := folder(t)
	firefox, err := exec.LookPath("firefox-esr")
	if err != nil {
		firefox, err = exec.LookPath("firefox")
	}
	if err != nil {
		t.Skip("there is no Firefox (package firefox-esr)")
	}
	said := make(chan string, 1)
	mux := http.NewServeMux()
	mux.Handle("/some/path/", http.StripPrefix("/some/path/", http.FileServer(http.Dir(dir))))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, smokeHTML)
	})
	mux.HandleFunc("POST /said", func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		said <- string(text)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	profile, err := os.MkdirTemp("", "firefox")
	require.NoError(t, err)
	defer os.RemoveAll(profile) // a process of the browser may still write into this folder
	cmd := exec.Command(firefox, "--headless", "--no-remote", "--profile", profile, s.URL)
	cmd.Env = append(cmd.Environ(), "HOME="+profile)
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() {
		_ = cmd.Process.Kill()
		<-ended
	}()
	select {
	case text := <-said:
		require.Equal(t, "played", text)
	case err := <-ended:
		ended <- err
		t.Fatalf("Firefox has ended: %v", err)
	case <-time.After(15 * time.Minute):
		t.Fatal("nothing came of it in 15 minutes")
	}
}
