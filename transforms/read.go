package transforms

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// The places of columns by their role; slice columns follow them.
const (
	labelRole = iota
	scoreRole
	scoreLabelRole
	predictionRole
	weightRole
	classRole
	itemRole
	exampleRole
	roles
)

// namesOfRoles returns the names of the columns with a role, "" where there is
// none.
func namesOfRoles(c *Roles) []string {
	return []string{c.Label, c.Score, c.ScoreLabel, c.Prediction, c.Weight, c.Class, c.Item, c.Example}
}

// assign gives columns their roles.
func assign(in *ingest.Input, cols []*columns.Column) {
	in.Label, in.Score, in.ScoreLabel, in.Prediction = cols[labelRole], cols[scoreRole], cols[scoreLabelRole], cols[predictionRole]
	in.Weight, in.Item = cols[weightRole], cols[itemRole]
}

// columnsOf returns the names of the columns to read: those with a role, ""
// where there is none, and the slice columns, "" for hive-style keys.
func columnsOf(c *Roles, slices *slicer, s *openShard) []string {
	names := namesOfRoles(c)
	for _, column := range slices.columns {
		if _, err := s.file.Schema().Lookup(column); err != nil && hasKey(s.Keys, column) {
			column = ""
		}
		names = append(names, column)
	}
	return names
}

func hasKey(keys []files.Key, name string) bool {
	for _, k := range keys {
		if k.Name == name {
			return true
		}
	}
	return false
}

// openShard is a shard's file, closed when the last of its row groups is done.
type openShard struct {
	Shard
	file    *File
	pending sync.WaitGroup
}

// open opens a shard's file, which the caller closes.
func (s Shard) open(ctx context.Context) (*openShard, io.Closer, error) {
	file, err := OpenFile(ctx, s.File, s.Version, s.Options)
	if err != nil {
		return nil, nil, err
	}
	return &openShard{Shard: s, file: file}, file, nil
}

// row is a row of a row group, for messages.
func (s *Shard) row(group int, row int64) report.SkippedRow {
	return report.SkippedRow{File: s.File, RowGroup: group, Row: row}
}

// readGroup reads the columns of these names, nil for "", of one row group, a
// batch at a time. Strings have the codes of the table that dict returns for their
// column.
func readGroup(ctx context.Context, s *openShard, group int, names []string, dict func(name string) *columns.Strings,
	size int, progress *progress, each func(first int64, rows int, cols []*columns.Column) error) (err error) {
	defer contain(ctx, fmt.Sprintf("%s: row group %d", s.File, group), &err)
	defer func() { err = unlessChanged(s.file.source, err) }()
	paths := make([]string, 0, len(names))
	dicts := make([]*columns.Strings, 0, len(names))
	for _, name := range names {
		if name != "" {
			paths, dicts = append(paths, name), append(dicts, dict(name))
		}
	}
	cols := make([]*columns.Column, len(names))
	for read, err := range s.file.Read(group, paths, dicts, size) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		next := 0
		for i, name := range names {
			if name != "" {
				cols[i] = &read.Columns[next]
				next++
			}
		}
		if err := each(read.First, read.Rows, cols); err != nil {
			return err
		}
		progress.read(ctx, read.Rows)
	}
	progress.group(ctx)
	return nil
}
