package shuffle

import (
	"maps"
	"slices"
	"strconv"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
)

// Constants are the numbers of a configuration that values are compared with as they are in columns: a value
// that has 32 or 16 bits is the same as a constant that rounds to it.
type Constants struct {
	Scores []float64            // thresholds of scores
	Labels []float64            // grades of relevance
	Slices map[string][]float64 // by column: bounds of bins, and values
}

// FindConstants sets the constants of a job. Scores that are computed from those in columns meet no constant.
func (j *Job) FindConstants() {
	computed := j.Recalibration != nil || j.BothClasses != nil && j.Params.ScoreType != metrics.Probability
	if j.Params.Scores && !computed {
		all := append(slices.Collect(maps.Values(j.Decision.PerLabel)), j.Decision.Threshold)
		if j.Params.ScoreType == metrics.Probability {
			all = append(all, j.Params.ScoreThresholds()...)
		}
		j.Constants.Scores = decimals(all)
	}
	if j.Params.Task == metrics.Ranking {
		j.Constants.Labels = decimals([]float64{j.Params.Ranking.RelevanceThreshold, j.Params.Ranking.MaxRelevance})
	}
	bySlice := make(map[string][]float64)
	addText := func(column, text string) {
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			bySlice[column] = append(bySlice[column], x)
		}
	}
	named := slices.Concat(j.Slices...)
	if j.Search != nil {
		named = append(named, j.Search.Columns...)
	}
	for _, c := range named {
		if c.Function != "" {
			continue
		}
		bySlice[c.Column] = append(bySlice[c.Column], c.Bins...)
		for _, v := range c.Values {
			addText(c.Column, v.Text)
		}
	}
	for _, p := range slices.Concat(j.GateSlices...) {
		addText(p.Column, p.Value.Text())
	}
	if j.Groups != nil {
		for column, text := range j.Groups.Reference {
			addText(column, text)
		}
	}
	for column, all := range bySlice {
		if all = decimals(all); all == nil {
			continue
		}
		if j.Constants.Slices == nil {
			j.Constants.Slices = make(map[string][]float64)
		}
		j.Constants.Slices[column] = all
	}
}

// decimals returns the numbers that some column of fewer bits rounds, in order.
func decimals(all []float64) []float64 {
	exact := func(x float64) bool { return columns.Round(x, 16) == x }
	if all = slices.DeleteFunc(all, exact); len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Of returns the constants that the values of columns meet: first for the columns by role, then for
// slice columns.
func (c Constants) Of(names []string) [][]float64 {
	of := make([][]float64, len(names))
	for i, name := range names {
		switch {
		case i == int(roles.Score) || i == int(roles.BaselineScore):
			of[i] = c.Scores
		case i == int(roles.Label):
			of[i] = c.Labels
		case i >= roles.Count:
			of[i] = c.Slices[name]
		}
	}
	return of
}
