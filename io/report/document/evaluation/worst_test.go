package evaluation

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// sliced is a report of a metric overall and in numbered slices, each with its support.
func sliced(task, name string, overall int64, values []float64, supports []int64) *report.Report {
	r := &report.Report{Task: task, Metrics: []report.Row{{Name: name, Value: 0.5, Support: overall}}}
	for i, value := range values {
		r.Metrics = append(r.Metrics, report.Row{
			Name: name, Slice: slice.Key{{Column: "c", Value: slice.Int(int64(i))}}, Value: value, Support: supports[i],
		})
	}
	return r
}

func TestWorstSlices(t *testing.T) {
	nan := math.NaN()
	values, supports := []float64{0.9, nan, 0.2, 0.7, 0.2, 0}, []int64{40, 50, 30, 1000, 31, 29}
	for _, c := range []struct {
		name    string
		task    string
		overall int64
		n       int
		want    []int64
		note    string
	}{
		{"accuracy", "binary", 1000, 9, []int64{2, 4, 3, 0, 1}, "Sorted from the worst accuracy; left out: 1 with a support below 30."},
		{"accuracy", "binary", 1000, 2, []int64{2, 4}, "Sorted from the worst accuracy; left out: 3 others, 1 with a support below 30."},
		{"accuracy", "binary", 100, 9, []int64{5, 2, 4, 3, 0, 1}, "Sorted from the worst accuracy."},
		{"log_loss", "binary", 1000, 9, []int64{0, 3, 2, 4, 1}, "Sorted from the worst log_loss; left out: 1 with a support below 30."},
		{"ndcg@10", "ranking", 1000, 1, []int64{2}, "Sorted from the worst ndcg@10; left out: 4 others, 1 with a support below 30."},
		{"mean_bias", "regression", 1000, 3, []int64{0, 1, 3}, "Sorted by name; left out: 2 others, 1 with a support below 30."},
		{"kendall_tau", "ranking", 1000, 9, []int64{0, 1, 2, 3, 4}, "Sorted by name; left out: 1 with a support below 30."},
	} {
		kept, note := newDigest(sliced(c.task, c.name, c.overall, values, supports)).worst(c.n)
		var got []int64
		for _, l := range kept {
			got = append(got, l.slice[0].Value.Int())
		}
		require.Equal(t, c.want, got, c.name)
		require.Equal(t, c.note, note)
	}
	kept, note := newDigest(sliced("binary", "accuracy", 1000, []float64{0.5, 0.4}, []int64{2, 3})).worst(9)
	require.Len(t, kept, 2, "if no slice is large enough, all are shown")
	require.Equal(t, "Sorted from the worst accuracy.", note)
}

// TestSlicesAreSortedAsAsked: by a metric that need not be a headline, from its worst value.
func TestSlicesAreSortedAsAsked(t *testing.T) {
	supports := []int64{100, 100, 100}
	r := sliced("binary", "accuracy", 1000, []float64{0.5, 0.4, 0.6}, supports)
	r.Metrics = append(r.Metrics, sliced("binary", "cost", 1000, []float64{0.1, 0.3, 0.2}, supports).Metrics...)
	for _, c := range []struct {
		better string
		want   []float64
		note   string
	}{
		{"lower", []float64{0.3, 0.2, 0.1}, "Sorted from the worst cost."},
		{"higher", []float64{0.1, 0.2, 0.3}, "Sorted from the worst cost."},
		{"", []float64{0.1, 0.2, 0.3}, "Sorted from the lowest cost."},
	} {
		r.Meanings = map[string]report.Meaning{"cost": {Better: c.better}}
		r.Config = []byte(`{"report":{"sort_by":"cost","headline":["accuracy"]}}`)
		d := newDigest(r)
		require.Equal(t, []string{"cost", "accuracy"}, d.ofSlices())
		kept, note := d.worst(3)
		require.Equal(t, c.note, note)
		for i, want := range c.want {
			require.Equal(t, want, kept[i].rows["cost"].Value, c.better)
		}
	}
}
