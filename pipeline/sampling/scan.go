package sampling

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/input"
)

// batchRows is the number of rows that are read at once.
const batchRows = 4096

// at is where a batch is.
type at struct {
	shard *input.Shard
	group int
	row   int64 // number of its first row in the file
}

// of describes the place of row i of a batch.
func (a *at) of(b *columns.Batch, i int) string {
	return fmt.Sprintf("%s: %s", a.shard.File, b.Place(a.group, i))
}

// scan reads columns of all shards, several at once: it makes something for each shard, gives it the batches of the
// shard, and has done for one at a time.
func scan[W any](ctx context.Context, shards []input.Shard, paths []string, make func(shard int) (W, []*columns.Strings), take func(W, *columns.Batch, at) error, done func(W)) error {
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range shards {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			w, tables := make(i)
			if err := scanShard(ctx, &shards[i], paths, tables, func(b *columns.Batch, a at) error { return take(w, b, a) }); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done(w)
			return nil
		})
	}
	return group.Wait()
}

// scanShard reads columns of a shard.
func scanShard(ctx context.Context, s *input.Shard, paths []string, tables []*columns.Strings, take func(*columns.Batch, at) error) (err error) {
	file, err := input.OpenFile(ctx, *s)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(file.Check(), err, file.Close()) }()
	groups, row := file.RowGroups(), s.Row
	for g := s.First; g < s.First+s.RowGroups; g++ {
		for k, table := range tables {
			if table.Loose() { // of ids, which nothing needs any more
				tables[k] = table.Renew()
			}
		}
		for batch, err := range file.Read(g, paths, tables, batchRows) {
			if err == nil {
				err = cmp.Or(take(batch, at{s, g, row + batch.First}), ctx.Err())
			}
			if err != nil {
				return err
			}
		}
		row += groups[g]
	}
	return nil
}
