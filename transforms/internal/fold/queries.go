package fold

import (
	"errors"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// queries collects the metrics of single queries, encoded for ReadQueries.
type queries struct {
	evaluator *metrics.QueryEvaluator
	waiting   []byte
	spill     shuffle.Spill
	done      []shuffle.Spilled
}

// newQueries returns nil if the metrics of single queries are not reported, or in a further pass.
func newQueries(j *shuffle.Job) (*queries, error) {
	if !j.PerQuery || j.Searches() || !j.Pass.First() {
		return nil, nil
	}
	evaluator, err := j.Params.NewQueryEvaluator()
	return &queries{evaluator: evaluator, spill: shuffle.Spill{Dir: j.TempDir}}, err
}

// add adds the queries in rows of a batch. ids has the id of each row of the batch.
func (q *queries) add(b *metrics.Batch, rows []int32, ids *columns.Column) error {
	for _, r := range rows {
		q.waiting = AppendQuery(q.waiting, batches.Value(ids, int(r)), q.evaluator.Values(b, r))
	}
	if len(q.waiting) < 1<<20 {
		return nil
	}
	return q.put()
}

// AppendQuery appends the metrics of a query for ReadQueries.
func AppendQuery(dst []byte, id slice.Value, values []float64) []byte {
	dst = slice.Key{{Value: id}}.AppendBinary(dst)
	dst = wire.AppendUint(dst, uint64(len(values)))
	for _, v := range values {
		dst = wire.AppendFloat(dst, v)
	}
	return dst
}

// put stores the waiting metrics.
func (q *queries) put() error {
	if len(q.waiting) == 0 {
		return nil
	}
	data, err := q.spill.Write(q.waiting)
	q.done, q.waiting = append(q.done, data), q.waiting[:0]
	return err
}

// finish returns all that was collected.
func (q *queries) finish() ([]shuffle.Spilled, error) {
	if err := q.put(); err != nil {
		return nil, err
	}
	return q.done, q.spill.Close()
}

// merge adds the metrics that from has collected.
func (q *queries) merge(from *queries) error {
	done, err := from.finish()
	q.done = append(q.done, done...)
	return err
}

// ReadQueries reads the metrics of single queries.
func ReadQueries(stored []shuffle.Spilled) (list []report.Query, err error) {
	for _, s := range stored {
		data, err := s.Read()
		if err != nil {
			return nil, err
		}
		for len(data) > 0 {
			id, rest, err := slice.Decode(data)
			if err != nil {
				return nil, err
			}
			if len(id) != 1 {
				return nil, errors.New("a query without an id")
			}
			d := wire.NewDecoder(rest)
			q := report.Query{ID: id[0].Value}
			for range d.Elements() {
				q.Values = append(q.Values, d.Float())
			}
			if d.Err() != nil {
				return nil, d.Err()
			}
			list, data = append(list, q), rest[len(rest)-d.Len():]
		}
	}
	return list, nil
}
