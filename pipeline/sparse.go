package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
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
		if _, vector := p.vectorOf(group + ".values"); vector {
			return t.cfg.Errorf("input.columns.score", "column %q is a vector of Spark: %s", group, vectorToArray(group))
		}
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

// vectorOf returns the group of columns that a column is in, if the group is a vector of Spark ML, which
// has the fields of its user-defined type.
func (d *dataset) vectorOf(column string) (group string, found bool) {
	group, isIn := strings.CutSuffix(column, ".values")
	below := d.below(group)
	for _, name := range []string{"type", "size", "indices", "values"} {
		isIn = isIn && slices.Contains(below, group+"."+name)
	}
	return group, isIn
}

// refuseSparseVectors rejects the values of vectors of Spark ML if a row has a sparse one, whose values
// lack those that are zero.
func (t *tables) refuseSparseVectors(ctx context.Context) error {
	for _, o := range []origin{{t.predictions, roles.Score}, {t.before(), roles.BaselineScore}} {
		group, found := o.vectorOf(o.column(o.role))
		if !found {
			continue
		}
		var first string
		err := o.scan(ctx, group+".type", 4096, func(at place, batch *columns.Batch) (more bool) {
			c := &batch.Columns[0]
			for r := range batch.Rows {
				if (c.Null == nil || !c.Null[r]) && c.Ints[r] == 0 {
					first = at.of(batch, r)
					return false
				}
			}
			return true
		})
		switch {
		case err != nil:
			return err
		case first != "":
			return t.cfg.Errorf(o.key(o.role), "%s: column %q is a sparse vector of Spark, whose values lack zeros: %s", first, group, vectorToArray(group))
		}
	}
	return nil
}

// vectorToArray says how a vector of Spark ML is written as a list.
func vectorToArray(group string) string {
	return fmt.Sprintf("write it as a list, with .withColumn(%q, pyspark.ml.functions.vector_to_array(%q))", group, group)
}
