package transforms

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/curves"
	"github.com/beameval/beameval/transforms/internal/element"
)

// foldPredictions folds examples so many at a time.
func foldPredictions(t testing.TB, s scenario, rows []example, size int) folded {
	t.Helper()
	spec := s.spec
	if !spec.labelled() {
		spec.Labels = input.Vocabulary{Names: labelNames}
	}
	var tasks []element.TaskInput
	for chunk := range slices.Chunk(rows, size) {
		tasks = append(tasks, packedPredictions(t, spec, s.predictions(chunk))...)
	}
	out, err := foldedTasks(t, spec, tasks, func(int, curves.Run) {})
	require.NoError(t, err)
	return out
}

// TestFoldingOnceAndOften: many rows of a cell are folded once and merged into
// each slice, few are folded into each. Both come to the same bits.
func TestFoldingOnceAndOften(t *testing.T) {
	t.Parallel()
	rows := drawExamples(900)
	for _, s := range scenarios(t) {
		t.Run(s.name, func(t *testing.T) {
			at1 := foldPredictions(t, s, rows, 1)
			require.Len(t, at1, 1+4+12)
			requireEqual(t, at1, foldPredictions(t, s, rows, len(rows)))
			requireEqual(t, at1, foldPredictions(t, s, rows, 40))
		})
	}
}

// TestSlicesAddUp: the overall slice holds what the slices of a column do.
func TestSlicesAddUp(t *testing.T) {
	s := scenarios(t)[0]
	s.spec.Slices = []Slice{by("device")}
	out := foldPredictions(t, s, drawExamples(500), 100)
	require.Len(t, out, 4)
	sum := element.MergeFn{}.CreateAccumulator()
	for key, data := range out {
		if key != element.Overall {
			p := mustDecode(t, data)
			require.Zero(t, p.Counts.Read, "only the element.Overall slice has counts")
			sum = element.MergeFn{}.AddInput(sum, p)
		}
	}
	all := mustDecode(t, out[element.Overall])
	sum.Counts.Read, sum.Counts.Found = 500, all.Counts.Found
	data, err := sum.Encode()
	require.NoError(t, err)
	require.True(t, out[element.Overall] == string(data))
}

// TestGoroutines: what several goroutines fold is merged to what one would have folded.
func TestGoroutines(t *testing.T) {
	rows := drawExamples(600)
	for i := range 40 {
		rows[7*i].Score = -1
	}
	s := scenario{spec: binarySpec(t), prediction: binaryPrediction}
	s.spec.SkipBadRows, s.spec.Goroutines = true, 1
	want := foldPredictions(t, s, rows, 600)
	for _, s.spec.Goroutines = range []int{2, 7} {
		requireEqual(t, want, foldPredictions(t, s, rows, 20))
	}
}
