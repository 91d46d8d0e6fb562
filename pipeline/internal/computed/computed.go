// Package computed finds the metrics and gates of a configuration among the metrics that are computed.
package computed

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// Metrics are the computed metrics. There may be many, and many gates on them.
type Metrics struct {
	params        *metrics.Params
	names, others map[string]bool
}

// In returns the metrics that p computes, and others, which are metrics of all labels together that are
// not in the catalogue.
func In(p *metrics.Params, others []string) *Metrics {
	return &Metrics{p, collections.Set(slices.Values(p.Metrics)), collections.Set(slices.Values(others))}
}

// Gate returns a gate of a configuration, whose metric must be computed. An error is about the gate
// or, as .metric, about a key of it.
func (m *Metrics) Gate(g *config.Gate) (gate report.Gate, key string, err error) {
	name, err := m.Metric(g.Metric)
	if err != nil {
		return gate, ".metric", err
	}
	if byLabel := m.OfEachLabel(name); byLabel != (g.Label != "") {
		return gate, "", errors.New(wrongLabel(name, byLabel, m.params.Metrics))
	}
	gate = report.Gate{
		Metric: name, Each: g.Slice.Each, AllowUndefined: g.AllowUndefined,
		Limits: report.Limits{Min: g.Min, Max: g.Max, MaxDrop: (*report.Limit)(g.MaxDrop), MaxRise: (*report.Limit)(g.MaxRise), Sure: g.Sure},
	}
	if g.Label != "" {
		gate.Label = &g.Label
	}
	for _, v := range g.Slice.Values {
		value := slice.String(v.Text)
		if v.Null {
			value = slice.Null()
		}
		gate.Slice = append(gate.Slice, slice.Pair{Column: v.Column, Value: value})
	}
	slices.SortFunc(gate.Slice, func(a, b slice.Pair) int { return strings.Compare(a.Column, b.Column) })
	return gate, "", nil
}

// Metric returns the main name of a metric that is computed.
func (m *Metrics) Metric(name string) (string, error) {
	if m.others[name] {
		return name, nil
	}
	names, err := m.params.Select([]string{name}, nil)
	var unknown *metrics.UnknownMetricError
	switch {
	case errors.As(err, &unknown):
		return "", fmt.Errorf("%w; did you mean %q?", err, quote.Nearest(name, slices.Concat(m.params.Metrics, slices.Sorted(maps.Keys(m.others)))))
	case err != nil:
		return "", err
	case !m.names[names[0]]:
		return "", fmt.Errorf("%q is not computed: add it to metrics", name)
	}
	return names[0], nil
}

// OfEachLabel reports whether a metric, given by its main name, has a value for each label instead of one for all.
func (m *Metrics) OfEachLabel(name string) bool { return !m.others[name] && m.params.OfEachLabel(name) }

// wrongLabel explains that a gate names a label although the metric has none, or vice versa.
func wrongLabel(name string, byLabel bool, computed []string) string {
	if !byLabel {
		return fmt.Sprintf("%s is one number for all labels: leave label out", name)
	}
	text := fmt.Sprintf("%s is a metric of each label: set label", name)
	var averages []string
	for _, other := range computed {
		if strings.HasPrefix(other, name+"_") {
			averages = append(averages, other)
		}
	}
	if len(averages) > 0 {
		text += ", or take an average: " + strings.Join(averages, ", ")
	}
	return text
}
