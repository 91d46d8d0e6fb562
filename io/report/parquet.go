package report

import (
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// metricParquet is a row of metrics.parquet.
type metricParquet struct {
	Name      string   `parquet:"name,dict"`
	Slice     string   `parquet:"slice,dict"` // JSON
	Label     *string  `parquet:"label,optional,dict"`
	Value     *float64 `parquet:"value,optional"`
	Low       *float64 `parquet:"low,optional"` // also if all values are exact: there is one schema
	High      *float64 `parquet:"high,optional"`
	Undefined *string  `parquet:"undefined,optional,dict"`
	Support   int64    `parquet:"support"`
}

// sureParquet is a row of the metrics.parquet of a report with confidence.
type sureParquet struct {
	metricParquet
	Low        *float64 `parquet:"ci_low,optional"`
	High       *float64 `parquet:"ci_high,optional"`
	StdError   *float64 `parquet:"std_error,optional"`
	DOF        *float64 `parquet:"dof,optional"`
	Groups     *int32   `parquet:"groups,optional"`
	Method     *string  `parquet:"ci_method,optional,dict"`
	NoInterval *string  `parquet:"no_interval,optional,dict"`
}

// cellParquet is a row of confusion.parquet.
type cellParquet struct {
	Slice     string  `parquet:"slice,dict"` // JSON
	Label     *string `parquet:"label,optional,dict"`
	True      string  `parquet:"true,dict"`
	Predicted string  `parquet:"predicted,dict"`
	Count     int64   `parquet:"count"`
	Weight    float64 `parquet:"weight"`
}

func (r *Report) writeParquet(w io.Writer) error {
	var slice sliceText
	if r.Confidence == nil {
		return writeParquet(w, r.Metrics, func(row *Row, add func(metricParquet)) { add(row.parquet(&slice)) })
	}
	return writeParquet(w, r.Metrics, func(row *Row, add func(sureParquet)) {
		out := sureParquet{metricParquet: row.parquet(&slice)}
		if c := row.Confidence; c != nil {
			out.Low, out.High, out.StdError, out.DOF = finiteOrNil(c.Low), finiteOrNil(c.High), finiteOrNil(c.StdError), finiteOrNil(c.DOF)
			out.Groups, out.Method, out.NoInterval = new(int32(c.Groups)), textOrNil(c.Method), textOrNil(c.NoInterval)
		}
		add(out)
	})
}

func (r *Row) parquet(slice *sliceText) metricParquet {
	out := metricParquet{
		Name:      quote.Valid(r.Name),
		Slice:     slice.json(r.Slice),
		Label:     labelText(r.Label),
		Value:     finiteOrNil(r.Value),
		Undefined: textOrNil(r.undefined()),
		Support:   r.Support,
	}
	if i := r.interval(); i != nil {
		out.Low, out.High = finiteOrNil(i.Low), finiteOrNil(i.High)
	}
	return out
}

func (r *Report) writeConfusion(w io.Writer) error {
	var slice sliceText
	return writeParquet(w, r.Confusion, func(c *Cell, add func(cellParquet)) {
		if c.Count == 0 && c.Weight == 0 {
			return
		}
		add(cellParquet{
			Slice:     slice.json(c.Slice),
			Label:     labelText(c.Label),
			True:      quote.Escape(c.True),
			Predicted: quote.Escape(c.Predicted),
			Count:     c.Count,
			Weight:    c.Weight,
		})
	})
}

// finiteOrNil returns f, or nil if f is not finite.
func finiteOrNil(f float64) *float64 {
	switch {
	case !finite(f):
		return nil
	case f == 0:
		f = 0 // not negative zero
	}
	return &f
}

// textOrNil returns a valid s, or nil if it is empty.
func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return new(quote.Valid(s))
}

// sliceText writes slices as JSON. It keeps the last one: rows are sorted by slice.
type sliceText struct {
	key  slice.Key
	text string
}

func (t *sliceText) json(key slice.Key) string {
	if t.text == "" || !slices.Equal(key, t.key) {
		t.key, t.text = key, string(key.AppendJSON(nil))
	}
	return t.text
}

func labelText(label *string) *string {
	if label == nil {
		return nil
	}
	text := quote.Escape(*label)
	return &text
}

// writeParquet writes the rows that convert adds for each item. It sets whatever shapes
// the bytes of a file: defaults may change with the version of the library.
func writeParquet[T, P any](w io.Writer, items []T, convert func(item *T, add func(P))) error {
	file := parquet.NewGenericWriter[P](w,
		parquet.CreatedBy("beameval", "1.0.0", "report"),
		parquet.Compression(&parquet.Zstd),
		parquet.DataPageVersion(1), // which every reader knows
		parquet.PageBufferSize(256<<10),
		parquet.MaxRowsPerRowGroup(128<<10),
	)
	batch := make([]P, 0, 1024)
	var err error
	write := func() {
		if err == nil {
			_, err = file.Write(batch)
		}
		batch = batch[:0]
	}
	add := func(row P) {
		if len(batch) == cap(batch) {
			write()
		}
		batch = append(batch, row)
	}
	for i := range items {
		if convert(&items[i], add); err != nil {
			return err
		}
	}
	if write(); err != nil {
		return err
	}
	return file.Close()
}
