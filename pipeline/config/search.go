package config

import (
	"slices"

	"github.com/beameval/beameval/metrics/sliceline"
)

// Search says where the slices with the highest losses are searched, and how.
type Search struct {
	// The columns whose values make slices; all is every column of single values that plays no role.
	// Numbers of more than max_values values are divided into 10 quantiles; any other column with more
	// is left out, and the report says so.
	Columns []string `key:"columns"`
	// The loss of an example: absolute_error or squared_error of a regression, 1 - ndcg of a ranking,
	// otherwise log_loss, brier, zero_one_loss or, of a multilabel task, hamming_loss; with a baseline,
	// regression, log_loss_increase or brier_increase; a metric that is a mean over examples; or a
	// column of losses. Without it, it is the first that the columns allow.
	Measure string `key:"measure"`
	// The largest number of columns of a slice.
	Level int `key:"level" default:"2" range:"[1,6]"`
	// The largest number of slices to find.
	Top int `key:"top" default:"20" range:"[1,1000]"`
	// The smallest number of examples of a slice, among the examples that are searched.
	MinSupport int `key:"min_support" default:"100" range:"[1,)"`
	// How much a high loss counts against a small size: a slice with the share s of the examples is
	// found only if its mean loss is more than (1 - alpha)/alpha · (1/s - 1) times above the mean loss of all.
	Alpha float64 `key:"alpha" default:"0.95" range:"(0,1]"`
	// The largest number of values of a column.
	MaxValues int `key:"max_values" default:"50" range:"[2,1000]"`
	// The largest number of slices of three and more columns, or of two if these could be too many, that
	// are counted. If more may be among the worst, slices of so many columns and more are left out, and
	// the report says so.
	MaxCandidates int `key:"max_candidates" default:"100000" range:"[1,1000000]"`
	// Search the examples of half of the confidence.groups, and confirm what was found with the others.
	// If it is false, all examples are searched, and what is found may be chance.
	Confirm bool `key:"confirm" default:"true"`
}

// allColumns is the value of Search.Columns for every column.
const allColumns = "all"

// All reports whether every column is searched.
func (s *Search) All() bool { return slices.Equal(s.Columns, []string{allColumns}) }

// search checks what tags cannot express.
func (v *validator) search() {
	s := v.Search
	if s == nil {
		return
	}
	v.failIf(len(s.Columns) == 0, "search", "needs columns: those whose values make slices, or all")
	v.distinct("search.columns", s.Columns)
	v.failIf(s.Confirm && v.Confidence == nil, "search", "needs confidence: half of its groups are searched, and the others confirm what was found; set confidence, or search.confirm: false")
	if c := v.Confidence; c != nil && s.Confirm && !v.failed["confidence.groups"] {
		v.failIf(c.Groups != 0 && c.Groups < sliceline.LeastFolds, "confidence.groups", "search needs %d groups or more, because half of them confirm what it finds", sliceline.LeastFolds)
	}
}
