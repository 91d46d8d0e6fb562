package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/formats"
	"github.com/beameval/beameval/io/text"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// requireColumns fails if there are no labels, or nothing to compare with them. If more is missing, the error names it all.
func (t *tables) requireColumns() error {
	p := t.predictions
	if file := p.files[0].info.Name; t.truth == nil && formats.Canonical(cmp.Or(p.files[0].whole.Format, formats.Of(file))) == text.Run {
		return fmt.Errorf("%s is a TREC run, which has no judgements: set truth.files to its qrels", file)
	}
	missing := t.missing()
	if len(missing) > 1 {
		return p.lacks(missing)
	}
	switch {
	case slices.Contains(missing, roles.Label):
		return fmt.Errorf("no label column: set input.columns.label%s%s (%w)", p.perhaps(roles.Label), p.elsewhere(), p.absent(roles.Label.Of().Names))
	case slices.Contains(missing, roles.Raters):
		return errors.New("no ratings: set input.columns.raters to the columns of all raters, such as [ann, bob, judge], or, if each rating is a row, input.columns.rater and grade")
	case len(missing) > 0 && p.ownNeeds(t.known()).Has(missing[0]):
		r := missing[0]
		return fmt.Errorf("no column of %s: set input.columns.%s%s (%w)", r.Of().What, r, p.perhaps(r), p.absent(r.UsualNames(roles.OfInput)))
	case slices.Contains(missing, roles.Score) && t.cfg.Task != metrics.Ranking || slices.Contains(missing, roles.Prediction):
		return fmt.Errorf("neither a score nor a prediction column: set input.columns.score%s or input.columns.prediction%s (%w)",
			p.perhaps(roles.Score), strings.TrimSuffix(p.perhaps(roles.Prediction), ","), p.absent(slices.Concat(roles.Score.Of().Names, roles.Prediction.Of().Names)))
	}
	return nil // what else is missing depends on the layout
}

// elsewhere proposes to join labels of other files, if rows have an id and no column is named like a label.
func (t *table) elsewhere() string {
	ids := slices.ContainsFunc([]roles.Role{roles.Example, roles.Query}, func(id roles.Role) bool {
		return t.has(id) || t.findSpelled(id, anyColumn, t.taken()) != ""
	})
	if !ids || t.perhaps(roles.Label) != "" {
		return ""
	}
	return ", or truth.files if the labels are in other files"
}

// missing returns the roles that the task needs, as far as it is known, and that no column has.
func (t *tables) missing() (all []roles.Role) {
	p, task := t.predictions, t.known()
	need := func(r roles.Role, also bool) {
		if also && !p.has(r) && p.findSpelled(r, anyColumn, p.taken()) == "" {
			all = append(all, r)
		}
	}
	if !p.has(roles.Label) && t.truth == nil && !t.withoutLabels() {
		all = append(all, roles.Label)
	}
	if task == metrics.Agreement {
		if !p.has(roles.Raters) && !(p.has(roles.Rater) && p.has(roles.Grade)) {
			all = append(all, roles.Raters)
		}
		return all
	}
	if p.ownNeeds(task) != 0 {
		return slices.AppendSeq(all, (roles.Task(task).Needs() &^ roles.SetOf(roles.Label) &^ p.all()).All())
	}
	switch task {
	case metrics.Ranking:
		score, err := p.field(roles.Score)
		need(roles.Score, true)
		long := !p.has(roles.Score) || err == nil && !score.List
		need(roles.Query, long)
		need(roles.Item, long && (t.truth != nil || t.cfg.Ranking.Ties == metrics.ItemTies))
	default:
		if p.has(roles.Quantiles) || p.has(roles.Ensemble) { // which are predictions, too
			break
		}
		if !p.has(roles.Score) && !p.has(roles.Prediction) && !p.has(roles.Judged) && !p.compares() {
			r := roles.Score
			if task == metrics.Regression || p.perhaps(roles.Score) == "" && p.perhaps(roles.Prediction) != "" {
				r = roles.Prediction
			}
			all = append(all, r)
		}
		need(roles.Class, task == metrics.Multilabel && t.cfg.Input.Layout == config.LayoutLabel)
		need(roles.Example, t.truth != nil || t.cfg.Input.Layout == config.LayoutLabel)
	}
	return all
}

// missingInTruth returns the roles that the truth needs, as far as the task is known, if it has no labels.
func (t *tables) missingInTruth() (all []roles.Role) {
	if t.truth.has(roles.Label) {
		return nil
	}
	all = append(all, roles.Label)
	ids := map[bool][]roles.Role{false: {roles.Example}, true: {roles.Query, roles.Item}}[t.cfg.Task == metrics.Ranking]
	for _, r := range ids {
		if named := t.predictions.column(r); t.truth.findUsual(r, anyColumn, nil) == "" && !t.truth.has(r) && !t.truth.everywhere(named) {
			all = append(all, r)
		}
	}
	return all
}

// lacks names several roles that no column has, and proposes columns.
func (t *table) lacks(missing []roles.Role) error {
	var names, set []string
	for _, r := range missing {
		names = append(names, r.String())
		set = append(set, t.key(r)+strings.TrimSuffix(t.perhaps(r), ","))
	}
	return fmt.Errorf("no columns for %s: set %s (%w)", inSentence(names), inSentence(set), t.absent(missing[0].UsualNames(t.kind())))
}

// inSentence joins two or more parts.
func inSentence(parts []string) string {
	last := len(parts) - 1
	comma, and := ", ", " and "
	if strings.Contains(strings.Join(parts, ""), ",") {
		comma, and = "; ", "; and "
	}
	return strings.Join(parts[:last], comma) + and + parts[last]
}

// mostProposed is the maximum number of columns that a message proposes for a role.
const mostProposed = 2

// perhaps suggests columns that may have been intended for a role, or returns "".
func (t *table) perhaps(r roles.Role) string {
	var proposed []string
	for _, family := range t.families(r) {
		first := family[0]
		proposed = append(proposed, strconv.Quote(strings.TrimSuffix(first.Column, first.Label)+"*"))
	}
	for _, f := range t.files[0].schema.Fields {
		fits := r.Of().Type != roles.Number || slices.Contains(numbers, f.Type)
		if len(proposed) < mostProposed && fits && r.Hinted(f.Path) && t.everywhere(f.Path) && !slices.Contains(t.taken(), f.Path) {
			proposed = append(proposed, strconv.Quote(f.Path))
		}
	}
	if proposed == nil {
		return ""
	}
	return fmt.Sprintf(", perhaps to %s,", strings.Join(proposed, " or "))
}
