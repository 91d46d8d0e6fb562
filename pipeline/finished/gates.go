package finished

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/volume"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/pipeline/internal/computed"
)

// gatesFor returns the gates of a configuration after checking that the report has their metrics,
// slices and labels.
func gatesFor(r *report.Report, cfg *config.Config) ([]report.Gate, error) {
	if cfg == nil {
		return nil, nil
	}
	if len(cfg.Gates) == 0 {
		return nil, cfg.Errorf("gates", "there are no gates to judge: set gates, or leave the configuration out")
	}
	p, others, err := computedIn(r)
	if err != nil {
		return nil, err
	}
	var gates []report.Gate
	known, values := computed.In(p, slices.Concat(others, volume.Names)), valuesIn(r)
	var wrong error
	for i := range cfg.Gates {
		gate, key, err := known.Gate(&cfg.Gates[i])
		if err != nil {
			wrong = cfg.Errorf(fmt.Sprintf("gates[%d]%s", i, key), "%w", err)
			break
		}
		meet(values, gate.Slice)
		gates = append(gates, gate)
	}
	for i, rows := range report.GateRows(gates, volume.With(r, volume.Asked(gates)).Metrics) {
		if len(rows) == 0 && !gates[i].AllowUndefined {
			key, why := missing(r, &gates[i])
			return nil, cfg.Errorf(fmt.Sprintf("gates[%d].%s", i, key), "%s", why)
		}
	}
	return gates, wrong
}

// meet replaces the decimal numbers of a gate's slice that the report lacks by the report's numbers
// to which they round in 32 or 16 bits: the report does not say which of its columns had so few.
// values holds the report's values by column.
func meet(values map[string]map[slice.Value]bool, of slice.Key) {
	for i, p := range of {
		x, err := strconv.ParseFloat(p.Value.Text(), 64)
		if err != nil || has(values[p.Column], p.Value.Written()) {
			continue
		}
		for _, bits := range []int{32, 16} {
			if rounded := slice.Float(columns.Round(x, bits)); values[p.Column][rounded] {
				of[i].Value = rounded.AsText()
				break
			}
		}
	}
}

// valuesIn returns the values of each column in the slices of a report.
func valuesIn(r *report.Report) map[string]map[slice.Value]bool {
	values := make(map[string]map[slice.Value]bool)
	var last slice.Key
	for _, row := range r.Metrics {
		if slices.Equal(row.Slice, last) {
			continue
		}
		last = row.Slice
		for _, p := range row.Slice {
			if values[p.Column] == nil {
				values[p.Column] = make(map[slice.Value]bool)
			}
			values[p.Column][p.Value] = true
		}
	}
	return values
}

func has(values map[slice.Value]bool, written slice.Constant) bool {
	for v := range values {
		if written.Is(v) {
			return true
		}
	}
	return false
}

// computedIn returns the metrics that a finished report has. Others are not in the catalogue: they
// compare groups, or belong to another program.
func computedIn(r *report.Report) (p *metrics.Params, others []string, err error) {
	p = &metrics.Params{Scores: true, ScoreType: metrics.Logit, Decisions: true, Curves: metrics.ExactCurves, Propensity: &metrics.Propensity{}, Costs: [][]float64{}, Has: ^metrics.Roles(0)}
	if err := p.Task.UnmarshalText([]byte(r.Task)); err != nil {
		return nil, nil, err
	}
	p.Ranking = rankingOf(r)
	met := map[string]bool{}
	for i := range r.Metrics {
		row := &r.Metrics[i]
		if met[row.Name] {
			continue
		}
		met[row.Name] = true
		p.Metrics = append(p.Metrics, row.Name)
		if main, err := p.Select([]string{row.Name}, nil); (err != nil || main[0] != row.Name) && row.Label == nil {
			others = append(others, row.Name)
		}
	}
	return p, others, nil
}

// rankingOf returns those options of a finished report that the names of metrics can imply.
func rankingOf(r *report.Report) metrics.RankingOptions {
	var config struct {
		Ranking struct {
			Gain               metrics.Gain
			RelevanceThreshold float64 `json:"relevance_threshold"`
			MaxRelevance       float64 `json:"max_relevance"`
		}
	}
	_ = json.Unmarshal(r.Config, &config) // what another version wrote need not be understood
	o := config.Ranking
	return metrics.RankingOptions{Gain: o.Gain, RelevanceThreshold: o.RelevanceThreshold, MaxRelevance: o.MaxRelevance}
}

// missing returns which key of a gate that applies to no row refers to something that the report
// lacks, and what the report has.
func missing(r *report.Report, g *report.Gate) (key, why string) {
	var places, labels []string
	for i := range r.Metrics {
		row := &r.Metrics[i]
		of := *g
		of.Metric, of.Label = row.Name, row.Label
		switch inSlice := of.IsFor(row.Name, row.Slice, row.Label); {
		case inSlice && row.Name == g.Metric && row.Label != nil:
			labels = append(labels, *row.Label)
		case len(row.Slice) > 0:
			places = append(places, row.Slice.String())
		}
	}
	switch {
	case len(labels) > 0:
		return "label", fmt.Sprintf("the report has no %s of label %s; did you mean %s?", g.Metric, quote.Value(*g.Label), quote.Value(quote.Nearest(*g.Label, labels)))
	case len(places) == 0:
		return "slice", "the report has no slices"
	}
	return "slice", fmt.Sprintf("the report has no %s of slice %s; did you mean %s?", g.Metric, g.Slice, quote.Nearest(g.Slice.String(), places))
}
