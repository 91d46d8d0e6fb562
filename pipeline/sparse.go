package pipeline

import (
	"fmt"
	"slices"
	"strings"
)

// The names of the parts of a sparse score, case aside: of the struct of a list,
// or of a map.
var (
	sparseLabels = []string{"label", "labels", "class", "id", "index", "name", "key"}
	sparseScores = []string{"score", "scores", "probability", "prob", "logit", "value"}
)

// sparseScores finds the two columns of sparse scores in a score column that is
// a list of structs or a map: the one that is configured or, if none is, one of
// the usual names.
func (p *planner) sparseScores() error {
	c := &p.cfg.Input.Columns
	if c.ScoreLabel != "" {
		if c.Score.Column == "" && c.ScoreLabel != c.Class {
			return p.cfg.Errorf("input.columns.score_label", "says which labels the scores are of, but nothing says where the scores are: set input.columns.score")
		}
		return nil
	}
	group := c.Score.Column
	if group == "" {
		group = p.scoreGroup()
	}
	below := p.in.below(group)
	if group == "" || len(below) == 0 || p.in.everywhere(group) { // a column, beside others such as a.b
		return nil
	}
	label, score := part(below, group, sparseLabels), part(below, group, sparseScores)
	if label == "" || score == "" {
		advice := "set input.columns.score and input.columns.score_label to those with the scores and their labels"
		if f, err := p.in.field(below[0]); err == nil && !f.List {
			advice = fmt.Sprintf("if each has the scores of a label, set input.columns.score to %q", group+".*")
		}
		return p.cfg.Errorf("input.columns.score", "column %q has the parts %s: %s", group, strings.Join(below, ", "), advice)
	}
	c.Score.Column, c.ScoreLabel = score, label
	p.note("score: column %q, of the labels in %q", score, label)
	return nil
}

// scoreGroup returns the first group of columns that has one of the usual names,
// if no column has.
func (p *planner) scoreGroup() string {
	for _, r := range roleNames {
		if r.role != "score" || p.findColumn(r.role, r.names) != "" {
			continue
		}
		for _, name := range r.names {
			for _, f := range p.in.files[0].schema.Fields {
				if group, _, nested := strings.Cut(f.Path, "."); nested && f.List && strings.EqualFold(group, name) {
					return group
				}
			}
		}
	}
	return ""
}

// below returns the columns in a group.
func (in *input) below(group string) []string {
	var paths []string
	for _, f := range in.files[0].schema.Fields {
		if strings.HasPrefix(f.Path, group+".") {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// part returns the first column of a group that has one of the names.
func part(below []string, group string, names []string) string {
	for _, name := range names {
		i := slices.IndexFunc(below, func(path string) bool { return strings.EqualFold(path, group+"."+name) })
		if i >= 0 {
			return below[i]
		}
	}
	return ""
}
