package comparison

import (
	"math"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/power"
)

// visible says what a comparison, whose differences are judged, could have shown of the headline metrics that do not
// differ significantly over all examples. better returns which values of a metric are better, and examples is
// the number of examples of each report.
func visible(c *comparison.Comparison, examples int64, better func(name string) metrics.Better) (list []comparison.Visible) {
	overall, tested := map[string]*comparison.Change{}, map[string]int{}
	var names []string
	for i := range c.Changes {
		d := &c.Changes[i]
		if len(d.Slice) > 0 {
			continue
		}
		if !math.IsNaN(d.PValue) {
			tested[d.Name]++
		}
		if d.Label == nil {
			names, overall[d.Name] = append(names, d.Name), d
		}
	}
	for _, name := range report.Headlines(c.Task, c.Headline, names) {
		d := overall[name]
		if d.Verdict != comparison.NoSignificantChange {
			continue
		}
		together := tested[name]
		if c.Adjust == comparison.Unadjusted {
			together = 1
		}
		test := power.Test{Level: 1 - (1-c.Level)/float64(together), DOF: d.DOF}
		v := comparison.Visible{Metric: name, Direction: Worsening(better(name)), Drop: test.Effect(d.StdError, power.Usual), Needed: math.NaN()}
		if d.Difference != 0 {
			v.Needed = test.Examples(float64(examples), d.StdError, math.Abs(d.Difference), power.Usual)
		}
		list = append(list, v)
	}
	return list
}
