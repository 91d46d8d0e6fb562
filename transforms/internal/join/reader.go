package join

import (
	"context"
	"fmt"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// reader reads rows of predictions, or of truth, in the layout of tables. It must be used by a
// single goroutine.
type reader struct {
	job    *shuffle.Job
	side   input.Side
	layout layout
	counts *shuffle.RowCounts
	dicts  batches.Dictionaries

	source, row columns.Column
	few         [2]fewStrings // of the ids of examples and of items

	columns  []string          // the slice columns
	grouping *input.Confidence // nil if these rows lack the column that determines folds
	slicer   *batches.Slicer
	slices   columns.Column
	codes    []int32 // by tuple: its code in the dictionary of slices
	tuples   []int32
}

// batch holds some rows of a row group. It is the reader's, and valid only during the call that it
// is passed to.
type batch struct {
	columns []*columns.Column // see layout
	hashes  []uint64          // of the ids
	good    []int32           // the rows with an id
}

func newReader(j *shuffle.Job, side input.Side, counts *shuffle.RowCounts) *reader {
	r := &reader{job: j, side: side, counts: counts, dicts: make(batches.Dictionaries)}
	own, others := j.SliceColumns()
	r.layout, r.columns = layouts(j)[side], [input.Sides][]string{input.OfPredictions: own, input.OfTruth: others}[side]
	if g := j.Confidence; g != nil && side != input.OfBaseline && g.OfTruth(j.Truth) == (side == input.OfTruth) {
		r.grouping = g
	}
	r.forget()
	return r
}

// mostTuples is the largest number of tuples that a reader remembers: there may be as many as rows,
// because numbers are not divided yet.
const mostTuples = 1 << 16

// forget forgets all tuples.
func (r *reader) forget() {
	r.slicer, r.codes = batches.NewDescriber(r.columns, r.grouping), nil
	r.slices = columns.Column{Type: columns.String, Dict: new(columns.Strings)}
}

// read calls each for consecutive parts of a row group. It counts rows without an id as bad.
func (r *reader) read(ctx context.Context, shard *batches.OpenShard, group int, progress *workers.Progress, each func(*batch) error) error {
	names := &r.layout.names
	if g := r.job.Confidence; g != nil && g.By != names.Example && g.By != names.Item {
		delete(r.dicts, g.By) // there are many values: their dictionary would grow with every row group
	}
	for _, ids := range []string{names.Example, names.Item} {
		if of := r.dicts[ids]; of != nil && of.Loose() {
			r.dicts[ids] = of.Renew()
		} else {
			r.dicts[ids] = columns.Loose(nil, nil)
		}
	}
	if len(r.codes) > mostTuples {
		r.forget()
	}
	r.source = columns.Column{Type: columns.String, Dict: new(columns.Strings)}
	r.row = columns.Column{Type: columns.Int}
	var b batch
	from := batches.Reader{
		Names: shard.Columns(names, r.slicer.Columns), Constants: r.job.Constants, Wide: names.Wide, Dicts: r.dicts, Rows: batches.Rows(r.job, 1), Progress: progress,
		Limit: r.job.NameLimit(), Others: append([]string{names.Example, names.Item}, r.slicer.Columns...),
	}
	return from.Read(ctx, shard, group, func(numbers *columns.Numbers, n int, cols []*columns.Column) error {
		if err := r.layout.check(cols[:roles.Count]); err != nil {
			return fmt.Errorf("%s: %w", shard.File, err)
		}
		r.counts.Rows += int64(n)
		for i, role := range []roles.Role{roles.Example, roles.Item} {
			cols[role] = r.few[i].column(cols[role], shard.Rows(group))
		}
		ids := cols[roles.Example]
		source := r.source.Dict.CodeOf(sourceName(shard.File, group, numbers.Lines != nil))
		r.source.Codes, r.row.Ints, b.good = r.source.Codes[:0], numbers.Append(r.row.Ints[:0], n), b.good[:0]
		for i := range n {
			r.source.Codes = append(r.source.Codes, source)
			if !ids.IsNull(i) {
				b.good = append(b.good, int32(i))
				continue
			}
			r.rejectNameless(shard.Row(group, numbers, i))
		}
		r.describe(n, cols[roles.Count:], shard)
		b.columns = append(b.columns[:0], ids, &r.source, &r.row, &r.slices)
		for role, col := range cols[:roles.Count] {
			if r.layout.place[role] > 0 {
				b.columns = append(b.columns, col)
			}
		}
		b.hashes = groupby.Hash(b.hashes, ids)
		return each(&b)
	})
}

// rejectNameless counts a row without an id.
func (r *reader) rejectNameless(at report.SkippedRow) {
	bad := ingest.Bad{Element: -1, Side: r.side, Column: r.layout.names.Example, Value: "null", Reason: ingest.NullExample}
	if r.side != input.OfPredictions && r.job.Skips(bad.Reason) { // only rows of predictions are listed
		if r.side == input.OfTruth {
			r.counts.TruthRead++
			r.counts.Unmatched++
		}
		return
	}
	r.counts.Read++
	r.counts.Reject(r.job, &bad, at)
}

// describe fills in the column of the values of slice columns.
func (r *reader) describe(n int, cols []*columns.Column, shard *batches.OpenShard) {
	r.tuples = r.slicer.Tuples(r.tuples, n, cols, shard.Keys)
	r.slices.Codes = r.slices.Codes[:0]
	for _, tuple := range r.tuples {
		for int(tuple) >= len(r.codes) {
			r.codes = append(r.codes, r.slices.Dict.Code(r.slicer.Describe(int32(len(r.codes)))))
		}
		r.slices.Codes = append(r.slices.Codes, r.codes[tuple])
	}
}
