// Package input says where predictions are, in [Shard]s of Parquet files or in memory as
// [Prediction]s, and what they look like: their [Columns], how labels are written, and the
// [Vocabulary] of labels. It does not read columns.
package input

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
)

// Shard is some row groups of a Parquet file, which one worker reads.
type Shard struct {
	File string
	// Version is the version of the file that every pass reads; "" is any. It is an
	// error if the file has another.
	Version files.Version
	// First is the first row group, Groups their number.
	First, Groups int
	// Keys are the values of hive-style folders.
	Keys []files.Key
	// Options say how the file is read.
	Options columns.Options
}

// shardBytes is how many bytes of a file a shard should hold: enough to be worth opening
// the file, and few enough to spread a large file over workers.
const shardBytes = 64 << 20

// FindShards lists the files that match the patterns, as [files.List] does, reads their
// footers, and divides them into shards.
func FindShards(ctx context.Context, patterns ...string) ([]Shard, error) {
	found, err := files.List(ctx, patterns...)
	if err != nil {
		return nil, err
	}
	shards := make([][]Shard, len(found))
	err = EachFile(ctx, found, columns.Options{}, func(i int, f *File) error {
		shards[i] = Shards(found[i], f.RowGroups())
		return f.Close()
	})
	return slices.Concat(shards...), err
}

// atOnce is how many files [EachFile] opens at once: to open a file is to wait for storage.
const atOnce = 100

// EachFile opens files, and calls each with every one of them, which it closes, and with its
// number. Many calls run at once. The first error ends it.
func EachFile(ctx context.Context, infos []files.Info, o columns.Options, each func(i int, f *File) error) error {
	group, all := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, info := range infos {
		group.Go(func() error {
			if err := all.Err(); err != nil {
				return err
			}
			f, err := OpenFile(ctx, info.Name, info.Version, o)
			if err != nil {
				return err
			}
			return each(i, f)
		})
	}
	return group.Wait()
}

// File is an open Parquet file, of one version.
type File struct {
	*columns.File
	source files.File
}

// OpenFile opens this version of a file; "" is any.
func OpenFile(ctx context.Context, name string, v files.Version, o columns.Options) (*File, error) {
	source, err := files.OpenVersion(ctx, name, v)
	if err != nil {
		return nil, err
	}
	return newFile(source, o)
}

// OpenWhole is OpenFile for a file of which most row groups will be read.
func OpenWhole(ctx context.Context, name string, v files.Version, o columns.Options) (*File, error) {
	source, err := files.OpenWhole(ctx, name, v)
	if err != nil {
		return nil, err
	}
	return newFile(source, o)
}

func newFile(source files.File, o columns.Options) (*File, error) {
	parquet, err := columns.Open(source, o)
	if err != nil {
		defer source.Close()
		return nil, cmp.Or(source.Check(), err)
	}
	return &File{parquet, source}, nil
}

// Check returns an error if the file was written to since it was opened: nothing that was
// read counts then.
func (f *File) Check() error { return f.source.Check() }

// Close closes the file.
func (f *File) Close() error { return f.source.Close() }

// Shards divides a file into shards; groups has the number of rows of each row group.
func Shards(info files.Info, groups []int64) []Shard {
	var total int64
	for _, rows := range groups {
		total += rows
	}
	var shards []Shard
	var held int64
	for i, rows := range groups {
		if rows == 0 {
			continue
		}
		bytes := int64(float64(info.Size) * float64(rows) / float64(total))
		if n := len(shards); n == 0 || held+bytes > shardBytes {
			shards = append(shards, Shard{File: info.Name, Version: info.Version, First: i, Keys: info.Keys})
			held = 0
		}
		held += bytes
		last := &shards[len(shards)-1]
		last.Groups = i + 1 - last.First
	}
	return shards
}
