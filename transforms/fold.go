package transforms

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
)

// The counters that show progress.
const (
	CounterNamespace = "beameval"
	RowsCounter      = "rows"
	GroupsCounter    = "row_groups"
)

// foldFn folds shards into one partial for each slice and bundle. Row groups
// are spread over all cores of the worker, because a runner may give a bundle
// of many shards to a single thread.
//
// It has no side input: while a bundle of a stage with one runs, prism keeps a
// core busy waiting. Where labels are found in the data it is foldFoundFn.
type foldFn struct {
	Spec Spec

	rows, groups beam.Counter
	pool         *pool
}

// Setup makes the counters.
func (f *foldFn) Setup() {
	f.rows = beam.NewCounter(CounterNamespace, RowsCounter)
	f.groups = beam.NewCounter(CounterNamespace, GroupsCounter)
}

// Teardown forgets what a failed bundle left, if it was the last.
func (f *foldFn) Teardown() { f.abandon() }

func (f *foldFn) abandon() {
	if f.pool != nil {
		f.pool.abandon()
		f.pool = nil
	}
}

// ProcessElement hands the row groups of a shard to the pool.
func (f *foldFn) ProcessElement(ctx context.Context, shard Shard, _ func([]byte, partial), _ func(int, scoreRun)) error {
	vocab := f.Spec.labels()
	return f.fold(ctx, shard, &vocab)
}

func (f *foldFn) fold(ctx context.Context, shard Shard, vocab *Vocabulary) error {
	if f.pool == nil {
		f.pool = f.newPool(ctx, vocab)
	}
	if err := f.pool.submit(ctx, shard); err != nil {
		f.abandon()
		return marked(err)
	}
	return nil
}

// FinishBundle waits for the pool and emits what it folded.
func (f *foldFn) FinishBundle(_ context.Context, emit func([]byte, partial), emitScores func(int, scoreRun)) error {
	if f.pool == nil {
		return nil
	}
	defer f.abandon()
	folded, err := f.pool.wait()
	if err != nil {
		return marked(err)
	}
	for _, folder := range f.pool.folders {
		if err := folder.emitScores(emitScores); err != nil {
			return marked(err)
		}
	}
	folded.emit(emit)
	return nil
}

// foldFoundFn is foldFn for labels that are a side input. There is no StartBundle:
// it would read that before a Flink runner is ready to give it.
type foldFoundFn struct{ Fold foldFn }

// Setup makes the counters.
func (f *foldFoundFn) Setup() { f.Fold.Setup() }

// Teardown forgets what a failed bundle left.
func (f *foldFoundFn) Teardown() { f.Fold.Teardown() }

// ProcessElement hands the row groups of a shard to the pool.
func (f *foldFoundFn) ProcessElement(ctx context.Context, shard Shard, vocab Vocabulary, _ func([]byte, partial), _ func(int, scoreRun)) error {
	return f.Fold.fold(ctx, shard, &vocab)
}

// FinishBundle waits for the pool and emits what it folded.
func (f *foldFoundFn) FinishBundle(ctx context.Context, _ Vocabulary, emit func([]byte, partial), emitScores func(int, scoreRun)) error {
	return f.Fold.FinishBundle(ctx, emit, emitScores)
}

// pool folds row groups on every core, each core into a folder of its own.
type pool struct {
	tasks   chan task
	cancel  context.CancelFunc
	group   *errgroup.Group
	ctx     context.Context
	folders []*folder
}

// task is one row group of an open shard.
type task struct {
	shard *openShard
	group int
}

// openShard is a shard's file, closed when the last of its row groups is done.
type openShard struct {
	Shard
	file    *columns.File
	pending sync.WaitGroup
}

func (f *foldFn) newPool(ctx context.Context, vocab *Vocabulary) *pool {
	// Several goroutines may count, but not be the first to.
	f.rows.Inc(ctx, 0)
	f.groups.Inc(ctx, 0)
	ctx, cancel := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	vocab.Prepare()
	tasks := make(chan task)
	p := &pool{tasks: tasks, cancel: cancel, group: group, ctx: ctx, folders: make([]*folder, runtime.GOMAXPROCS(0))}
	for i := range p.folders {
		group.Go(func() error {
			fold, err := newFolder(f.Spec, vocab)
			if err != nil {
				return err
			}
			p.folders[i] = fold
			for t := range tasks {
				err := fold.readGroup(ctx, t, func(rows int) { f.rows.Inc(ctx, int64(rows)) })
				t.shard.pending.Done()
				if err != nil {
					return err
				}
				f.groups.Inc(ctx, 1)
			}
			return nil
		})
	}
	return p
}

// submit opens a shard and queues its row groups; it returns when the last is
// being read, or with the first error of the pool.
func (p *pool) submit(ctx context.Context, s Shard) error {
	file, err := files.Open(ctx, s.File)
	if err != nil {
		return err
	}
	shard := &openShard{Shard: s}
	defer func() {
		go func() {
			shard.pending.Wait()
			file.Close()
		}()
	}()
	if file.Size() != s.Size {
		return s.changed(file.Size())
	}
	if shard.file, err = columns.Open(file); err != nil {
		return err
	}
	for g := s.First; g < s.First+s.Groups; g++ {
		shard.pending.Add(1)
		select {
		case p.tasks <- task{shard, g}:
		case <-p.ctx.Done():
			shard.pending.Done()
			if _, err := p.wait(); err != nil {
				return err
			}
			return p.ctx.Err()
		}
	}
	return nil
}

// wait returns what all goroutines folded, once the queue is empty.
func (p *pool) wait() (*folder, error) {
	if err := p.end(); err != nil {
		return nil, err
	}
	for _, f := range p.folders[1:] {
		if err := p.folders[0].merge(f); err != nil {
			return nil, err
		}
	}
	return p.folders[0], nil
}

// end waits for the goroutines to empty the queue, or to stop for an error.
func (p *pool) end() error {
	if p.tasks != nil {
		close(p.tasks)
		p.tasks = nil
	}
	defer p.cancel()
	return p.group.Wait()
}

// abandon stops the goroutines and removes temporary data that nobody was told
// of.
func (p *pool) abandon() {
	p.cancel()
	_ = p.end() // whatever they folded is not wanted
	for _, f := range p.folders {
		if f != nil {
			f.abandon()
		}
	}
}

// batchValues is how many scores a batch holds, roughly: few enough to stay in
// the cache.
const batchValues = 32 << 10

// batchRows is how many rows a batch has.
func (f *folder) batchRows() int {
	values := f.spec.Params.Labels // that a row has, or so
	if f.spec.Params.Sparse {
		values = min(values, 100)
	}
	return max(batchValues/max(values, 1), 64)
}

// readGroup folds one row group.
func (f *folder) readGroup(ctx context.Context, t task, progress func(rows int)) (err error) {
	defer contain(ctx, fmt.Sprintf("%s: row group %d", t.shard.File, t.group), &err)
	names := f.columnsOf(t.shard)
	paths := make([]string, 0, len(names))
	dicts := make([]*columns.Strings, 0, len(names))
	for _, name := range names {
		if name == "" {
			continue
		}
		if f.dicts[name] == nil {
			f.dicts[name] = new(columns.Strings)
		}
		paths, dicts = append(paths, name), append(dicts, f.dicts[name])
	}
	reader, err := t.shard.file.Read(t.group, paths, dicts)
	if err != nil {
		return err
	}
	defer reader.Close()
	size := f.batchRows()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		read, err := reader.Next(size)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		b := f.assign(names, read)
		b.keys = t.shard.Keys
		b.where = func(row int) report.SkippedRow {
			return report.SkippedRow{File: t.shard.File, RowGroup: t.group, Row: read.First + int64(row)}
		}
		if err := f.fold(b); err != nil {
			return err
		}
		progress(read.Rows)
	}
}

// roles is how many columns have a role; slice columns follow them.
const roles = 5

// columnsOf returns the names of the columns to read: those with a role, ""
// where there is none, and the slice columns, "" for hive-style keys.
func (f *folder) columnsOf(s *openShard) []string {
	c := &f.spec.Columns
	names := []string{c.Label, c.Score, c.ScoreLabel, c.Prediction, c.Weight}
	for _, column := range f.slicer.columns {
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

// assign gives the columns that were read their roles.
func (f *folder) assign(names []string, read *columns.Batch) *batch {
	cols := make([]*columns.Column, len(names))
	next := 0
	for i, name := range names {
		if name != "" {
			cols[i] = &read.Columns[next]
			next++
		}
	}
	b := &batch{slices: cols[roles:]}
	b.Rows, b.Label, b.Score, b.ScoreLabel, b.Prediction, b.Weight = read.Rows, cols[0], cols[1], cols[2], cols[3], cols[4]
	return b
}

func init() {
	register.DoFn4x1[context.Context, Shard, func([]byte, partial), func(int, scoreRun), error](&foldFn{})
	register.DoFn5x1[context.Context, Shard, Vocabulary, func([]byte, partial), func(int, scoreRun), error](&foldFoundFn{})
	register.Emitter2[[]byte, partial]()
	register.Emitter2[int, scoreRun]()
}
