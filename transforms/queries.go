package transforms

import (
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

// queries collects the metrics of single queries.
type queries struct {
	evaluator *metrics.QueryEvaluator
	waiting   writer
	spill     spill
	done      []spilled
}

// newQueries returns nil unless the metrics of single queries are reported.
func newQueries(spec *Spec) (*queries, error) {
	if !spec.PerQuery {
		return nil, nil
	}
	evaluator, err := spec.Params.NewQueryEvaluator()
	return &queries{evaluator: evaluator, spill: spill{dir: spec.TempDir}}, err
}

// add adds the good rows of a batch, whose ids are these.
func (q *queries) add(b *metrics.Batch, rows []int32, ids *columns.Column) error {
	for _, r := range rows {
		q.waiting.buf = slice.Key{{Value: scalar(ids, int(r))}}.AppendBinary(q.waiting.buf)
		writeList(&q.waiting, q.evaluator.Values(b, r), q.waiting.float)
	}
	if len(q.waiting.buf) < 1<<20 {
		return nil
	}
	return q.put()
}

// put puts away what waits.
func (q *queries) put() error {
	if len(q.waiting.buf) == 0 {
		return nil
	}
	data, err := q.spill.write(q.waiting.buf)
	q.done, q.waiting.buf = append(q.done, data), q.waiting.buf[:0]
	return err
}

// finish returns what was collected.
func (q *queries) finish() ([]spilled, error) {
	if err := q.put(); err != nil {
		return nil, err
	}
	return q.done, q.spill.close()
}

// merge adds what another has collected.
func (q *queries) merge(from *queries) error {
	done, err := from.finish()
	q.done = append(q.done, done...)
	return err
}

// readQueries reads what was collected, if that was asked for.
func (s *Spec) readQueries(data []spilled) (*report.Queries, error) {
	if !s.PerQuery {
		return nil, nil
	}
	all := &report.Queries{Names: s.Params.QueryMetrics()}
	for _, s := range data {
		buf, err := s.read()
		if err != nil {
			return nil, err
		}
		for len(buf) > 0 {
			id, rest, err := slice.Decode(buf)
			if err != nil {
				return nil, err
			}
			r := reader{buf: rest}
			q := report.Query{Values: readList(&r, r.float)}
			if len(id) != 1 || r.err != nil {
				return nil, errTruncated
			}
			q.ID = id[0].Value
			all.List, buf = append(all.List, q), r.buf
		}
	}
	return all, nil
}

// scalar returns the value of row r of a column of scalars.
func scalar(col *columns.Column, r int) slice.Value {
	switch {
	case col.Null != nil && col.Null[r]:
		return slice.Null()
	case col.Type == columns.String:
		return slice.String(col.Dict.Values()[col.Codes[r]])
	case col.Type == columns.Float:
		return slice.Float(col.Floats[r])
	case col.Type == columns.Bool:
		return slice.Bool(col.Ints[r] != 0)
	}
	return slice.Int(col.Ints[r])
}
