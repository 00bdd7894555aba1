package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// habits are words that texts for people do without, each with what takes its place.
var habits = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?:^|[.:;] )(?:What|Who|Where|That which) [a-z]`), "begin with the thing itself"},
	{regexp.MustCompile(`\b(?:tells|says) whether\b`), "reports whether"},
	{regexp.MustCompile(`\bgoes? on (?:where|with|by|from|exactly)\b|\bgoes on\b`), "resumes, continues"},
	{regexp.MustCompile(`\bnobody yet\b`), "no one, or none, so far"},
	{regexp.MustCompile(`\bcame again\b`), "duplicates"},
	{regexp.MustCompile(`\bof now\b`), "today's, current"},
	{regexp.MustCompile(`\bis what counts\b|\bwhat counts is\b`), "decides"},
	{regexp.MustCompile(`\bso that one sees\b`), "to show"},
	{regexp.MustCompile(`\bguard match`), "gating match"},
	{regexp.MustCompile(`\bthe network inside\b`), "the built-in network"},
	{regexp.MustCompile(`\bor some more\b|\bby as much as\b`), "a number"},
}

// TestWords holds the help of every command and flag, the README and the documents to
// plain English: no word from the list above, no sentence of more than 40 words in
// documents and 30 in help. Sentences run to a full stop or the end of their paragraph, item
// or cell.
func TestWords(t *testing.T) {
	var faults []string
	check := func(where, text string, most int) {
		for _, s := range sentences(text) {
			for _, h := range habits {
				if found := h.pattern.FindString(s); found != "" {
					faults = append(faults, fmt.Sprintf("%s: %q: %s: %s", where, strings.TrimSpace(found), h.instead, s))
				}
			}
			if n := len(strings.Fields(s)); n > most {
				faults = append(faults, fmt.Sprintf("%s: %d words, %d at most: %s", where, n, most, s))
			}
		}
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		check(c.CommandPath(), c.Short, 30)
		check(c.CommandPath(), tableLine.ReplaceAllString(c.Long, "\n\n"), 30)
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { check(c.CommandPath()+" --"+f.Name, f.Usage, 30) })
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot())
	documents, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, file := range append(documents, "../../README.md", "../../CHANGELOG.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		check(filepath.Base(file), prose(string(text)), 40)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

var (
	codeBlock = regexp.MustCompile("(?s)```.*?```|<!--.*?-->")
	link      = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	tableLine = regexp.MustCompile(`(?m)^  `) // of a list in help, each line an item
	itemStart = regexp.MustCompile(`(?m)^[ \t]*(?:[-*>] |#+ |\d+\. )`)
)

// prose takes the code and the marks out of a document: each item and each cell of a
// table is a paragraph.
func prose(text string) string {
	text = codeBlock.ReplaceAllString(text, "\n\n")
	text = link.ReplaceAllString(text, "$1")
	text = itemStart.ReplaceAllString(text, "\n\n")
	return strings.ReplaceAll(text, "|", "\n\n")
}

var (
	paragraphEnd = regexp.MustCompile(`\n\s*\n`)
	sentenceEnd  = regexp.MustCompile(`[.!?][)"'` + "`" + `*_]* `)
)

// sentences divides a text at the ends of its paragraphs and sentences. A colon, a
// semicolon or a parenthesis ends none.
func sentences(text string) []string {
	var all []string
	for _, p := range paragraphEnd.Split(text, -1) {
		p = strings.Join(strings.Fields(p), " ")
		for _, s := range sentenceEnd.Split(p, -1) {
			if s != "" {
				all = append(all, s)
			}
		}
	}
	return all
}
