package evaluation

import (
	"fmt"
	"strconv"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

func cards(r *report.Report, d *digest) []document.Card {
	return collections.Map(d.headlines, func(name string) document.Card {
		row := d.overall[name]
		c := document.CardOf(name, document.OnPage(document.CardPlaces, row)(row))
		c.Bar, c.Undefined, c.Change = document.BarOf(row.Value, row.Confidence), document.Brief(row.Reason()), changeFrom(r, name)
		return c
	})
}

// changeFrom describes the difference of a metric of all examples from the baseline of gates, if one
// compares it, or from the baseline that has predicted the same examples.
func changeFrom(r *report.Report, metric string) string {
	for i := range r.Gates {
		if g := &r.Gates[i]; g.Metric == metric && len(g.Slice) == 0 && g.Label == nil && floats.Finite(g.Difference) && g.Compares() {
			return fromBaseline(g.Difference)
		}
	}
	for i := range r.Differences {
		if d := &r.Differences[i]; d.Name == metric && len(d.Slice) == 0 && d.Label == nil && floats.Finite(d.Difference) {
			return fromBaseline(d.Difference)
		}
	}
	return ""
}

func fromBaseline(difference float64) string {
	return document.Signed(difference, document.Fixed(difference, document.CardPlaces)) + " from the baseline"
}

// confidenceNote explains the intervals to people, or says why no metric of all examples has one.
// It returns "" if intervals were not requested.
func confidenceNote(r *report.Report) string {
	g := r.Confidence
	if g == nil {
		return ""
	}
	by := ""
	if g.By != "" {
		by = " by " + quote.Visible(g.By)
	} else if g.Position {
		by = " by the position of rows, taken as independent"
	}
	groups, some := 0, false
	for i := range r.Metrics {
		if row := &r.Metrics[i]; len(row.Slice) == 0 && row.Confidence != nil {
			groups, some = max(groups, row.Confidence.Folds), some || row.Confidence.HasInterval()
		}
	}
	if !some && groups < leastGroups {
		return fmt.Sprintf("There are no confidence intervals: examples are in %d of the %d groups%s, and %d are needed.", groups, g.Folds, by, leastGroups)
	}
	from := strconv.Itoa(groups)
	if groups < g.Folds { // few examples or clusters
		from = fmt.Sprintf("examples in %d of %d", groups, g.Folds)
	}
	return fmt.Sprintf("± and [ ]: %s%% confidence, from %s groups%s.", strconv.FormatFloat(g.Level*100, 'g', 4, 64), from, by)
}

// leastGroups is the number of groups that must have examples for intervals; see package
// confidence.
const leastGroups = 10
