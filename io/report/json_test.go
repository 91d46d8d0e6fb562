package report

import (
	"bytes"
	"encoding/json"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// rowJSON is a metric row. An end of an interval that is no bound is null, represented as a pointer
// to nil; without an interval, both ends are omitted.
type rowJSON struct {
	Name      string          `json:"name"`
	Slice     json.RawMessage `json:"slice"`
	Label     *string         `json:"label"`
	Value     *float64        `json:"value"`
	Low       **float64       `json:"low,omitempty"`
	High      **float64       `json:"high,omitempty"`
	Undefined string          `json:"undefined,omitempty"`
	Support   int64           `json:"support"`
	uncertaintyJSON
}

// uncertaintyJSON is the Confidence of a metric row. Numbers that are not finite are omitted.
type uncertaintyJSON struct {
	Low        *float64 `json:"ci_low,omitempty"`
	High       *float64 `json:"ci_high,omitempty"`
	StdError   *float64 `json:"std_error,omitempty"`
	DOF        *float64 `json:"dof,omitempty"`
	Groups     *int     `json:"groups,omitempty"`
	Method     string   `json:"ci_method,omitempty"`
	NoInterval string   `json:"no_interval,omitempty"`
	Warning    string   `json:"ci_warning,omitempty"`
}

func orNil(f float64) *float64 {
	if !floats.Finite(f) {
		return nil
	}
	return new(f + 0) // avoid negative zero
}

// TestRowsAreWrittenAsEncodingJSONDoes compares rows of all kinds.
func TestRowsAreWrittenAsEncodingJSONDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 13))
	texts := []string{"", "f1", "a\"b\\c", "<&>", "é\u2028\x00\n", "\xff\xfe", "日本"}
	number := func() float64 {
		switch r.IntN(4) {
		case 0:
			return []float64{0, math.Copysign(0, -1), 1, 1e-6, 9.9e-7, 1e21, 9.9e20, 5e-324, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(12)]
		case 1:
			return r.Float64()
		}
		return math.Float64frombits(r.Uint64())
	}
	var rows []Row
	for range 5000 {
		row := Row{Name: texts[r.IntN(len(texts))], Value: number(), Undefined: texts[r.IntN(len(texts))], Support: r.Int64() - r.Int64()}
		if r.IntN(2) == 0 {
			row.Label = &texts[r.IntN(len(texts))]
		}
		if r.IntN(2) == 0 {
			row.Slice = slice.Key{{Column: texts[r.IntN(len(texts))], Value: slice.Float(r.Float64())}}
		}
		if r.IntN(2) == 0 {
			row.Bounds = &Bounds{Low: number(), High: number()}
		}
		if r.IntN(2) == 0 {
			row.Confidence = &Confidence{number(), number(), number(), number(), r.IntN(99), texts[r.IntN(len(texts))], texts[r.IntN(len(texts))], texts[r.IntN(len(texts))]}
		}
		rows = append(rows, row)
	}
	next, stop := iter.Pull(rowTable.JSON(rows).Lines())
	defer stop()
	for _, row := range rows {
		want := rowJSON{
			Name: quote.Valid(row.Name), Slice: row.Slice.AppendJSON(nil), Label: quote.Optional(row.Label, quote.Escape), Value: orNil(row.Value),
			Undefined: quote.Valid(row.Reason()), Support: row.Support,
		}
		if i := row.FiniteBounds(); i != nil {
			want.Low, want.High = new(orNil(i.Low)), new(orNil(i.High))
		}
		if c := row.Confidence; c != nil {
			want.uncertaintyJSON = uncertaintyJSON{orNil(c.Low), orNil(c.High), orNil(c.StdError), orNil(c.DOF), &c.Folds, quote.Valid(c.Method), quote.Valid(c.NoInterval), quote.Valid(c.Warning)}
		}
		var buf bytes.Buffer
		require.NoError(t, tabular.NewEncoder(&buf).Encode(want))
		got, _ := next()
		require.Equal(t, buf.String(), string(got)+"\n")
		require.True(t, json.Valid(got))
	}
}
