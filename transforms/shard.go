package transforms

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
)

// Shard is a part of a Parquet file that one worker reads.
type Shard struct {
	File string
	// Size is the file's size when it was planned: a file that has changed
	// since is an error.
	Size int64
	// Groups row groups from First on.
	First, Groups int
	// Keys are the values of hive-style folders.
	Keys []files.Key
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
	file, err := files.Open(ctx, info.Name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	parquet, err := columns.Open(file)
	if err != nil {
		return nil, err
	}
	info.Size = file.Size()
	return Shards(info, parquet.RowGroups()), nil
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
			shards = append(shards, Shard{File: info.Name, Size: info.Size, First: i, Keys: info.Keys})
			held = 0
		}
		held += bytes
		last := &shards[len(shards)-1]
		last.Groups = i + 1 - last.First
	}
	return shards
}

// changed is the error for a file that is not the one that was planned.
func (s *Shard) changed(size int64) error {
	return fmt.Errorf("%s: the file has %d bytes, but had %d when the run was planned: it must not change during a run", s.File, size, s.Size)
}
