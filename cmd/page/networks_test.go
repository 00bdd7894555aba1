package main_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
)

// TestStrongestInTab fetches KataGo's strongest network in a page without a server. If
// katagotraining.org lets the browser read the file, the network is verified and tried; otherwise
// the page links to katagotraining.org. A dropped file without a network is refused.
func TestStrongestInTab(t *testing.T) {
	testshared.Long(t)
	data := []byte(testshared.Read(t, "../../models/kosumi-zero.bin.gz"))
	for _, open := range []bool{true, false} {
		t.Run(fmt.Sprintf("allowed %v", open), func(t *testing.T) {
			t.Parallel()
			training := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if open {
					w.Header().Set("Access-Control-Allow-Origin", "*")
				}
				if strings.HasPrefix(r.URL.Path, "/api/networks/") {
					fmt.Fprintf(w, `{"model_file":"https://media.katagotraining.org/kata1-x.bin.gz","model_file_bytes":%d,"model_file_sha256":"%x"}`, len(data), sha256.Sum256(data))
					return
				}
				w.Write(data)
			}))
			t.Cleanup(training.Close)
			there := strings.TrimPrefix(training.URL, "https://")
			p := browsertest.Open(t, chromedp.Flag("ignore-certificate-errors", true),
				chromedp.Flag("host-resolver-rules", "MAP katagotraining.org "+there+", MAP media.katagotraining.org "+there))
			p.Do(chromedp.Navigate(site(t).URL + "/some/path/"))
			p.Enter()
			p.Do(chromedp.Evaluate(`location.hash = "#/networks"`, nil))
			p.Until(`document.querySelector("#net-add")?.innerText === "From a file"`)
			p.Press("Fetch the strongest")
			if open {
				p.Until(`/kata1-x.bin.gz is ready\.[^]* evaluations a second on 19×19/.test(document.querySelector(".network-job[data-state=ready]")?.innerText)`)
				return
			}
			p.Until(`document.querySelector(".network-job[data-state=failed]")?.innerText.includes("the browser may not fetch it from katagotraining.org")`)
			p.Until(`document.querySelector(".network-job[data-state=failed] a").href === "https://katagotraining.org/networks/"`)
			p.Picture("networks-tab-refused")
			p.Do(chromedp.Evaluate(`{ const d = new DataTransfer(); d.items.add(new File(["no network"], "mine.bin.gz")); document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: d, bubbles: true, cancelable: true })); }`, nil))
			p.Until(`/mine.bin.gz is not kept/.test(document.querySelector(".toast.bad")?.innerText)`)
		})
	}
}
