package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/plan"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/power"
)

// noReplicates is the reason for which the difference of a value without a standard error is not planned.
const noReplicates = "no replicates"

// difference returns a row with the standard error of its difference, or with the reason for which it is
// unknown. The standard error is 0 where a rate was seen at its bound.
func (m *maker) difference(row *report.Row) plan.Row {
	found := plan.Unknown()
	found.Metric, found.Slice, found.Label, found.Value, found.Direction = row.Name, row.Slice, row.Label, row.Value, comparison.Worsening(m.directionOf(row.Name))
	found.Examples = m.examples[row.Slice.Encoded()]
	c := cmp.Or(row.Confidence, &report.Confidence{StdError: math.NaN(), NoInterval: noReplicates})
	found.Groups = c.Folds
	if m.r.Confidence.Clustered && m.eachClusterIsAGroup() {
		found.Clusters = float64(c.Folds)
	}
	found.DesignEffect = m.designEffect(row, found.Examples)
	if !floats.Finite(row.Value) {
		found.Reason = cmp.Or(row.Reason(), confidence.Undefined)
		return found
	}
	se, dof, reason := m.spread(row, c)
	switch {
	case reason == "" && se > 0:
		found.StdError, found.DOF = se, dof
	case (reason == "" || reason == confidence.NoVariation) && m.seenNone(row):
		found.StdError = 0
	default:
		found.Reason = cmp.Or(reason, confidence.NoVariation)
	}
	return found
}

// spread returns the standard error of the difference of a value and its degrees of freedom, or the reason
// for which no comparison tests it.
func (m *maker) spread(row *report.Row, c *report.Confidence) (se, dof float64, reason string) {
	if c.NoInterval == confidence.IsCount {
		return 0, 0, "a count, which grows with the rows"
	}
	if m.changes != nil {
		d := m.changes[string(row.Key())]
		if !math.IsNaN(d.PValue) {
			return d.StdError, d.DOF, "" // a reason would be about its verdict
		}
		return 0, 0, d.Reason
	}
	switch why := confidence.Untestable(c.Method, c.NoInterval); why {
	case confidence.HasBias, confidence.IsNotSmooth, confidence.FewFolds:
		return 0, 0, why
	}
	if !floats.Finite(c.StdError) {
		return 0, 0, cmp.Or(c.NoInterval, noReplicates)
	}
	return math.Sqrt2 * c.StdError, 2 * c.DOF, "" // Welch's, of two equal standard errors
}

// seenNone reports whether a value is the best rate possible: nothing that counts against the model was seen.
func (m *maker) seenNone(row *report.Row) bool {
	better := m.directionOf(row.Name)
	best := better == metrics.Higher && row.Value == 1 || better == metrics.Lower && row.Value == 0
	return best && metrics.IsRate(row.Name)
}

// trials returns of how many independent trials a rate at its bound is: of clusters if rows depend on each
// other, otherwise as many as Wilson's interval tells.
func (m *maker) trials(of *plan.Row) float64 {
	if m.r.Confidence.Clustered {
		if floats.Finite(of.Clusters) {
			return of.Clusters
		}
		return float64(of.Groups)
	}
	c := m.at(of.Metric, of.Slice, of.Label).Confidence
	if c == nil || c.Method != confidence.MethodWilson {
		return math.NaN()
	}
	// Wilson's interval ends where (p-x)² = z² x (1-x)/n.
	z := confidence.NormalQuantile(m.r.Confidence.Level)
	x := c.Low
	if of.Value == 0 {
		x = c.High
	}
	away := of.Value - x
	return math.Round(float64(z*z) * float64(x*(1-x)) / float64(away*away))
}

// ofAllRows are rates of all rows: their trials are the rows of the slice.
var ofAllRows = []string{"accuracy", "subset_accuracy", "prevalence", "predicted_positive_rate", "top_k_accuracy", "hit_rate"}

// designEffect returns the design effect of a rate of all rows, or NaN if the report does not tell.
func (m *maker) designEffect(row *report.Row, examples int64) float64 {
	stem, _, _ := strings.Cut(row.Name, "@")
	switch c := row.Confidence; {
	case c == nil || !floats.Finite(c.StdError):
		return math.NaN()
	case c.Method == confidence.MethodWilson:
		return 1
	case row.Label == nil && slices.Contains(ofAllRows, stem) && row.Value > 0 && row.Value < 1:
		return power.DesignEffect(row.Value, float64(examples), c.StdError)
	}
	return math.NaN()
}

// eachClusterIsAGroup reports whether the number of groups is the number of clusters: a configuration that
// leaves it open, and few enough clusters for a group each.
func (m *maker) eachClusterIsAGroup() bool {
	var config struct{ Confidence struct{ Groups int } }
	return json.Unmarshal(m.r.Config, &config) == nil && len(m.r.Config) > 0 && config.Confidence.Groups == 0
}

// clusters warns if the rows are of clusters whose number is unknown.
func (m *maker) clusters() {
	if c := m.r.Confidence; c.Clustered && !m.eachClusterIsAGroup() {
		m.Warnings = append(m.Warnings, fmt.Sprintf("rows of the same %s depend on each other, and count as one cluster; the report does not say how many clusters are in its %d groups, so rows_needed is of rows in clusters of the same size",
			quote.Value(c.By), c.Folds))
	}
}
