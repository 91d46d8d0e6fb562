package comparison_test

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/reports"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/slice"
)

// part is a part of the worked example in metrics/confidence/testdata: two models on some of
// the examples. What is undefined is null.
type part struct {
	Groups     []int32
	A, B       map[string]modelValue
	Difference map[string]struct {
		Difference *float64
		StdError   *float64 `json:"std_error"`
		DOF        *float64
		Low        *float64 `json:"ci_low"`
		High       *float64 `json:"ci_high"`
		PValue     *float64 `json:"p_value"`
	}
}

type modelValue struct {
	Value      *float64
	Replicates []*float64
	NoInterval string `json:"no_interval"`
}

func number(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// rows adds the values of a model to a report.
func (p *part) rows(r *report.Report, key slice.Key, model map[string]modelValue) {
	for name, v := range model {
		row := report.Row{Name: name, Slice: key, Value: number(v.Value), Confidence: &report.Confidence{Folds: len(p.Groups), NoInterval: v.NoInterval}}
		for _, x := range v.Replicates {
			row.Replicates, row.Folds = append(row.Replicates, number(x)), p.Groups
		}
		r.Metrics = append(r.Metrics, row)
	}
}

// write writes a report to a new directory.
func write(t *testing.T, r *report.Report, formats ...report.Format) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var files []*os.File
	require.NoError(t, export.Write(r, nil, formats, func(name string) (io.Writer, error) {
		f, err := os.Create(filepath.Join(dir, name))
		files = append(files, f)
		return f, err
	}))
	for _, f := range files {
		require.NoError(t, f.Close())
	}
	return dir
}

func read(t *testing.T, dir string) *report.Report {
	t.Helper()
	r, err := reports.Read(t.Context(), dir)
	require.NoError(t, err)
	return r
}

func binary() *report.Report {
	return &report.Report{Task: "binary", Examples: 60, Confidence: &report.Folding{
		Level: 0.95, Folds: 20, By: "id", Digests: []report.FoldDigest{{Rows: 60, Digest: 7}},
	}}
}

func TestGoldenDifferences(t *testing.T) {
	data, err := os.ReadFile("../../metrics/confidence/testdata/golden.json")
	require.NoError(t, err)
	var golden struct {
		Overall part
		ByUser  part `json:"by_user"`
		Slices  map[string]part
	}
	require.NoError(t, json.Unmarshal(data, &golden))
	for _, overall := range []part{golden.Overall, golden.ByUser} {
		a, b := binary(), binary()
		overall.rows(a, nil, overall.A)
		overall.rows(b, nil, overall.B)
		parts := map[string]part{"overall": overall}
		for country, p := range golden.Slices {
			key := slice.Key{{Column: "country", Value: slice.String(country)}}
			p.rows(a, key, p.A)
			p.rows(b, key, p.B)
			parts[key.String()] = p
		}
		got, err := comparison.Compare(read(t, write(t, a, report.Formats()...)), read(t, write(t, b, report.Formats()...)), changes.BenjaminiHochberg)
		require.NoError(t, err)
		require.Equal(t, changes.Paired, got.Pairing)
		require.Empty(t, got.Warnings)
		require.Len(t, got.Changes, 4*len(overall.A))
		for _, d := range got.Changes {
			want := parts[d.Slice.String()].Difference[d.Name]
			for _, x := range []struct {
				want *float64
				got  float64
			}{
				{want.Difference, d.Difference}, {want.StdError, d.StdError}, {want.DOF, d.DOF},
				{want.Low, d.Low}, {want.High, d.High}, {want.PValue, d.PValue},
			} {
				if x.want != nil || want.Difference != nil {
					requireClose(t, x.want, x.got, d)
				}
			}
			require.Equal(t, len(parts[d.Slice.String()].Groups), d.Groups)
		}
	}
}

func requireClose(t *testing.T, want *float64, got float64, of ...any) {
	t.Helper()
	if want == nil {
		require.True(t, math.IsNaN(got), "%v: %v instead of none", of, got)
		return
	}
	require.LessOrEqual(t, math.Abs(got-*want), 1e-12*max(1, math.Abs(*want)), "%v: %v instead of %v", of, got, *want)
}
