package transforms

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/curves"
	"github.com/beameval/beameval/transforms/internal/element"
)

// slicesIn returns the slices of a bundle as people read them.
func slicesIn(t testing.TB, b folded) []string {
	var list []string
	for key := range b {
		list = append(list, sliceName(t, key))
	}
	return list
}

// TestHiveColumns: a folder's key is a slice column of files without a column of
// that name.
func TestHiveColumns(t *testing.T) {
	shard := written(t, drawExamples(50), 20)
	shard.Keys = []files.Key{{Name: "day", Value: "7"}, {Name: "device", Value: "from the folder"}}
	spec := binarySpec(t)
	spec.Slices = []Slice{by("day"), by("device")}
	got := foldedShards(t, spec, shard)
	require.ElementsMatch(t, []string{"overall", `day="7"`, "device=desk", "device=phone", `device="null"`}, slicesIn(t, got))

	shard.Keys = nil
	_, err := bundle(t.Context(), t, newFoldFn(spec), shard)
	require.ErrorContains(t, err, shard.File)
	require.ErrorContains(t, err, `no column "day"`)
}

// TestColumnOfTwoRoles: one column may be read for several roles and slices.
func TestColumnOfTwoRoles(t *testing.T) {
	spec := binarySpec(t)
	spec.Columns.Prediction = "mail"
	spec.Slices = []Slice{by("mail")}
	shard := written(t, drawExamples(50), 20)
	got := foldedShards(t, spec, shard)
	require.ElementsMatch(t, []string{"overall", "mail=ham", "mail=spam"}, slicesIn(t, got))
}

// TestRowNumbers counts rows within their row group, over batches.
func TestRowNumbers(t *testing.T) {
	type row struct {
		Label int64 `parquet:"label"`
	}
	rows := make([]row, 300)
	for _, i := range []int{5, 63, 64, 199, 200, 299} {
		rows[i].Label = -1
	}
	spec := complete(t, Spec{
		Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}, Columns: input.Columns{Label: "label", Prediction: "label"},
		Labels: input.NumberedLabels(batches.Values), // so that a batch has few rows
	})
	shard := written(t, rows, 200)
	foldWith := func(skip bool) (folded, error) {
		spec.SkipBadRows = skip
		fn := newFoldFn(spec)
		out := make(folded)
		if err := foldShard(t.Context(), fn, shard); err != nil {
			return nil, err
		}
		return out, failedIn(t, out, fn.FinishBundle(t.Context(), collected(t, out), func(int, curves.Run) {}, nil))
	}
	got, err := foldWith(true)
	require.NoError(t, err)
	p := mustDecode(t, got[element.Overall])
	var places []string
	for _, s := range p.Counts.Sample {
		require.Equal(t, report.SkippedRow{
			File: shard.File, RowGroup: s.RowGroup, Row: s.Row, Column: "label", Value: "-1", Reason: "label out of range",
		}, s)
		places = append(places, fmt.Sprint(s.RowGroup, ":", s.Row))
	}
	require.Equal(t, []string{"0:5", "0:63", "0:64", "0:199", "1:0", "1:99"}, places)
	require.EqualValues(t, 300, p.Counts.Read)
	require.EqualValues(t, 294, p.Stats.Examples())

	shard.First, shard.Groups = 1, 1
	_, err = foldWith(false)
	require.ErrorContains(t, err, shard.File+`: row group 1, row 0: column "label": -1: expected a label index from 0 to 32767`)
}
