package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/findings"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

// mean is a metric that is a mean over examples: its value for all others follows from a slice and all examples.
type mean struct {
	name string
	lost string                // what a slice has a share of
	loss func(float64) float64 // the mean of that, from a value
}

func missing(value float64) float64 { return 1 - value }
func itself(value float64) float64  { return value }

// means are such metrics, the best known first.
var means = []mean{
	{"accuracy", "errors", missing},
	{"subset_accuracy", "examples with a wrong label", missing},
	{"hamming_loss", "wrong labels", itself},
	{"mae", "the absolute error", itself},
	{"mse", "the squared error", itself},
	{ofProbabilities, "the log loss", itself},
}

// ofProbabilities is a mean that shows what decisions may hide: where few examples are positive, scores that tell nothing hardly
// change accuracy.
const ofProbabilities = "log_loss"

// meanOf returns the mean with a name, or nil.
func meanOf(name string) *mean {
	if i := slices.IndexFunc(means, func(m mean) bool { return m.name == name }); i >= 0 {
		return &means[i]
	}
	return nil
}

// sliceMetrics returns the metrics by which slices are compared: the first that the report shows and that is a mean, and the
// log loss if it shows that, too; without means, the first that can be better or worse.
func (f *Facts) sliceMetrics() (names []string) {
	var other []string
	for _, name := range f.headlines {
		direction := comparison.Direction(name, f.Report, f.Report)
		switch row := f.overall[name]; {
		case !testable(row) || direction != metrics.Higher && direction != metrics.Lower:
		case meanOf(name) == nil:
			other = append(other, name)
		case names == nil || name == ofProbabilities:
			names = append(names, name)
		}
	}
	if names == nil {
		return other[:min(len(other), 1)]
	}
	return names
}

// contrastSlices compares each slice with all other examples or, if a metric is no mean, with all examples.
func (f *Facts) contrastSlices() (list []*contrast) {
	for _, name := range f.sliceMetrics() {
		list = append(list, f.contrastSlicesBy(name)...)
	}
	return list
}

func (f *Facts) contrastSlicesBy(name string) (list []*contrast) {
	all, weights, of := f.overall[name], f.weights(name), meanOf(name)
	for i := range f.Report.Metrics {
		row := &f.Report.Metrics[i]
		if row.Name != name || row.Label != nil || len(row.Slice) == 0 || report.OfEstimates(row.Slice) || !testable(row) {
			continue
		}
		factor, share, known := 1.0, weights[row.Slice.Encoded()]/weights[slice.Key(nil).Encoded()], false
		if share >= 1 {
			continue
		}
		if known = share > 0; known && of != nil {
			factor = 1 / (1 - share)
		}
		c := f.compare(all, row, factor)
		if c == nil {
			continue
		}
		if c.a = nil; known {
			c.share = share
		}
		c.other = row.Value - c.difference
		list = append(list, c)
	}
	return list
}

// worstSlice names the slice that is surely farthest below the others, by the first metric in which any slice is.
func worstSlice(f *Facts) *findings.Finding {
	var worst *contrast
	met := map[string]bool{}
	for _, c := range f.slices {
		worse := c.difference < 0
		if comparison.Direction(c.metric, f.Report, f.Report) == metrics.Lower {
			worse = c.difference > 0
		}
		if !worse || !f.significant(c) {
			continue
		}
		met[c.b.Slice.Encoded()] = true
		if worst == nil || c.metric == worst.metric && c.sure() > worst.sure() {
			worst = c
		}
	}
	if worst == nil {
		return nil
	}
	return f.tellSlice(worst, len(met)-1)
}

func (f *Facts) tellSlice(c *contrast, others int) *findings.Finding {
	found := &findings.Finding{Metric: &c.metric, Slice: c.b.Slice, Values: c.values()}
	at := found.Values
	at["value"], at["support"] = c.b.Value, float64(c.b.Support)
	of, rest := meanOf(c.metric), "all examples"
	if at["rest"] = c.other; of != nil && c.share > 0 {
		rest = "all others"
	}
	d, places := plusMinus(c.difference, c.half)
	text := []string{fmt.Sprintf("%s: %s %s, %s %s (difference %s)", c.b.Slice, c.metric, number(c.b.Value, places), rest, number(c.other, places), d)}
	if c.share > 0 {
		what := "examples"
		if f.Task == metrics.Ranking {
			what = "queries"
		}
		at["share"] = c.share
		shares := percent(c.share) + " of " + what
		if of != nil {
			if lost := c.share * of.loss(c.b.Value) / of.loss(f.overall[c.metric].Value); lost > 0 && lost <= 1 {
				at["share_of_loss"] = lost
				shares += ", " + percent(lost) + " of " + of.lost
			}
		}
		text = append(text, shares)
	}
	if others > 0 {
		at["others"] = float64(others)
		text = append(text, plural(others, "more slice is", "more slices are")+" significantly worse, too")
	}
	found.Message = strings.Join(text, "; ")
	return found
}

// lackIntervals reports whether there are slices, and none has intervals.
func (f *Facts) lackIntervals(name string) bool {
	some := false
	for i := range f.Report.Metrics {
		row := &f.Report.Metrics[i]
		if row.Name != name || row.Label != nil || len(row.Slice) == 0 || report.OfEstimates(row.Slice) || row.Support < report.SmallGroup {
			continue
		}
		if row.Confidence != nil {
			return false
		}
		some = true
	}
	return some
}
