package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/roles"
)

// The usual names, ignoring case, of the two columns of sparse scores in a list of structs or a
// map.
var (
	sparseLabels = []string{"label", "labels", "class", "id", "index", "name", "key"}
	sparseScores = []string{"score", "scores", "probability", "prob", "logit", "value"}
)

// findSparseScores finds the two columns of sparse scores if the score column is a list of structs
// or a map. If no score column is configured, it may have any of the usual names.
func (t *tables) findSparseScores() error {
	p := t.predictions
	if p.has(roles.ScoreLabel) {
		if !p.has(roles.Score) && p.column(roles.ScoreLabel) != p.column(roles.Class) {
			return t.cfg.Errorf("input.columns.score_label", "says which labels the scores are of, but nothing says where the scores are: set input.columns.score")
		}
		return nil
	}
	group := p.column(roles.Score)
	if p.vacant(roles.Score) {
		group = t.scoreGroup()
	}
	below := p.below(group)
	if group == "" || len(below) == 0 || p.everywhere(group) { // a column next to others such as a.b
		return nil
	}
	label, score := memberOf(below, group, sparseLabels), memberOf(below, group, sparseScores)
	if label == "" || score == "" {
		advice := "set input.columns.score and input.columns.score_label to those with the scores and their labels"
		if f, err := p.lookup(below[0]); err == nil && !f.List {
			advice = fmt.Sprintf("if each has the scores of a label, set input.columns.score to %q", group+".*")
		}
		return t.cfg.Errorf("input.columns.score", "column %q has the columns %s: %s", group, strings.Join(below, ", "), advice)
	}
	if p.vacant(roles.Score) && t.decided(roles.Score, score) {
		p.columns[roles.Score].Off = true
		return nil
	}
	p.set(roles.Score, score)
	p.set(roles.ScoreLabel, label)
	t.note("score: column %q, of the labels in %q", score, label)
	return nil
}

// scoreGroup returns the first group of columns with a usual name of scores, or "" if a column has
// such a name.
func (t *tables) scoreGroup() string {
	if t.findColumn(roles.Score) != "" {
		return ""
	}
	for _, name := range roles.Score.Of().Names {
		for _, f := range t.predictions.files[0].schema.Fields {
			if group, _, nested := strings.Cut(f.Path, "."); nested && f.List && strings.EqualFold(group, name) {
				return group
			}
		}
	}
	return ""
}

// memberOf returns the first column below a group that has one of the names.
func memberOf(below []string, group string, names []string) string {
	for _, name := range names {
		i := slices.IndexFunc(below, func(path string) bool { return strings.EqualFold(path, group+"."+name) })
		if i >= 0 {
			return below[i]
		}
	}
	return ""
}
