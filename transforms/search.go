package transforms

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics/sliceline"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// searchRules returns the rules about the search. It sets its defaults.
func (s *settled) searchRules() []rule {
	if s.Search == nil {
		return nil
	}
	search := *s.Search
	s.Search = &search
	search.Level, search.Top, search.MinSupport = cmp.Or(search.Level, 2), cmp.Or(search.Top, 20), cmp.Or(search.MinSupport, 100)
	search.Alpha, search.MostValues = cmp.Or(search.Alpha, 0.95), cmp.Or(search.MostValues, 50)
	search.MostCandidates = cmp.Or(search.MostCandidates, sliceline.DefaultCandidates)
	losses := s.Params.LossesOfExamples()
	if len(losses) > 0 {
		search.Measure = cmp.Or(search.Measure, losses[0])
	}
	n := len(search.Columns)
	rules := []rule{
		{n == 0 || n > sliceline.MostColumns, fmt.Sprintf("Search.Columns has %d columns: it must have 1 to %d", n, sliceline.MostColumns)},
		{!search.OfColumn && !s.Params.HasLoss(search.Measure), fmt.Sprintf("Search.Measure is %q: it must be one of %q, or a metric that is a mean over examples", search.Measure, losses)},
		{search.Level < 1 || search.Level > sliceline.MostLevels, fmt.Sprintf("Search.Level is %d: it must be 1 to %d", search.Level, sliceline.MostLevels)},
		{search.Top < 1 || search.Top > sliceline.MostTop, fmt.Sprintf("Search.Top is %d: it must be 1 to %d", search.Top, sliceline.MostTop)},
		{search.MinSupport < 1, fmt.Sprintf("Search.MinSupport is %d: it must be at least 1", search.MinSupport)},
		{!(search.Alpha > 0 && search.Alpha <= 1), fmt.Sprintf("Search.Alpha is %v: it must be above 0 and at most 1", search.Alpha)},
		{search.MostValues < 2 || search.MostValues > sliceline.MostValues, fmt.Sprintf("Search.MostValues is %d: it must be 2 to %d", search.MostValues, sliceline.MostValues)},
		{search.MostCandidates < 1 || search.MostCandidates > sliceline.MostCandidates, fmt.Sprintf("Search.MostCandidates is %d: it must be 1 to %d", search.MostCandidates, sliceline.MostCandidates)},
		{!search.Unconfirmed && (s.Confidence == nil || s.Confidence.Folds < sliceline.LeastFolds), fmt.Sprintf("half of the folds confirm what the search finds: set Confidence with at least %d Folds, or Search.Unconfirmed", sliceline.LeastFolds)},
	}
	for i, c := range search.Columns {
		again := slices.ContainsFunc(search.Columns[:i], func(other SliceColumn) bool { return other.Column == c.Column })
		rules = append(rules,
			rule{c.Column == "", "Search has a column without a name"},
			rule{again, fmt.Sprintf("Search has column %q twice", c.Column)},
			rule{len(c.Values) > 0 || c.Function != "" || len(c.Others) > 0 || !divides(&c), fmt.Sprintf("Search: column %q may have only Bins that ascend and are finite, or 2 to %d Quantiles", c.Column, mostQuantiles)})
	}
	return rules
}

// searchSlices searches for the slices with the highest losses, in one fold or two. It runs before
// the fold that computes metrics, for which it returns an input: the plan, which says what to confirm.
func searchSlices(s beam.Scope, j shuffle.Job, known prerequisites, in source) (plan beam.PCollection) {
	s = s.Scope("search")
	stages := []shuffle.Stage{shuffle.Count, shuffle.Seek}
	inputs := known.inputs
	for i, stage := range stages[:sliceline.Passes(j.Search.Level, len(j.Search.Columns), j.Search.MostValues)] {
		of := j.Searching(stage)
		partials, _ := in.fold(s.Scope([]string{"count", "seek"}[i]), of, known)
		plan = beam.ParDo(s, &fold.PlanFn{Search: *of.Search, Spill: shuffle.Spill{Dir: j.TempDir}}, mergePartials(s, of, partials))
		known.inputs = append(slices.Clip(inputs), plan)
	}
	return plan
}

// search returns what a search found, or nil if there was none. p holds all examples.
func (out *evaluable) search(p *shuffle.Partial) (*report.Search, error) {
	of := out.spec.Search
	if of == nil {
		return nil, nil
	}
	searched := cmp.Or(p.Search, &shuffle.Searched{Plan: new(sliceline.Plan), Sums: new(sliceline.Sums)})
	plan, sums := searched.Plan, searched.Sums
	r := &report.Search{Measure: of.Measure, Alpha: of.Alpha, Searched: plan.All.Rows(), Confirmed: !of.Unconfirmed}
	r.LeftOut = leftOut(of, plan)
	list := plan.Unconfirmed()
	if !of.Unconfirmed {
		r.Level = out.spec.Confidence.Level
		var adding int
		if list, adding = plan.Confirm(sums, r.Level); adding > 0 {
			r.LeftOut = append(r.LeftOut, fmt.Sprintf("%d slices that add nothing to a larger one: they are not confirmed to be worse than the rest of it", adding))
		}
		r.Confirming = sums.Examples()
	}
	for _, f := range list {
		key := make(slice.Key, len(f.Slice))
		for i, term := range f.Slice {
			value, _, err := slice.Decode([]byte(plan.Values[term.Column][term.Value]))
			if err != nil || len(value) != 1 {
				return nil, fmt.Errorf("search: value %d of column %q: %w", term.Value, of.Columns[term.Column].Column, err)
			}
			key[i] = slice.Pair{Column: of.Columns[term.Column].Column, Value: value[0].Value}
		}
		slices.SortFunc(key, func(a, b slice.Pair) int { return cmp.Compare(a.Column, b.Column) })
		values, err := out.metricsOf(searched, f.Best)
		if err != nil {
			return nil, err
		}
		r.Found = append(r.Found, report.FoundSlice{
			Metrics: values, Key: key, Score: f.Score, Size: f.Rows, ErrorSum: f.Errors, ErrorMax: f.HighestLoss,
			Value: f.Value, Rest: f.Rest, Difference: f.Difference, Low: f.Low, High: f.High, PAdjusted: f.PAdjusted,
			Confirmed: f.Confirmed, Reason: f.Reason,
		})
	}
	return r, nil
}

// metricsOf returns the metrics of a slice that was found.
func (out *evaluable) metricsOf(s *shuffle.Searched, best int) (list []report.FoundMetric, err error) {
	if len(s.Stats) == 0 {
		return nil, nil
	}
	params, _ := shuffle.OfFound(&out.spec.Params)
	results, err := params.Evaluate(s.Stats[best], out.spec.Options(out.vocab))
	for _, name := range params.Metrics {
		for _, r := range results {
			if r.Name == name && r.Label < 0 {
				list = append(list, report.FoundMetric{Name: name, Value: r.Number})
			}
		}
	}
	return list, err
}

// leftOut says what was not searched, and why.
func leftOut(of *Search, p *sliceline.Plan) (list []string) {
	list = slices.Clone(of.LeftOut)
	for i, left := range p.LeftOut {
		if left {
			list = append(list, fmt.Sprintf("column %q has more than %d values", of.Columns[i].Column, of.MostValues))
		}
	}
	if p.Undefined > 0 {
		list = append(list, fmt.Sprintf("%d examples have no %s that is finite and not negative", p.Undefined, of.Measure))
	}
	if p.Unsearched > 0 {
		list = append(list, fmt.Sprintf("slices of %d or more columns: too many are candidates, with a limit of %d (search.max_candidates): search fewer columns, or raise min_support or the limit", p.Unsearched, of.MostCandidates))
	}
	if p.Same > 0 {
		list = append(list, fmt.Sprintf("%d slices with the same examples as one of fewer columns", p.Same))
	}
	if len(p.Best) == 0 {
		list = append(list, fmt.Sprintf("no slice of at least %d examples has a score above 0: none has a %s that is high enough for its size", of.MinSupport, of.Measure))
	}
	return list
}
