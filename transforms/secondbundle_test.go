package transforms

import (
	"fmt"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/transforms/input"
)

// TestSecondBundle: a DoFn that has seen a bundle gives of the next one what a new DoFn gives, in each task and layout.
func TestSecondBundle(t *testing.T) {
	t.Parallel()
	rows := drawExamples(60)
	p, s := beam.NewPipelineWithRoot()
	shards := beam.CreateList(s, []input.Shard{written(t, rows[:30], 10), written(t, rows[30:], 10)})
	var names []string
	keep := func(e Evaluation) {
		names = append(names, fmt.Sprint(t.Name(), len(names)))
		beam.ParDo0(s, &keepFn{names[len(names)-1]}, e.Rows(s))
	}
	for _, of := range scenarios(t) {
		spec := of.spec
		spec.Columns.Example = "id"
		keep(must(Parquet(s, spec, shards)))
		keep(must(Joined(s, withTruth(of.spec), shards, shards)))
		keep(must(Predictions(s, of.spec, beam.CreateList(s, of.predictions(rows)))))
	}
	out, err := onDirect(t, p, names...)
	require.NoError(t, err)
	for i := range out {
		require.NotEmpty(t, out[i], names[i])
	}
}
