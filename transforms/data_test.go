package transforms

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// example is an example with labels, scores and predictions for every task.
type example struct {
	ID       string    `parquet:"id"`
	Mail     string    `parquet:"mail"` // spam or ham
	Filter   string    `parquet:"filter"`
	Score    float64   `parquet:"score"`
	Class    string    `parquet:"class"`
	Guess    string    `parquet:"guess"`
	Chances  []float64 `parquet:"chances,list"` // of each class; they add up to 1
	Labels   []string  `parquet:"labels,list"`
	Guesses  []string  `parquet:"guesses,list"`
	Logits   []float64 `parquet:"logits,list"`
	Ranked   []ranked  `parquet:"ranked,list"` // scores of some labels
	Target   float64   `parquet:"target"`
	Estimate float64   `parquet:"estimate"`
	Weight   float64   `parquet:"weight"`
	Country  *string   `parquet:"country,optional"`
	Device   string    `parquet:"device"`
}

// ranked is a sparse score.
type ranked struct {
	Label string  `parquet:"label"`
	Score float64 `parquet:"score"`
}

var labelNames = []string{"a", "b", "c", "d"}

// examples draws examples. Some are of no country, and every third weighs 1.
func drawExamples(n int) []example {
	r := rand.New(rand.NewPCG(uint64(n), 6))
	subset := func() []string {
		var list []string
		for _, name := range labelNames {
			if r.IntN(3) == 0 {
				list = append(list, name)
			}
		}
		return list
	}
	list := make([]example, n)
	for i := range list {
		e := &list[i]
		e.ID = fmt.Sprintf("example %d", i)
		e.Mail, e.Filter = []string{"spam", "ham"}[r.IntN(2)], []string{"spam", "ham"}[r.IntN(2)]
		e.Score = r.Float64()
		e.Class, e.Guess = labelNames[r.IntN(4)], labelNames[r.IntN(3)]
		total := 0.
		for range labelNames {
			e.Chances = append(e.Chances, r.ExpFloat64())
			e.Logits = append(e.Logits, 4*r.NormFloat64())
			total += e.Chances[len(e.Chances)-1]
		}
		for k := range e.Chances {
			e.Chances[k] /= total
		}
		e.Labels, e.Guesses = subset(), subset()
		for _, k := range r.Perm(len(labelNames))[:1+r.IntN(3)] {
			e.Ranked = append(e.Ranked, ranked{labelNames[k], e.Logits[k]})
		}
		e.Target = 100 * r.NormFloat64()
		e.Estimate = e.Target + r.NormFloat64()
		e.Weight = 1
		if i%3 > 0 {
			e.Weight = 3 * r.Float64()
		}
		if c := r.IntN(4); c > 0 {
			country := fmt.Sprintf("country %d", c)
			e.Country = &country
		}
		e.Device = []string{"phone", "desk", "null"}[r.IntN(3)]
	}
	return list
}

// write writes rows to a file, in row groups of at most the given size.
func write[T any](t testing.TB, name string, rows []T, group int) {
	t.Helper()
	out, err := os.Create(name)
	require.NoError(t, err)
	w := parquet.NewGenericWriter[T](out, parquet.MaxRowsPerRowGroup(int64(group)))
	_, err = w.Write(rows)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, out.Close())
}

// written writes rows to a new file and returns its one shard.
func written[T any](t testing.TB, rows []T, group int) input.Shard {
	t.Helper()
	name := filepath.Join(t.TempDir(), "predictions.parquet")
	write(t, name, rows, group)
	shards, err := input.FindShards(t.Context(), name)
	require.NoError(t, err)
	require.Len(t, shards, 1)
	return shards[0]
}

// binarySpec evaluates the mail of examples, by country and device.
func binarySpec(t testing.TB) Spec {
	return complete(t, Spec{
		Params:        metrics.Params{Task: metrics.Binary, Scores: true, Decisions: true},
		Columns:       input.Columns{Label: "mail", Score: "score", Weight: "weight"},
		PositiveLabel: "spam",
		Decision:      &input.Decision{Threshold: .5},
		Slices:        []Slice{{{Column: "country"}}, {{Column: "country"}, {Column: "device"}}},
	})
}

// complete adds every metric that a spec allows, for every label.
func complete(t testing.TB, spec Spec) Spec {
	t.Helper()
	p := &spec.Params
	p.Bins, p.LogLossEps = 10, 0x1p-52
	if p.Curves == metrics.NoCurves {
		p.Curves = metrics.ExactCurves
	}
	names, err := p.Select(nil, metrics.DefaultArguments())
	require.NoError(t, err)
	p.Metrics = names
	spec.PerLabel.All = true
	return spec
}

// by is a slice of columns with all their values.
func by(names ...string) Slice {
	var s Slice
	for _, name := range names {
		s = append(s, SliceColumn{Column: name})
	}
	return s
}

// only is a slice of one column, limited to some values; nil is null.
func only(column string, values ...any) Slice {
	c := SliceColumn{Column: column}
	for _, v := range values {
		if v == nil {
			c.Values = append(c.Values, SliceValue{Null: true})
			continue
		}
		c.Values = append(c.Values, SliceValue{Text: v.(string)})
	}
	return Slice{c}
}
