package batches

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// OpenShard is a shard with its open file.
type OpenShard struct {
	input.Shard
	file    *input.File
	pending sync.WaitGroup // row groups that are being read
}

// Open opens the file of a shard. The caller must close it.
func Open(ctx context.Context, s input.Shard) (*OpenShard, io.Closer, error) {
	file, err := input.OpenFile(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	return &OpenShard{Shard: s, file: file}, file, nil
}

// ReadShard opens a shard while others are being read, and then has a worker read each of its row
// groups. It closes the file after the last one.
func ReadShard[W workers.Worker](ctx context.Context, p *workers.Pool[W], s input.Shard, read func(ctx context.Context, w W, s *OpenShard, group int) error) error {
	return p.Ahead(s.File, func() (submit func() error, err error) {
		file, err := input.OpenWhole(ctx, s)
		if err != nil {
			return nil, err
		}
		return func() error { return submitGroups(p, &OpenShard{Shard: s, file: file}, read) }, nil
	})
}

// submitGroups returns when the last row group is being read, or with the first error of the pool.
func submitGroups[W workers.Worker](p *workers.Pool[W], shard *OpenShard, read func(ctx context.Context, w W, s *OpenShard, group int) error) error {
	defer func() {
		go func() {
			shard.pending.Wait()
			shard.file.Close()
		}()
	}()
	for g := shard.First; g < shard.First+shard.RowGroups; g++ {
		shard.pending.Add(1)
		err := p.Submit(shard.What(g), func(ctx context.Context, w W) error {
			defer shard.pending.Done()
			return read(ctx, w, shard, g)
		})
		if err != nil {
			shard.pending.Done()
			return err
		}
	}
	return nil
}

// What returns the name of a row group in messages.
func (s *OpenShard) What(group int) string { return fmt.Sprintf("%s: row group %d", s.File, group) }

// Row returns the place of row i of a row group. numbers has the numbers of the rows.
func (s *OpenShard) Row(group int, numbers *columns.Numbers, i int) report.SkippedRow {
	return report.RowAt(s.File, numbers.Place(group, i))
}

// Positions sets col, in its own memory, to numbers that identify n rows of a row group, from row
// numbers.First on: a hash of the path of the file, plus the number of the row in the file. They
// depend neither on how rows are divided into batches and shards, nor on where the shared folder
// is.
func (s *OpenShard) Positions(col *columns.Column, group int, numbers *columns.Numbers, n int) {
	row := s.Shard.Row + numbers.First + collections.Sum(slices.Values(s.file.RowGroups()[s.First:group]))
	first := groupby.HashString(cmp.Or(s.Path, s.File)) + uint64(row)
	*col = columns.Column{Type: columns.Int, Ints: collections.Resize(col.Ints, n)}
	for i := range col.Ints {
		col.Ints[i] = int64(first + uint64(i))
	}
}

// Rows returns the number of rows of a row group.
func (s *OpenShard) Rows(group int) int64 { return s.file.RowGroups()[group] }

// Columns returns, in a new list, the names of the columns to read: first by role, "" where there
// is none, then the slice columns, "" for hive-style keys.
func (s *OpenShard) Columns(c *input.Columns, sliceColumns []string) []string {
	byRole := c.ByRole()
	names := byRole[:]
	for _, column := range sliceColumns {
		isKey := func(k files.Key) bool { return k.Name == column }
		if _, err := s.file.Schema().Lookup(column); err != nil && slices.ContainsFunc(s.Keys, isKey) {
			column = ""
		}
		names = append(names, column)
	}
	return names
}

// Reader reads columns of row groups in batches.
type Reader struct {
	Names    []string            // of the columns to read; a column for "" is nil
	Wide     map[string][]string // see input.Columns
	Dicts    Dictionaries        // strings have codes of these tables
	Rows     int                 // rows of a batch
	Peek     bool                // only about the first batch is wanted
	Progress *workers.Progress   // may be nil
	// Constants are what the values of Names meet. Names has first the columns by role, then the
	// slice columns.
	Constants shuffle.Constants
	// Limit limits the bytes of all texts of Dicts, without the columns in Others: ids, which are
	// held only for a row group, and slices, which have a limit of their own.
	Limit  shuffle.NameLimit
	Others []string
}

// checkHeld returns an error if a worker holds too many texts.
func (r *Reader) checkHeld() error {
	all, most, where := int64(0), int64(0), ""
	for name, table := range r.Dicts {
		n := table.Size()
		if n == 0 || slices.Contains(r.Others, name) {
			continue
		}
		if all += n; n > most || n == most && name < where {
			most, where = n, name
		}
	}
	return r.Limit.CheckColumns(all, where)
}

// Read calls each for every batch of a row group. The columns, cols itself and the row numbers
// belong to the reader, and are valid only during the call; strings stay in Dicts.
func (r *Reader) Read(ctx context.Context, s *OpenShard, group int, each func(numbers *columns.Numbers, rows int, cols []*columns.Column) error) error {
	err := r.read(ctx, s, group, each)
	if changed := s.file.Check(); changed != nil {
		return changed
	}
	return err
}

func (r *Reader) read(ctx context.Context, s *OpenShard, group int, each func(numbers *columns.Numbers, rows int, cols []*columns.Column) error) error {
	w := newWidener(r.Wide, r.Names)
	paths := make([]string, 0, len(w.names))
	dicts := make([]*columns.Strings, 0, len(w.names))
	for _, name := range w.names {
		if name != "" {
			paths, dicts = append(paths, name), append(dicts, r.Dicts.Table(name))
		}
	}
	cols := make([]*columns.Column, len(w.names))
	meeting := s.meeting(w, r.Constants.Of(r.Names))
	how := s.file.Read
	if r.Peek {
		how = s.file.Peek
	}
	for read, err := range how(group, paths, dicts, r.Rows) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		next := 0
		for i, name := range w.names {
			if name != "" {
				cols[i] = &read.Columns[next]
				next++
			}
		}
		for i, m := range meeting {
			m.meet(cols[i])
		}
		lists, err := w.widen(read.Rows, cols)
		if err != nil {
			return fmt.Errorf("%s: %w", s.What(group), err)
		}
		if err := r.checkHeld(); err != nil {
			return fmt.Errorf("%s: %w", s.What(group), err)
		}
		if err := each(&read.Numbers, read.Rows, lists); err != nil {
			return err
		}
		r.Progress.Rows(ctx, read.Rows)
	}
	r.Progress.Group(ctx)
	return nil
}
