package parts

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// readQueries reads the metrics of single queries of a part, which are in a file of the report.
func (f *ReadFn) readQueries(ctx context.Context, p *Part, emit func([]byte, shuffle.Partial)) error {
	if !f.Job.PerQuery || p.Queries == "" {
		return nil
	}
	var of report.Report
	file, err := files.Open(ctx, p.Queries)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := of.ReadQueries(file); err != nil {
		return fmt.Errorf("%s: %w", quote.Line(p.Queries), err)
	}
	data, err := f.encodeQueries(of.Queries, p.QueryIDs)
	if err != nil {
		return fmt.Errorf("%s: %w", quote.Line(p.Queries), err)
	}
	own := shuffle.NewPartial()
	own.Queries = []shuffle.Spilled{{Bytes: data}}
	emit([]byte(shuffle.Overall), own)
	return nil
}

// encodeQueries encodes queries as a fold does.
func (f *ReadFn) encodeQueries(from *report.Queries, ids slice.Kind) (data []byte, err error) {
	var places []int
	for _, name := range f.Job.Params.QueryMetrics() {
		at := slices.Index(from.Names, name)
		if at < 0 && len(from.List) > 0 {
			return nil, fmt.Errorf("it has no %s", name)
		}
		places = append(places, at)
	}
	values := make([]float64, len(places))
	for i := range from.List {
		q := &from.List[i]
		for k, at := range places {
			values[k] = q.Values[at]
		}
		id, err := queryID(q.ID.Text(), ids)
		if err != nil {
			return nil, err
		}
		data = fold.AppendQuery(data, id, values)
	}
	return data, nil
}

// queryID returns the id of a query that a file has as text.
func queryID(text string, kind slice.Kind) (slice.Value, error) {
	switch kind {
	case slice.KindString:
		return slice.String(quote.Unescape(text)), nil
	case slice.KindInt:
		i, err := strconv.ParseInt(text, 10, 64)
		return slice.Int(i), err
	}
	return slice.Null(), fmt.Errorf("ids of unknown kind %d", kind)
}
