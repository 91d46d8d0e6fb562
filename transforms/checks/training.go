package checks

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

// SearchTraining returns, for each of the ids that were counted, whether it occurs in the files of the training data. It
// reads one column of them, with all cores, and keeps nothing but a batch of each file that it reads.
func SearchTraining(ctx context.Context, of *input.TrainingFiles, ids *shuffle.IDs) (seen []bool, err error) {
	s := trainingSearch{id: of.ID, limit: ids.Limit(), at: make(map[uint64]int, len(ids.Hashes)), seen: make([]bool, len(ids.Hashes))}
	for i, h := range ids.Hashes {
		s.at[h] = i
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, shard := range of.Shards {
		group.Go(func() error {
			var hashes []uint64
			err := input.EachBatch(ctx, shard, []string{s.id}, func(b *columns.Batch, _ int) error {
				c := &b.Columns[0]
				if c.Offsets != nil {
					return fmt.Errorf("column %q is %s: expected an id in each row", s.id, c.Shape())
				}
				hashes = groupby.Hash(hashes, c)
				s.find(hashes, c)
				return nil
			})
			if err != nil {
				return fmt.Errorf("training data: %s: %w", shard.File, err)
			}
			return nil
		})
	}
	return s.seen, group.Wait()
}

// trainingSearch is a search by several goroutines.
type trainingSearch struct {
	id    string
	limit uint64         // the largest hash
	at    map[uint64]int // the number of each hash

	mu   sync.Mutex
	seen []bool
}

// find marks the ids that a column has. Rows without an id are nobody's.
func (s *trainingSearch) find(hashes []uint64, c *columns.Column) {
	var found []int
	for r, h := range hashes {
		if h > s.limit || c.IsNull(r) {
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
