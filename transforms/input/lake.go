package input

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"github.com/beameval/beameval/io/files"
)

// logs says where tables of data lakes record which of the files in their folders are current.
var logs = []struct{ table, pattern string }{
	{"a Delta table", "_delta_log/*.json"},
	{"an Iceberg table", "metadata/*.metadata.json"},
}

// refuseTables returns an error if a pattern matches the files in the folder of a table, because
// some of them may not belong to its current version and remain only until a vacuum. Files that are
// named one by one are accepted.
func refuseTables(ctx context.Context, found []files.Info, patterns []string) error {
	exact := make(map[string]bool)
	for _, f := range found {
		exact[f.Name] = true
	}
	for _, pattern := range patterns {
		if exact[strings.TrimPrefix(pattern, "file://")] {
			continue
		}
		for folder := range foldersAbove(pattern) {
			for _, log := range logs {
				_, err := files.List(ctx, nil, files.Join(folder, log.pattern))
				if err == nil {
					return fmt.Errorf("%s: the folder %s is %s, and may hold files that the table no longer has: list the files of its current version (docs/inputs.md, \"Tables and exports\")", pattern, folder, log.table)
				}
				if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) { // listing may need more permissions than reading the files
					return err
				}
			}
		}
	}
	return nil
}

// foldersAbove returns the folder of the files of a pattern, and the folders above it that may be
// the table's: those above partitions, such as country=de, and above Iceberg's data.
func foldersAbove(pattern string) iter.Seq[string] {
	return func(yield func(string) bool) {
		folder := strings.TrimRight(pattern, "/")
		if i := strings.IndexAny(folder, `*?[\`); i >= 0 {
			folder = folder[:max(strings.LastIndexByte(folder[:i], '/'), 0)]
		}
		for {
			switch {
			case folder != "":
			case strings.HasPrefix(pattern, "/"):
				folder = "/"
			default:
				folder = "."
			}
			i := strings.LastIndexByte(folder, '/')
			above, name := folder[:max(i, 0)], folder[i+1:]
			if !yield(folder) || name != "data" && !strings.Contains(name, "=") || strings.HasSuffix(above, ":/") {
				return
			}
			folder = above
		}
	}
}
