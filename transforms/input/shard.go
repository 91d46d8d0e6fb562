// Package input says where predictions are, in [Shard]s of files or in memory as [Prediction]s, and
// what they look like: their [Columns], how labels are written, and the [Vocabulary] of labels. It
// does not read columns.
package input

import (
	"context"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
)

// Shard is a sequence of row groups of a file, which one worker reads. In a text file, a row group
// is a block of lines.
type Shard struct {
	File string
	// Version is the version of the file that every pass has to read; "" accepts any version. It is
	// an error if the file has another version.
	Version files.Version
	// Format is the format of the file, as the configuration names it; "" means the format of its
	// ending, such as .parquet.
	Format string
	// First is the first row group, and RowGroups the number of row groups.
	First, RowGroups int
	// Path is the path of the file below the deepest folder that all files of the input share, and Row
	// the number of the first row in the file. Together they are the position of rows, which can
	// identify them; if Path is "", File takes its place.
	Path string
	Row  int64
	// Keys are the values of hive-style folders.
	Keys []files.Key
	// Options say how the file is read.
	Options columns.Options
	// Plan is information about these row groups that was found in the file, if its format has no
	// footer with it.
	Plan []byte
	// Lane is the number, from 1, of the lane in which the shard is folded, if [Spec].Division divides
	// shards into lanes; 0 leaves that to a hash.
	Lane int
	// Content is the whole content of a small file in remote storage if it travels with the shard,
	// so that no worker fetches it again; otherwise nil.
	Content []byte
}

// shardBytes is the number of bytes of a file that a shard should have: large enough to be worth
// opening the file, and small enough to spread a large file over workers.
const shardBytes = 64 << 20

// FindShards lists the files that the patterns name, as [List] does, opens them, and divides them
// into shards.
func FindShards(ctx context.Context, patterns ...string) ([]Shard, error) {
	found, err := List(ctx, "", patterns...)
	if err != nil {
		return nil, err
	}
	shards := make([][]Shard, len(found))
	_, err = EachFile(ctx, found, "", columns.Options{}, func(i int, f *File) {
		shards[i] = f.Shards(found[i])
		f.Close()
	})
	return slices.Concat(shards...), err
}

// Shards divides the file into shards.
func (f *File) Shards(info files.Info) []Shard {
	list := shards(info, f.RowGroups())
	for i := range list {
		f.plan(&list[i])
	}
	return list
}

// Whole returns a shard of the whole file.
func (f *File) Whole(info files.Info) Shard {
	s := Shard{File: info.Name, Version: info.Version, RowGroups: len(f.RowGroups()), Path: info.Path, Keys: info.Keys}
	f.plan(&s)
	return s
}

// plan adds to a shard what a worker needs to open it like the file.
func (f *File) plan(s *Shard) {
	s.Format, s.Options, s.Content = f.as.Format, f.as.Options, f.as.Content
	if planned, ok := f.File.(columns.Planned); ok {
		s.Plan = planned.Plan(s.First, s.RowGroups)
	}
}

// shards divides a file into shards; groups has the number of rows of each row group.
func shards(info files.Info, groups []int64) []Shard {
	total := collections.Sum(slices.Values(groups))
	var list []Shard
	var held, before int64
	for i, rows := range groups {
		before += rows
		if rows == 0 {
			continue
		}
		bytes := int64(float64(info.Size) * float64(rows) / float64(total))
		if n := len(list); n == 0 || held+bytes > shardBytes {
			list = append(list, Shard{File: info.Name, Version: info.Version, First: i, Path: info.Path, Row: before - rows, Keys: info.Keys})
			held = 0
		}
		held += bytes
		last := &list[len(list)-1]
		last.RowGroups = i + 1 - last.First
	}
	return list
}
