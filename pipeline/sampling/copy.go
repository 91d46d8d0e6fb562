package sampling

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/input"
)

// rows are rows with all columns.
type rows struct {
	fields  []columns.Field
	columns []columns.Column
}

// newRows returns no rows of some columns.
func newRows(fields []columns.Field) rows {
	r := rows{fields: fields, columns: make([]columns.Column, len(fields))}
	for j, f := range fields {
		c := &r.columns[j]
		c.Type = f.Type
		if f.Type == columns.String {
			c.Dict = new(columns.Strings)
		}
		if f.List {
			c.Offsets = []int32{0}
		}
	}
	return r
}

// copy reads the rows that were drawn, in their order, with all columns.
func (t *task) copy(ctx context.Context, drawn []rowAt) (rows, error) {
	byShard := make([][]int, len(t.shards)) // indexes of drawn
	for i := range drawn {
		byShard[drawn[i].shard] = append(byShard[drawn[i].shard], i)
	}
	read := make([]rows, len(t.shards))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	places := make([]int, len(drawn)) // in what was read of the shard
	for s, list := range byShard {
		slices.SortFunc(list, func(a, b int) int {
			return cmp.Or(cmp.Compare(drawn[a].group, drawn[b].group), cmp.Compare(drawn[a].row, drawn[b].row))
		})
		for place, i := range list {
			places[i] = place
		}
		if len(list) > 0 {
			group.Go(func() (err error) {
				wanted := collections.Map(list, func(i int) rowAt { return drawn[i] })
				read[s], err = readRows(within, &t.shards[s], t.fields, wanted)
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		return rows{}, err
	}
	return t.together(drawn, read, places), nil
}

// together returns the rows in the order in which they were drawn, with columns for folders.
func (t *task) together(drawn []rowAt, read []rows, places []int) rows {
	folders := t.in.Folders()
	all := slices.Clone(t.fields)
	for _, name := range folders {
		all = append(all, columns.Field{Path: name, Type: columns.String})
	}
	out := newRows(all)
	for i := range drawn {
		s := drawn[i].shard
		for j := range t.fields {
			appendRow(&out.columns[j], t.fields[j], &read[s].columns[j], places[i])
		}
		for j, name := range folders {
			c := &out.columns[len(t.fields)+j]
			value := slice.Null()
			for _, k := range t.shards[s].Keys {
				if k.Name == name {
					value = folderValue(k)
				}
			}
			c.Codes = append(c.Codes, c.Dict.CodeOf(value.Text()))
			c.Null = append(c.Null, value.Kind() == slice.KindNull)
		}
	}
	return out
}

// readRows reads rows of a shard, which are in the order of the file.
func readRows(ctx context.Context, s *input.Shard, fields []columns.Field, wanted []rowAt) (out rows, err error) {
	file, err := input.OpenFile(ctx, *s)
	if err != nil {
		return out, err
	}
	defer func() { err = cmp.Or(file.Check(), err, file.Close()) }()
	out = newRows(fields)
	var paths []string
	var lacking, present []int
	schema := file.Schema()
	for j, f := range fields {
		if _, err := schema.Lookup(f.Path); err != nil {
			lacking = append(lacking, j)
			continue
		}
		paths, present = append(paths, f.Path), append(present, j)
	}
	none := columns.Column{Null: []bool{true}, Ints: []int64{0}, Type: columns.Int}
	for len(wanted) > 0 {
		g := wanted[0].group
		for batch, err := range file.Read(g, paths, nil, batchRows) {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return out, err
			}
			for len(wanted) > 0 && wanted[0].group == g && wanted[0].row < batch.First+int64(batch.Rows) {
				for at, j := range present {
					appendRow(&out.columns[j], fields[j], &batch.Columns[at], int(wanted[0].row-batch.First))
				}
				for _, j := range lacking {
					appendRow(&out.columns[j], fields[j], &none, 0)
				}
				wanted = wanted[1:]
			}
			if len(wanted) == 0 || wanted[0].group != g {
				break
			}
		}
		if len(wanted) > 0 && wanted[0].group == g {
			return out, fmt.Errorf("%s: row group %d has no row %d any more: the file has changed", s.File, g, wanted[0].row)
		}
	}
	return out, nil
}

// appendRow appends row i of a column to one of the given field, whose type may be wider. A column of nulls may lack lists, or have them.
func appendRow(to *columns.Column, field columns.Field, from *columns.Column, i int) {
	if !field.List {
		if from.Offsets != nil {
			appendValue(to, nil, 0)
		} else {
			appendValue(to, from, i)
		}
		return
	}
	null := from.Offsets == nil || from.IsNullList(i)
	to.RowNull = append(to.RowNull, null)
	if !null {
		for k := from.Offsets[i]; k < from.Offsets[i+1]; k++ {
			appendValue(to, from, int(k))
		}
	}
	to.Offsets = append(to.Offsets, int32(to.Len()))
}

// appendValue appends value i of a column, or null if there is no column.
func appendValue(to, from *columns.Column, i int) {
	null := from == nil || from.IsNull(i)
	to.Null = append(to.Null, null)
	switch {
	case null:
		to.AppendZero()
		if to.Type == columns.String {
			to.Codes[len(to.Codes)-1] = 0
		}
	case to.Type == columns.String:
		to.Codes = append(to.Codes, to.Dict.CodeOf(from.Dict.At(from.Codes[i])))
	case to.Type == columns.Float && from.Type != columns.Float:
		to.Floats = append(to.Floats, float64(from.Ints[i]))
	default:
		to.Append(from, i)
	}
}

// The formats of samples.
const (
	CSV     = "csv"
	Parquet = "parquet"
)

// Write writes the rows with all columns, and with their strata and probabilities, in the order of hashes of their ids.
func (s *Sample) Write(w io.Writer, format string) error {
	var table []tabular.Column[int]
	for j, f := range s.rows.fields {
		table = append(table, tabular.Copied(f, &s.rows.columns[j]))
	}
	stratum := columns.Column{Type: columns.String, Dict: new(columns.Strings)}
	probability := columns.Column{Type: columns.Float}
	for i := range s.drawn {
		of := &s.Strata[s.drawn[i].stratum]
		stratum.Codes = append(stratum.Codes, stratum.Dict.CodeOf(of.Name))
		probability.Floats = append(probability.Floats, of.Probability())
	}
	table = append(table,
		tabular.Copied(columns.Field{Path: StratumColumn, Type: columns.String}, &stratum),
		tabular.Copied(columns.Field{Path: ProbabilityColumn, Type: columns.Float, Bits: 64}, &probability))
	order := make([]int, len(s.drawn))
	for i := range order {
		order[i] = i
	}
	if format == CSV {
		return tabular.ListOf(order).WriteCSV(w, table)
	}
	return tabular.ListOf(order).WriteParquet(w, "sample", table)
}
