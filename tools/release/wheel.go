package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// summary describes the program in a line, longSummary in two more.
const (
	summary     = "Go (board game) engine that plays, analyses, reviews and trains"
	longSummary = "GTP for Sabaki, GoGui and the bridges to servers, a board in the browser,\nKataGo's analysis protocol and networks, training without Python."
)

// wheel writes the package that pip, pipx and uv install on one system. The program is one of its
// scripts, kosumi, and runs without starting Python. On Windows the libraries are scripts too, so that
// pipx and uv copy them out of the environment with the program; elsewhere they go to lib/kosumi.
func (r *release) wheel(t target, program string, libraries []string) (string, error) {
	data, info := "kosumi-"+r.version+".data/", "kosumi-"+r.version+".dist-info/"
	files := tree{}
	files.add(data+"scripts/kosumi"+filepath.Ext(t.program()), program, 0o755)
	for _, l := range libraries {
		if t.os == "windows" {
			files.add(data+"scripts/"+filepath.Base(l), l, 0o644)
		} else {
			files.add(data+"data/lib/kosumi/"+filepath.Base(l), l, 0o644)
		}
	}
	for _, name := range []string{"LICENSE", "THIRD-PARTY-LICENCES.txt"} {
		files.add(info+"licenses/"+name, r.common[name].from, 0o644)
	}
	write := func(name, text string) error {
		from := filepath.Join(r.work, t.name()+"-"+name)
		files.add(info+name, from, 0o644)
		return os.WriteFile(from, []byte(text), 0o644)
	}
	if err := write("METADATA", fmt.Sprintf("Metadata-Version: 2.4\nName: kosumi\nVersion: %s\nSummary: %s\nKeywords: go,baduk,weiqi,igo,gtp,katago\n"+
		"License-Expression: MIT\nLicense-File: LICENSE\nLicense-File: THIRD-PARTY-LICENCES.txt\nDescription-Content-Type: text/markdown\n\n"+
		"%s\n\n`kosumi web` opens a board in the browser, `kosumi gtp` is what a GUI starts, `kosumi --help` lists the rest.\n", r.version, summary, longSummary)); err != nil {
		return "", err
	}
	if err := write("WHEEL", fmt.Sprintf("Wheel-Version: 1.0\nGenerator: kosumi\nRoot-Is-Purelib: false\nTag: py3-none-%s\n", t.python)); err != nil {
		return "", err
	}
	var record strings.Builder
	err := files.each(func(path string, _ fs.FileMode, data []byte) error {
		sum := sha256.Sum256(data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", path, base64.RawURLEncoding.EncodeToString(sum[:]), len(data))
		return nil
	})
	if err != nil {
		return "", err
	}
	if err := write("RECORD", record.String()+info+"RECORD,,\n"); err != nil {
		return "", err
	}
	to := filepath.Join(r.out, fmt.Sprintf("kosumi-%s-py3-none-%s.whl", r.version, t.python))
	return to, files.write(to, "", r.when)
}
