package ui

import (
	"embed"
	"io/fs"
)

// Page returns no files: a browser's tab has the page already.
func Page() (fs.FS, error) { return embed.FS{}, nil }
