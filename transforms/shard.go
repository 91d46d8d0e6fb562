package transforms

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
)

// Shard is a part of a Parquet file that one worker reads.
type Shard struct {
	File string
	// Version is that of the file when it was planned, which every pass reads: a
	// file that has changed since is an error. "" is whatever there is.
	Version files.Version
	// Groups row groups from First on.
	First, Groups int
	// Keys are the values of hive-style folders.
	Keys []files.Key
	// Options say how the file is read.
	Options columns.Options
}

// shardBytes is how much of a file a shard should hold: enough to be worth an
// opening, and little enough to spread a large file over workers.
const shardBytes = 64 << 20

// FindShards lists the files that the patterns name, as files.List does, reads
// their footers, and divides them.
func FindShards(ctx context.Context, patterns ...string) ([]Shard, error) {
	found, err := files.List(ctx, patterns...)
	if err != nil {
		return nil, err
	}
	shards := make([][]Shard, len(found))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8 * runtime.GOMAXPROCS(0)) // footers wait for storage, not for processors
	for i, info := range found {
		group.Go(func() (err error) {
			shards[i], err = shardsOf(ctx, info)
			return err
		})
	}
	err = group.Wait()
	return slices.Concat(shards...), err
}

func shardsOf(ctx context.Context, info files.Info) ([]Shard, error) {
	file, err := OpenFile(ctx, info.Name, info.Version, columns.Options{})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Shards(info, file.RowGroups()), nil
}

// File is an open Parquet file.
type File struct {
	*columns.File
	source files.File
}

// OpenFile opens this version of a file.
func OpenFile(ctx context.Context, name string, v files.Version, o columns.Options) (*File, error) {
	source, err := files.OpenVersion(ctx, name, v)
	if err != nil {
		return nil, err
	}
	parquet, err := columns.Open(source, o)
	if err != nil {
		err = unlessChanged(source, err)
		source.Close()
		return nil, err
	}
	return &File{parquet, source}, nil
}

// Check says whether all that was read so far is of the version that was opened.
func (f *File) Check() error { return f.source.Check() }

// Close closes the file.
func (f *File) Close() error { return f.source.Close() }

// unlessChanged returns what reading a file came to, unless it was written to
// meanwhile: then that is the error, and nothing that was read counts.
func unlessChanged(source files.File, err error) error {
	if changed := source.Check(); changed != nil {
		return changed
	}
	return err
}

// Shards divides a file, whose row groups have these numbers of rows.
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
