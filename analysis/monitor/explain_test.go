package monitor_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/monitor"
	model "github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// night says how many examples of a night are of which country, and how often the model is right there.
type night struct {
	shares, right []float64
}

var (
	before = night{[]float64{0.5, 0.3, 0.2}, []float64{0.9, 0.85, 0.6}}
	mixed  = night{[]float64{0.3, 0.3, 0.4}, before.right}
	worse  = night{mixed.shares, []float64{0.7, 0.85, 0.6}}
)

// nightOf returns which of them night i is: the mix changes on one day, the model on another.
func nightOf(i int) night {
	switch {
	case i < 16:
		return before
	case i < 30:
		return mixed
	}
	return worse
}

// counted returns the report of a night in folds, whose examples are right or wrong.
func counted(i int, of night, folds int) *report.Report {
	const examples = 6000
	r := &report.Report{Task: "binary", Labels: []string{"0", "1"}, Examples: examples, Confidence: &report.Folding{Level: 0.95, By: "id", Folds: folds}}
	all := map[string]*[2][]float64{}
	keys := map[string]slice.Key{"": nil}
	for at, country := range []string{"de", "fr", "it"} {
		keys[country] = slice.Key{{Column: "country", Value: slice.String(country)}}
		for fold := range folds {
			seed := 1000*i + 100*at + fold
			n := math.Round(examples/float64(folds)*of.shares[at] + 3*noise(seed))
			right := math.Round(n*of.right[at] + 0.5*math.Sqrt(n*of.right[at]*(1-of.right[at]))*noise(seed+500))
			for _, of := range []string{"", country} {
				if all[of] == nil {
					all[of] = &[2][]float64{make([]float64, folds), make([]float64, folds)}
				}
				all[of][0][fold] += n
				all[of][1][fold] += right
			}
		}
	}
	for name, key := range keys {
		n, right := all[name][0], all[name][1]
		var total, rights float64
		for fold := range folds {
			total, rights = total+n[fold], rights+right[fold]
		}
		row := report.Row{Name: "accuracy", Slice: key, Value: rights / total, Support: int64(total), Weights: n}
		for fold := range folds {
			row.Folds, row.Replicates = append(row.Folds, int32(fold)), append(row.Replicates, (rights-right[fold])/(total-n[fold]))
		}
		r.Metrics = append(r.Metrics, row, report.Row{Name: "roc_auc", Slice: key, Value: rights / total, Support: int64(total)})
	}
	return r
}

// writeCounted writes the report of a night with its replicates.
func writeCounted(t testing.TB, root string, i int, r *report.Report) string {
	t.Helper()
	dir := write(t, root, i, r)
	var file bytes.Buffer
	require.NoError(t, r.WriteReplicates(&file))
	require.NoError(t, os.WriteFile(filepath.Join(dir, report.ReplicatesParquet), file.Bytes(), 0o666))
	return dir
}

func writeNights(t testing.TB, n int) (root string) {
	t.Helper()
	root = t.TempDir()
	for i := range n {
		writeCounted(t, root, i, counted(i, nightOf(i), 20))
	}
	return root
}

// why returns why accuracy alarmed.
func why(t testing.TB, m *model.Monitor) *model.Why {
	t.Helper()
	for i := range m.Why {
		if m.Why[i].Metric == "accuracy" {
			return &m.Why[i]
		}
	}
	t.Fatal("accuracy is not explained")
	return nil
}

// TestFortyNights: of 40 nights in which the mix changes on one day and the model on another, the first alarm is
// explained as mix and, once it is acknowledged, the second as performance of a slice.
func TestFortyNights(t *testing.T) {
	root := writeNights(t, 40)
	o := options()
	o.Metrics = []string{"accuracy", "roc_auc"}
	m := run(t, root, o)
	s := series(t, m, "accuracy", "overall")
	require.True(t, s.Alarm)
	require.Equal(t, date(16), s.Since)
	w := why(t, m)
	require.Empty(t, w.Reason)
	require.Equal(t, []string{"country"}, w.By)
	require.Equal(t, []string{date(2), date(16), date(29)}, []string{w.From, w.Since, w.To})
	require.Equal(t, []int{14, 14}, []int{w.NightsBefore, w.Nights})
	require.InDelta(t, -0.06, w.Difference, 0.003)
	require.InDelta(t, -0.06, w.Mix.Value, 0.003)
	require.Less(t, w.Mix.High, 0.0)
	require.Negative(t, w.Performance.Low)
	require.Positive(t, w.Performance.High, "performance did not change")
	require.InDelta(t, 0.4, w.Slices[2].ShareB, 0.01)
	require.Equal(t, "no statistics.bin", m.Why[1].Reason)
	require.True(t, math.IsNaN(m.Why[1].Difference), "of a pool")

	o.Metrics, o.Since = []string{"accuracy"}, time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC) // night 24
	m = run(t, root, o)
	require.Equal(t, date(30), series(t, m, "accuracy", "overall").Since)
	w = why(t, m)
	require.Equal(t, []string{date(20), date(30), date(39)}, []string{w.From, w.Since, w.To})
	require.InDelta(t, -0.06, w.Performance.Value, 0.003)
	require.InDelta(t, w.Performance.Value, w.Slices[0].Performance.Value, 0.003, "all of it in de")
	require.Less(t, w.Performance.High, 0.0)
	require.InDelta(t, 0, w.Mix.Value, 0.003)
	var summary, page bytes.Buffer
	require.NoError(t, model.Write(m, func(name string) (io.Writer, error) {
		switch name {
		case model.Summary:
			return &summary, nil
		case model.HTML:
			return &page, nil
		}
		return new(bytes.Buffer), nil
	}))
	require.Contains(t, summary.String(), "accuracy since 2026-10-31: By country, mix makes")
	require.Contains(t, page.String(), "country=de)")
	require.True(t, series(t, m, "accuracy", "country=de").Alarm)
	require.Contains(t, page.String(), "most clearly in country=de")
}

// TestWithoutFiles: nights without a file, with other folds, and those that cannot be read.
func TestWithoutFiles(t *testing.T) {
	root := writeNights(t, 30)
	o := options()
	o.Metrics = []string{"accuracy"}
	whole := why(t, run(t, root, o))

	dir := filepath.Join(root, "dt="+date(17))
	require.NoError(t, os.Remove(filepath.Join(dir, report.ReplicatesParquet)))
	w := why(t, run(t, root, o))
	require.Equal(t, "no replicates: "+date(17), w.Reason)
	require.InDelta(t, whole.Mix.Value, w.Mix.Value, 1e-12, "the number of examples is known")
	require.True(t, math.IsNaN(w.Mix.Low))

	writeCounted(t, root, 17, counted(17, mixed, 10))
	w = why(t, run(t, root, o))
	require.Equal(t, "reports have other groups: "+date(17), w.Reason)
	require.InDelta(t, whole.Mix.Value, w.Mix.Value, 0.003)

	require.NoError(t, os.WriteFile(filepath.Join(dir, report.ReplicatesParquet), []byte("broken"), 0o666))
	m := run(t, root, o)
	require.Empty(t, why(t, m).Reason)
	require.Equal(t, []int{14, 13}, []int{why(t, m).NightsBefore, why(t, m).Nights})
	require.Len(t, m.Skipped, 1)
	require.True(t, strings.HasPrefix(m.Skipped[0].Reason, "alarms are explained without it: "), m.Skipped[0].Reason)
	o.Strict = true
	_, err := monitor.Monitor(t.Context(), []string{root}, o)
	require.ErrorContains(t, err, dir)

	// Nights that are not compared, and all without an alarm, are not read.
	o.NightsToFalseAlarm = 1e300
	require.Empty(t, run(t, root, o).Why)
}

// TestBrokenMatrices: if a matrix cannot be read, the alarm stands, and a warning says that it is not explained.
func TestBrokenMatrices(t *testing.T) {
	root := writeNights(t, 30)
	for i := range 30 {
		r := counted(i, nightOf(i), 20)
		for j := range r.Metrics {
			if row := &r.Metrics[j]; row.Name == "roc_auc" {
				row.Name = "f1"
			}
		}
		writeCounted(t, root, i, r)
	}
	dir := filepath.Join(root, "dt="+date(17))
	o := options()
	o.Metrics = []string{"f1"}
	require.Equal(t, "no confusion.parquet: "+date(2), run(t, root, o).Why[0].Reason)
	require.NoError(t, os.WriteFile(filepath.Join(dir, report.ConfusionParquet), []byte("broken"), 0o666))
	m := run(t, root, o)
	require.Empty(t, m.Why)
	require.True(t, series(t, m, "f1", "overall").Alarm)
	require.Contains(t, m.Warnings[0], "the alarm of f1 is not explained: "+dir)
	o.Strict = true
	_, err := monitor.Monitor(t.Context(), []string{root}, o)
	require.ErrorContains(t, err, dir)
}

// TestSeasonOfExplanation: with a season, nights are compared with the same days of it.
func TestSeasonOfExplanation(t *testing.T) {
	root := writeNights(t, 30)
	o := options()
	o.Metrics, o.BurnIn, o.Season, o.NightsToFalseAlarm = []string{"accuracy"}, 5, 7, 1
	m := run(t, root, o)
	w := why(t, m)
	require.Equal(t, 5, w.Nights)
	since, err := time.Parse(time.DateOnly, w.Since)
	require.NoError(t, err)
	require.Equal(t, since.AddDate(0, 0, -7).Format(time.DateOnly), w.From, fmt.Sprint(w.Since))
}
