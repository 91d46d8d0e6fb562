package transforms

import (
	"fmt"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/slice"
)

// ofBaseline returns the evaluable that computes the metrics of the baseline, or nil if the model
// is not compared with one.
func (out *evaluable) ofBaseline() (*evaluable, error) {
	params := out.spec.OfBaseline()
	if params == nil {
		return nil, nil
	}
	of := &evaluable{spec: out.spec, vocab: out.vocab, names: out.names, sample: out.sample, drawn: out.drawn}
	of.spec.Params = *params
	var err error
	if c := out.spec.Confidence; c != nil && (len(c.Metrics) == 0 || len(params.Replicated) > 0) {
		of.without, err = jackknives(params, params.Replicated)
	}
	return of, err
}

// rowsBefore returns the metric rows of the baseline in a slice. Slices without predictions of a
// baseline, such as slices of estimated metrics, have none.
func (out *evaluable) rowsBefore(key slice.Key) ([]report.Row, error) {
	s, met := out.before[key.Encoded()]
	if out.baseline == nil || !met {
		return nil, nil
	}
	p, err := out.baseline.decode(&s)
	if err != nil {
		return nil, fmt.Errorf("baseline, %w", err)
	}
	found, err := out.baseline.found(&s, &p)
	return found.rows, err
}

// differences returns the differences between the model's metrics and the baseline's, if there is
// one.
func (out *evaluable) differences(before, rows []report.Row, g *report.Folding) ([]differences.Change, error) {
	if out.baseline == nil {
		return nil, nil
	}
	compared, _, err := disparities(out.spec.Groups, before, g)
	if err != nil {
		return nil, err
	}
	of := func(rows []report.Row) *report.Report {
		r := &report.Report{Task: out.spec.Params.Task.String(), Confidence: g, Metrics: rows}
		out.listLabels(r, nil)
		return r
	}
	return comparison.Within(of(append(before, compared...)), of(rows))
}
