// Package volume derives metrics of how much data a report is of, such as the number of examples. A report
// does not list them; gates and monitors can name them nevertheless, also for reports that are finished.
package volume

import (
	"maps"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/report"
)

// The metrics.
const (
	Rows              = "rows"                // that were read
	Examples          = "examples"            // that were evaluated
	Support           = "support"             // examples of a slice
	SkippedShare      = "skipped_share"       // of the rows
	MissingLabelShare = "missing_label_share" // of the rows
)

// Names are the names of all metrics.
var Names = []string{Rows, Examples, Support, SkippedShare, MissingLabelShare}

// unlabelled are the reasons for which rows without a label are skipped.
var unlabelled = []string{roles.Label.Of().Null, roles.NoTruth}

// Of returns the metrics of a report that are asked for. Support has a row for each slice.
func Of(r *report.Report, asked []string) (list []report.Row) {
	add := func(name string, value float64) {
		if slices.Contains(asked, name) {
			list = append(list, report.Row{Name: name, Value: value, Support: r.Examples})
		}
	}
	share := func(name string, n int64) {
		if r.Rows.Read > 0 {
			add(name, float64(n)/float64(r.Rows.Read))
		}
	}
	missing := r.Rows.Estimated + r.Rows.Unlabelled
	for _, reason := range unlabelled {
		missing += r.Rows.Skipped[reason]
	}
	add(Examples, float64(r.Examples))
	share(MissingLabelShare, missing)
	add(Rows, float64(r.Rows.Read))
	share(SkippedShare, collections.Sum(maps.Values(r.Rows.Skipped)))
	add(Support, float64(r.Examples))
	if slices.Contains(asked, Support) {
		list = append(list, supports(r)...)
	}
	return list
}

// supports returns the number of examples of each slice: the largest support of its metrics of all labels
// together.
func supports(r *report.Report) (list []report.Row) {
	for from, to := 0, 0; from < len(r.Metrics); from = to {
		key := r.Metrics[from].Slice
		for to = from; to < len(r.Metrics) && slices.Equal(r.Metrics[to].Slice, key); to++ {
		}
		if most := report.LargestSupport(r.Metrics[from:to]); len(key) > 0 {
			list = append(list, report.Row{Name: Support, Slice: key, Value: float64(most), Support: most})
		}
	}
	return list
}

// Asked returns the metrics of volume among those that gates name.
func Asked(gates []report.Gate) (names []string) {
	for i := range gates {
		if name := gates[i].Metric; slices.Contains(Names, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// With returns a report that lists the metrics of volume that are asked for, beside its own. A metric that r lists
// already is not added again.
func With(r *report.Report, asked []string) *report.Report {
	asked = slices.DeleteFunc(slices.Clone(asked), func(name string) bool {
		return slices.ContainsFunc(r.Metrics, func(row report.Row) bool { return row.Name == name })
	})
	if len(asked) == 0 {
		return r
	}
	with := *r
	with.Metrics = slices.Concat(r.Metrics, Of(r, asked))
	return &with
}
