// Package training searches the data that a model was trained on for the examples that evaluate it.
package training

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Search returns, for each of the ids that were counted, whether it occurs in the files. It reads one column of
// them, with all cores, and keeps nothing but a batch of each file that it reads.
func Search(ctx context.Context, of *input.TrainingFiles, ids *shuffle.IDs) (seen []bool, err error) {
	s := search{id: of.ID, limit: ids.Limit(), at: make(map[uint64]int, len(ids.Hashes)), seen: make([]bool, len(ids.Hashes))}
	for i, h := range ids.Hashes {
		s.at[h] = i
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, shard := range of.Shards {
		group.Go(func() error {
			if err := s.read(ctx, shard); err != nil {
				return fmt.Errorf("training data: %s: %w", shard.File, err)
			}
			return nil
		})
	}
	return s.seen, group.Wait()
}

// search is a search by several goroutines.
type search struct {
	id    string
	limit uint64         // the largest hash
	at    map[uint64]int // the number of each hash

	mu   sync.Mutex
	seen []bool
}

const batchRows = 1 << 14

func (s *search) read(ctx context.Context, shard input.Shard) error {
	file, err := input.OpenFile(ctx, shard)
	if err != nil {
		return err
	}
	defer file.Close()
	var hashes []uint64
	for group := shard.First; group < shard.First+shard.RowGroups; group++ {
		for batch, err := range file.Read(group, []string{s.id}, nil, batchRows) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			c := &batch.Columns[0]
			if c.Offsets != nil {
				return fmt.Errorf("column %q is %s: expected an id in each row", s.id, c.Shape())
			}
			hashes = groupby.Hash(hashes, c)
			s.find(hashes, c)
		}
	}
	return file.Check()
}

// find marks the ids that a column has. Rows without an id are nobody's.
func (s *search) find(hashes []uint64, c *columns.Column) {
	var found []int
	for r, h := range hashes {
		if h > s.limit || c.Null != nil && c.Null[r] {
			continue
		}
		if i, wanted := s.at[h]; wanted {
			found = append(found, i)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range found {
		s.seen[i] = true
	}
}
