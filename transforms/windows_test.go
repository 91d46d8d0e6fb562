package transforms

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window/trigger"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/teststream"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/lanes"
)

// timed is predictions of one moment, as JSON, which elements of a test stream can be.
type timed struct {
	At   int // seconds
	List []input.Prediction
}

// keepWindowFn keeps rows by their window.
type keepWindowFn struct{ Name string }

// ProcessElement keeps a row.
func (f *keepWindowFn) ProcessElement(w beam.Window, row report.Row) {
	of := w.(window.IntervalWindow)
	(&keepFn{fmt.Sprintf("%s %d-%d", f.Name, of.Start/1000, of.End/1000)}).ProcessElement(row)
}

// atTimes gives predictions their times.
func atTimes(data string, emit func(beam.EventTime, input.Prediction)) error {
	var of timed
	if err := json.Unmarshal([]byte(data), &of); err != nil {
		return err
	}
	for _, p := range of.List {
		emit(mtime.FromMilliseconds(int64(of.At)*1000), p)
	}
	return nil
}

func init() {
	register.DoFn2x0[beam.Window, report.Row](&keepWindowFn{})
	register.Function2x1(atTimes)
	register.Emitter2[beam.EventTime, input.Prediction]()
}

// texts returns the timed values as texts.
func texts(t testing.TB, list []timed) (all []string) {
	for _, of := range list {
		data, err := json.Marshal(of)
		require.NoError(t, err)
		all = append(all, string(data))
	}
	return all
}

// streamed is a source without end. Its watermark follows the moments, unless there are sessions:
// prism ends a session that an example begins when the watermark passes its end, even if others
// have prolonged them (Beam issue 31438). Sessions under a watermark are tested on Flink.
func streamed(t testing.TB, s beam.Scope, sessions bool, list []timed) beam.PCollection {
	stream := teststream.NewConfig()
	for i, text := range texts(t, list) {
		if i > 0 && !sessions {
			require.NoError(t, stream.AdvanceWatermark(int64(list[i].At)*1000))
		}
		require.NoError(t, stream.AddElements(int64(list[i].At)*1000, text))
	}
	require.NoError(t, stream.AdvanceWatermarkToInfinity())
	return beam.ParDo(s, atTimes, teststream.Create(s, stream))
}

// takeWindows returns the rows that were kept under a name, by window.
func takeWindows(name string) map[string][]string {
	var windows []string
	kept.Lock()
	for key := range kept.rows {
		if of, ok := strings.CutPrefix(key, name+" "); ok {
			windows = append(windows, of)
		}
	}
	kept.Unlock()
	rows := make(map[string][]string)
	for _, of := range windows {
		rows[of] = takeKept([]string{name + " " + of})[0]
	}
	return rows
}

// windowRows evaluates predictions in windows: as a stream on prism, and all at once on direct. It
// requires the same rows.
func windowRows(t *testing.T, spec Spec, fn *window.Fn, list []timed) map[string][]string {
	t.Helper()
	name := t.Name()
	evaluate := func(s beam.Scope, predictions beam.PCollection) {
		e, err := Predictions(s, spec, beam.WindowInto(s, fn, predictions))
		require.NoError(t, err)
		beam.ParDo0(s, &keepWindowFn{name}, e.Rows(s))
	}
	p, s := beam.NewPipelineWithRoot()
	evaluate(s, streamed(t, s, fn.Kind == window.Sessions, list))
	require.NoError(t, onPrism(p))
	onStream := takeWindows(name)

	p, s = beam.NewPipelineWithRoot()
	evaluate(s, beam.ParDo(s, atTimes, beam.CreateList(s, texts(t, list))))
	_, err := beam.Run(t.Context(), "direct", p)
	require.NoError(t, err)
	require.Equal(t, onStream, takeWindows(name))
	return onStream
}

// requireWindows compares the rows of each window with an evaluation of the window's predictions
// alone.
func requireWindows(t *testing.T, spec Spec, rows map[string][]string, want map[string][]input.Prediction) {
	t.Helper()
	require.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(rows)))
	for of, list := range want {
		p, s := beam.NewPipelineWithRoot()
		e, err := Predictions(s, spec, beam.CreateList(s, list))
		require.NoError(t, err)
		beam.ParDo0(s, &keepFn{t.Name()}, e.Rows(s))
		_, err = beam.Run(t.Context(), "direct", p)
		require.NoError(t, err)
		require.Equal(t, takeKept([]string{t.Name()})[0], rows[of], of)
	}
}

// TestFixedWindows evaluates every task in two windows; the first one has no label "d".
func TestFixedWindows(t *testing.T) {
	all := scenarios(t)
	bounded := all[0]
	bounded.name, bounded.spec.Params.Curves = "bounded curves", metrics.BoundedCurves
	bounded.spec.Params.Metrics = []string{"roc_auc", "average_precision", "f1"}
	bounded.spec.Slices = append(slices.Clone(bounded.spec.Slices), Slice{{Column: "age", Quantiles: 3}})
	bounded.spec.Confidence = &Confidence{Folds: 10}
	for _, s := range append(all, bounded) {
		spec := s.spec
		if spec.Params.Curves != metrics.BoundedCurves {
			spec.RangeBytes = 800 // several ranges
		}
		t.Run(s.name, func(t *testing.T) {
			rows := drawExamples(1200)
			list := s.predictions(rows)
			for k := range list {
				list[k].Example = rows[k].ID
				list[k].Slices = maps.Clone(list[k].Slices)
				list[k].Slices["age"] = fmt.Sprint(k % 97)
			}
			a, b := list[:1100], list[1100:] // one has more than a pack
			found := requireTimed(t, spec, window.NewFixedWindows(time.Minute), []timed{{0, a[:500]}, {59, a[500:]}, {60, b}}, map[string][]input.Prediction{"0-60": a, "60-120": b})
			require.NotEmpty(t, found["0-60"])
		})
	}
}

func requireTimed(t *testing.T, spec Spec, fn *window.Fn, list []timed, want map[string][]input.Prediction) map[string][]string {
	t.Helper()
	rows := windowRows(t, spec, fn, list)
	requireWindows(t, spec, rows, want)
	return rows
}

func labelled(label string, n int) []input.Prediction {
	list := make([]input.Prediction, n)
	for i := range list {
		list[i] = input.Prediction{Labels: []string{label}, Predicted: []string{"a"}}
	}
	return list
}

// foundLabelsSpec finds labels in the data: each window has its own.
var foundLabelsSpec = Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}, PerLabel: PerLabel{All: true}}

func TestSlidingWindows(t *testing.T) {
	a, b, c := labelled("a", 40), labelled("b", 3), labelled("c", 7)
	requireTimed(t, foundLabelsSpec, window.NewSlidingWindows(10*time.Second, 20*time.Second), []timed{{5, a}, {15, b}, {40, c}}, map[string][]input.Prediction{
		"-10-10": a, "0-20": slices.Concat(a, b), "10-30": b, "30-50": c, "40-60": c,
	})
}

// TestSessions: sessions grow together though each has a slice that only some of its moments have.
func TestSessions(t *testing.T) {
	a, b, c := labelled("a", 40), labelled("b", 30), labelled("c", 7)
	for i := range a {
		a[i].Slices = map[string]string{"country": "de"}
	}
	for i := range b {
		b[i].Slices = map[string]string{"country": "fr"}
	}
	spec := foundLabelsSpec
	spec.Slices = []Slice{{{Column: "country"}}}
	requireTimed(t, spec, window.NewSessions(10*time.Second), []timed{{0, a}, {9, b}, {18, a}, {40, c}}, map[string][]input.Prediction{
		"0-28": slices.Concat(a, b, a), "40-50": c,
	})
}

// TestPropensityInWindows: labels are as frequent as in their window, unless the spec says how
// frequent they are.
func TestPropensityInWindows(t *testing.T) {
	scenario := scenarioNamed(t, "multilabel")
	list, spec := scenario.predictions(drawExamples(60)), scenario.spec
	spec.Params.Propensity = &metrics.Propensity{A: 0.55, B: 1.5}
	spec.Params.Metrics = nil
	for _, frequencies := range []metrics.LabelFrequencies{{}, {Examples: 1000, Count: map[int32]int64{0: 300, 1: 20, 2: 5, 3: 1}}} {
		spec.Labels.Frequencies = frequencies
		requireTimed(t, spec, window.NewFixedWindows(time.Minute), []timed{{0, list[:40]}, {60, list[40:]}}, map[string][]input.Prediction{"0-60": list[:40], "60-120": list[40:]})
	}
}

// TestLateExamples: what comes after the watermark has passed the end of its window is not evaluated.
func TestLateExamples(t *testing.T) {
	stream := teststream.NewConfig()
	for i, text := range texts(t, []timed{{5, labelled("a", 4)}, {70, labelled("b", 4)}, {6, labelled("c", 4)}}) {
		at := []int64{5_000, 70_000, 6_000}[i]
		require.NoError(t, stream.AddElements(at, text))
		require.NoError(t, stream.AdvanceWatermark([]int64{5_000, 70_000, 80_000}[i]))
	}
	require.NoError(t, stream.AdvanceWatermarkToInfinity())
	p, s := beam.NewPipelineWithRoot()
	predictions := beam.WindowInto(s, window.NewFixedWindows(time.Minute), beam.ParDo(s, atTimes, teststream.Create(s, stream)))
	e, err := Predictions(s, foundLabelsSpec, predictions)
	require.NoError(t, err)
	beam.ParDo0(s, &keepWindowFn{t.Name()}, e.Rows(s))
	require.NoError(t, onPrism(p))
	requireWindows(t, foundLabelsSpec, takeWindows(t.Name()), map[string][]input.Prediction{"0-60": labelled("a", 4), "60-120": labelled("b", 4)})
}

// TestReportsOfWindows: each window has a directory, with the report of its predictions alone.
func TestReportsOfWindows(t *testing.T) {
	a, b := labelled("a", 3), labelled("b", 2)
	write := func(dir string, predictions func(beam.Scope) beam.PCollection) {
		p, s := beam.NewPipelineWithRoot()
		e, err := Predictions(s, foundLabelsSpec, predictions(s))
		require.NoError(t, err)
		e.WriteReport(s, Output{Dir: dir, Formats: []report.Format{report.CSV}})
		require.NoError(t, onPrism(p))
	}
	dir := t.TempDir()
	write(filepath.Join(dir, "windows"), func(s beam.Scope) beam.PCollection {
		return beam.WindowInto(s, window.NewFixedWindows(1500*time.Millisecond), streamed(t, s, false, []timed{{0, a}, {3, b}}))
	})
	for name, list := range map[string][]input.Prediction{"19700101T000000Z-19700101T000001.5Z": a, "19700101T000003Z-19700101T000004.5Z": b} {
		alone := filepath.Join(dir, name)
		write(alone, func(s beam.Scope) beam.PCollection { return beam.CreateList(s, list) })
		for _, file := range []string{report.MetricsJSON, "metrics.csv"} {
			want, err := os.ReadFile(filepath.Join(alone, file))
			require.NoError(t, err)
			got, err := os.ReadFile(filepath.Join(dir, "windows", name, file))
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		}
	}
	found, err := os.ReadDir(filepath.Join(dir, "windows"))
	require.NoError(t, err)
	require.Len(t, found, 2)
}

// TestUnfitWindows: what cannot be evaluated in windows is an error, and nothing is added to the
// pipeline.
func TestUnfitWindows(t *testing.T) {
	minutes := window.NewFixedWindows(time.Minute)
	for name, c := range map[string]struct {
		spec    func(*Spec)
		fn      *window.Fn
		options []beam.WindowIntoOption
		want    string
	}{
		"trigger":  {nil, minutes, []beam.WindowIntoOption{beam.Trigger(trigger.AfterCount(3))}, "are in windows, FIX[1m0s], with a trigger or allowed lateness"},
		"lateness": {nil, minutes, []beam.WindowIntoOption{beam.AllowedLateness(time.Hour)}, "leave out beam.Trigger and beam.AllowedLateness"},
		"global":   {nil, window.NewGlobalWindows(), []beam.WindowIntoOption{beam.Trigger(trigger.AfterCount(3))}, "are in windows, GLO, with a trigger"},
		"bundles":  {func(s *Spec) { s.Division = lanes.Division{Lanes: 4, Bundles: true} }, minutes, nil, "spec: Bundles and BundlePerKey of Division are for the global window"},
		"keys":     {func(s *Spec) { s.Division.BundlePerKey = true }, minutes, nil, "leave them false"},
		"search":   {func(s *Spec) { s.Search = &Search{Columns: []SliceColumn{{Column: "a"}}, Unconfirmed: true} }, minutes, nil, "spec: Search is for the global window"},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := beam.NewPipelineWithRoot()
			spec := foundLabelsSpec
			if c.spec != nil {
				c.spec(&spec)
			}
			predictions := beam.WindowInto(s, c.fn, beam.CreateList(s, labelled("a", 3)), c.options...)
			before := p.String()
			_, err := Predictions(s, spec, predictions)
			require.ErrorContains(t, err, c.want)
			require.Equal(t, before, p.String())
		})
	}
	_, s := beam.NewPipelineWithRoot()
	_, err := Parquet(s, Spec{Params: metrics.Params{Task: metrics.Binary}}, beam.WindowInto(s, minutes, beam.CreateList(s, []input.Shard{{}})))
	require.ErrorContains(t, err, "the shards are in windows, FIX[1m0s]: files are evaluated in the global window")
}

func TestWindowName(t *testing.T) {
	w := window.IntervalWindow{Start: mtime.FromTime(time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)), End: mtime.FromTime(time.Date(2026, 1, 2, 16, 0, 0, 250_000_000, time.UTC))}
	require.Equal(t, "20260102T150000Z-20260102T160000.25Z", windowName(w))
}
