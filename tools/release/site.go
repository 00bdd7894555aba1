package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Outputs of make page-npm: the page as a folder of files, and the npm package.
const (
	siteFolder  = "bin/site"
	npmPackages = "bin"
)

// site builds the page that needs no program and adds it to the files of every archive. Beside the
// archives it puts the npm package of the engine that runs inside this page.
func (r *release) site(to tree) error {
	fmt.Println("building the page without the program")
	if err := do(exec.CommandContext(r.ctx, "make", "page-npm", "VERSION="+r.version, "GO="+goTool())); err != nil {
		return err
	}
	if err := to.addSite(siteFolder); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(npmPackages, "kosumi-"+r.version+".tgz"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "kosumi-"+r.version+"-npm.tgz"), data, 0o644)
}

// kept matches a name in the list of files that the page's service worker keeps.
var kept = regexp.MustCompile(`"(assets/[^"]+)"`)

// addSite adds the page's folder to the archive's folder "site". Every file that its service worker
// keeps must be there, or the page would never work offline.
func (t tree) addSite(dir string) error {
	if err := t.addFolder("site", dir); err != nil {
		return err
	}
	worker, err := os.ReadFile(filepath.Join(dir, "sw.js"))
	if err != nil {
		return err
	}
	var missing []string
	for _, m := range kept.FindAllSubmatch(worker, -1) {
		if _, ok := t["site/"+string(m[1])]; !ok {
			missing = append(missing, string(m[1]))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s is not whole, run make page-site again: it lacks %s", dir, strings.Join(missing, ", "))
	}
	return nil
}
