package examples

import (
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/rows"
)

// labels makes batches of rows that are one label of an example each: as if each was an
// example with that label only.
type labels struct {
	columns [batches.RoleCount]columns.Column
	offsets []int32
}

// of returns the listed rows of a batch.
func (l *labels) of(b *batch, at *layout, list []int32) *batches.Batch {
	for len(l.offsets) <= len(list) {
		l.offsets = append(l.offsets, int32(len(l.offsets)))
	}
	var cols [batches.RoleCount]*columns.Column
	for role, from := range at.place {
		if from > 0 {
			cols[role] = &l.columns[role]
			rows.Gather(cols[role], b.columns[from], list)
			cols[role].Offsets = l.offsets[:len(list)+1]
		}
	}
	out := &batches.Batch{Input: ingest.Input{Rows: len(list)}}
	batches.Assign(&out.Input, cols[:])
	class := cols[batches.ClassRole]
	out.LabelClass, out.ScoreLabel, out.PredictionClass = class, class, class
	out.Place = func(bad *ingest.Bad) report.SkippedRow {
		at := list[0]
		if bad != nil {
			at = list[bad.Row]
		}
		return placeOf(b.columns[sourceColumn], b.columns[rowColumn], at)
	}
	return out
}
