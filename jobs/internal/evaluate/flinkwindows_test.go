//go:build flink

package evaluate

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/cluster"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// sourceFn is an unbounded source whose watermark follows its moments. At each moment it emits
// three predictions.
type sourceFn struct{ Seconds []int64 }

// CreateInitialRestriction returns all moments.
func (f *sourceFn) CreateInitialRestriction([]byte) offsetrange.Restriction {
	return offsetrange.Restriction{End: int64(len(f.Seconds))}
}

// CreateTracker returns a tracker of moments.
func (f *sourceFn) CreateTracker(of offsetrange.Restriction) *sdf.LockRTracker {
	return sdf.NewLockRTracker(offsetrange.NewTracker(of))
}

// SplitRestriction does not split, because moments are in order.
func (f *sourceFn) SplitRestriction(_ []byte, of offsetrange.Restriction) []offsetrange.Restriction {
	return []offsetrange.Restriction{of}
}

// RestrictionSize returns the number of moments.
func (f *sourceFn) RestrictionSize(_ []byte, of offsetrange.Restriction) float64 {
	return float64(of.End - of.Start)
}

// TruncateRestriction ends the source.
func (f *sourceFn) TruncateRestriction(*sdf.LockRTracker, []byte) offsetrange.Restriction {
	return offsetrange.Restriction{}
}

// InitialWatermarkEstimatorState is the first moment.
func (f *sourceFn) InitialWatermarkEstimatorState(beam.EventTime, offsetrange.Restriction, []byte) int64 {
	return int64(mtime.MinTimestamp)
}

// CreateWatermarkEstimator returns the watermark.
func (f *sourceFn) CreateWatermarkEstimator(at int64) *sdf.ManualWatermarkEstimator {
	return &sdf.ManualWatermarkEstimator{State: mtime.Time(at).ToTime()}
}

// WatermarkEstimatorState returns the watermark.
func (f *sourceFn) WatermarkEstimatorState(e *sdf.ManualWatermarkEstimator) int64 {
	return int64(mtime.FromTime(e.State))
}

// ProcessElement emits the predictions of a moment.
func (f *sourceFn) ProcessElement(e *sdf.ManualWatermarkEstimator, tracker *sdf.LockRTracker, _ []byte, emit func(beam.EventTime, input.Prediction)) sdf.ProcessContinuation {
	i := tracker.GetRestriction().(offsetrange.Restriction).Start
	if !tracker.TryClaim(i) {
		return sdf.StopProcessing()
	}
	at := mtime.FromMilliseconds(1000 * f.Seconds[i])
	e.UpdateWatermark(at.ToTime())
	for _, p := range predictionsAt(f.Seconds[i]) {
		emit(at, p)
	}
	return sdf.ResumeProcessingIn(500 * time.Millisecond)
}

// predictionsAt returns the predictions of moments.
func predictionsAt(seconds ...int64) (list []input.Prediction) {
	for _, s := range seconds {
		for i := range int64(3) {
			label := fmt.Sprint("label ", (s+i)%4)
			list = append(list, input.Prediction{
				Labels: []string{label}, Predicted: []string{"label 1"}, Slices: map[string]string{"second": fmt.Sprint(s)},
			})
		}
	}
	return list
}

// windowed are the rows computed in this process, by evaluation and window.
var windowed struct {
	sync.Mutex
	rows map[string][]string
}

// keepWindowFn keeps rows.
type keepWindowFn struct{ Name string }

// ProcessElement keeps a row.
func (f *keepWindowFn) ProcessElement(w beam.Window, row report.Row) {
	of := f.Name
	if w, ok := w.(window.IntervalWindow); ok {
		of += fmt.Sprintf(" %d-%d", w.Start/1000, w.End/1000)
	}
	label := ""
	if row.Label != nil {
		label = *row.Label
	}
	windowed.Lock()
	defer windowed.Unlock()
	windowed.rows[of] = append(windowed.rows[of], fmt.Sprint(row.Slice, " ", row.Name, " ", label, " ", row.Value, " ", row.Support))
}

func init() {
	register.DoFn4x1[*sdf.ManualWatermarkEstimator, *sdf.LockRTracker, []byte, func(beam.EventTime, input.Prediction), sdf.ProcessContinuation](&sourceFn{})
	register.DoFn2x0[beam.Window, report.Row](&keepWindowFn{})
	register.Emitter2[beam.EventTime, input.Prediction]()
}

// TestFlinkPlain runs a bounded job, whose workers are processes, and an unbounded one in this process on a
// cluster that has nothing of Beam but what the job server sends, as clusters of others.
func TestFlinkPlain(t *testing.T) {
	config, worker := cluster.Boot(t, "github.com/beameval/beameval/jobs/beameval")
	f := cluster.StartPlainFlink(t, "../../../bin/flink.classpath", 1)
	t.Run("process", func(t *testing.T) {
		generated[0].run(t, "--runner", "flink", "--endpoint", f.Endpoint, "--parallelism", "2",
			"--environment_type", "PROCESS", "--environment_config", config, "--worker_binary", worker)
	})
	t.Run("windows", func(t *testing.T) { evaluateWindows(t, f) })
}

// evaluateWindows evaluates an unbounded source in windows: the rows of each window follow from its
// predictions alone. Sessions merge, and each window has its own labels, bounds of scores and
// quantiles.
func evaluateWindows(t *testing.T, f *cluster.Flink) {
	windowed.rows = make(map[string][]string)
	*jobopts.Endpoint, *jobopts.EnvironmentType = f.Endpoint, "LOOPBACK"
	t.Cleanup(func() { *jobopts.Endpoint, *jobopts.EnvironmentType = "", "" })

	spec := transforms.Spec{
		Params:   metrics.Params{Task: metrics.Multiclass, Decisions: true},
		PerLabel: transforms.PerLabel{All: true},
		Slices:   []transforms.Slice{{{Column: "second"}}, {{Column: "second", Quantiles: 2}}},
	}
	evaluate := func(s beam.Scope, name string, predictions beam.PCollection) {
		e, err := transforms.Predictions(s, spec, predictions)
		require.NoError(t, err)
		beam.ParDo0(s, &keepWindowFn{name}, e.Rows(s))
	}
	p, s := beam.NewPipelineWithRoot()
	source := beam.ParDo(s, &sourceFn{[]int64{1, 12, 14, 23, 31, 60}}, beam.Impulse(s))
	evaluate(s, "fixed", beam.WindowInto(s, window.NewFixedWindows(20*time.Second), source))
	evaluate(s, "sliding", beam.WindowInto(s, window.NewSlidingWindows(20*time.Second, 40*time.Second), source))
	evaluate(s, "sessions", beam.WindowInto(s, window.NewSessions(10*time.Second), source))
	_, err := beam.Run(t.Context(), "flink", p)
	require.NoError(t, err)

	p, s = beam.NewPipelineWithRoot()
	of := map[string][]int64{
		"fixed 0-20": {1, 12, 14}, "fixed 20-40": {23, 31}, "fixed 60-80": {60},
		"sliding -20-20": {1, 12, 14}, "sliding 0-40": {1, 12, 14, 23, 31}, "sliding 20-60": {23, 31}, "sliding 40-80": {60}, "sliding 60-100": {60},
		"sessions 1-11": {1}, "sessions 12-41": {12, 14, 23, 31}, "sessions 60-70": {60},
	}
	for name, seconds := range of {
		evaluate(s, "alone: "+name, beam.CreateList(s, predictionsAt(seconds...)))
	}
	_, err = beam.Run(t.Context(), "direct", p)
	require.NoError(t, err)
	for name := range of {
		for _, rows := range [][]string{windowed.rows[name], windowed.rows["alone: "+name]} {
			slices.Sort(rows)
		}
		require.NotEmpty(t, windowed.rows[name], name)
		require.Equal(t, windowed.rows["alone: "+name], windowed.rows[name], name)
	}
	require.Len(t, windowed.rows, 2*len(of))
}
