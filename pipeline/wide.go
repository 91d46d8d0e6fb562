package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// Scores, true labels and predictions may be spread over several columns, one for each label. Only
// the code that reads files knows of these columns: everywhere else they form one column of lists,
// under a name that no column of the files has.

// widen replaces a name that contains a * with the columns that match it, unless a column has
// exactly that name.
func (t *table) widen(r roles.Role) error {
	o := t.columns[r]
	if r == roles.FurtherGrades && o.Wide == nil && t.somewhere(o.Column) { // one of them
		t.columns[r] = config.Origin{}
		t.columns[r].Widen([]config.WideColumn{{Column: o.Column}})
		return nil
	}
	if o.Wide != nil || strings.Count(o.Column, "*") != 1 || t.somewhere(o.Column) {
		return nil
	}
	prefix, suffix, _ := strings.Cut(o.Column, "*")
	found := t.matching(prefix, suffix)
	if len(found) == 0 {
		return fmt.Errorf("no column has a name like %q (%w)", o.Column, t.absent([]string{o.Column}))
	}
	o.Widen(found)
	t.columns[r] = o
	return nil
}

// widenPredictions widens the names of columns of the predictions.
func (t *tables) widenPredictions() error {
	for r := range roles.All() {
		if !r.Of().Input.Wide {
			continue
		}
		if err := t.predictions.widen(r); err != nil {
			return t.cfg.Errorf(t.predictions.key(r), "%w", err)
		}
	}
	return nil
}

// matching returns the columns of any file whose names consist of prefix, ignoring case, a label,
// and suffix. They are sorted numerically if all labels are numbers; otherwise they are in the order
// that all files have or, if files differ, sorted by their bytes, so that the order of files does not
// matter.
func (d *dataset) matching(prefix, suffix string) (found []config.WideColumn) {
	first, alike := d.kinds[0].matching(prefix, suffix), true
	for _, k := range d.kinds {
		in := k.matching(prefix, suffix)
		alike = alike && slices.Equal(in, first)
		found = append(found, in...)
	}
	switch {
	case areNumbers(found):
		slices.SortFunc(found, func(a, b config.WideColumn) int {
			return cmp.Or(cmp.Compare(number(a.Label), number(b.Label)), cmp.Compare(a.Column, b.Column))
		})
	case alike:
		return first
	default:
		slices.SortFunc(found, func(a, b config.WideColumn) int { return cmp.Compare(a.Column, b.Column) })
	}
	return slices.Compact(found)
}

// matching returns the columns of one file, in its order.
func (k *kind) matching(prefix, suffix string) (found []config.WideColumn) {
	for _, path := range k.paths() { // including those that cannot be read; looking them up explains why
		if n := len(path) - len(suffix); n > len(prefix) && strings.EqualFold(path[:len(prefix)], prefix) && path[n:] == suffix {
			found = append(found, config.WideColumn{Label: path[len(prefix):n], Column: path})
		}
	}
	return found
}

// wideField returns the column of lists that several columns form.
func (d *dataset) wideField(o config.Origin) (columns.Field, error) {
	if n, most := len(o.Wide), d.options.MaxRowValues; n > most {
		return columns.Field{}, fmt.Errorf("%q stands for %d columns, and at most %d values of a row are read: set input.max_row_values to a larger number if that is no mistake", quote.Short(o.Column), n, most)
	}
	list := columns.Field{Path: o.Column, Type: columns.Int, Bits: 64, List: true, Physical: fmt.Sprintf("%d columns", len(o.Wide))}
	for _, c := range o.Wide {
		f, err := d.lookup(c.Column)
		switch {
		case err != nil:
			return f, err
		case f.List || f.Type == columns.String:
			return f, fmt.Errorf("column %q is %s: each of the columns must have one number a row", c.Column, f.Physical)
		case f.Type == columns.Float && (list.Type == columns.Int || f.Bits > list.Bits):
			list.Type, list.Bits = columns.Float, f.Bits
		}
	}
	return list, nil
}

// ratingsField returns the column of lists that the columns of several raters form.
func (d *dataset) ratingsField(o config.Origin) (columns.Field, error) {
	if o.Wide == nil {
		return columns.Field{}, fmt.Errorf("column %q: expected a column of each rater, such as [ann, bob, judge]; if each rating is a row, set rater and grade", o.Column)
	}
	list := columns.Field{Path: o.Column, Null: true, List: true, Physical: fmt.Sprintf("%d columns", len(o.Wide))}
	first := ""
	for _, c := range o.Wide {
		f, err := d.lookup(c.Column)
		number := func(t columns.Type) bool { return t == columns.Int || t == columns.Float }
		switch {
		case err != nil:
			return f, err
		case f.List:
			return f, fmt.Errorf("column %q is %s: the ratings of a rater must be one value a row", c.Column, f.Physical)
		case f.Null:
		case first == "":
			first, list.Null, list.Type, list.Bits = c.Column, false, f.Type, f.Bits
		case f.Type != list.Type && !(number(f.Type) && number(list.Type)):
			return f, fmt.Errorf("column %q is %s, but column %q is %s: ratings must all be numbers, all texts or all booleans", c.Column, f.Type, first, list.Type)
		case f.Type == columns.Float:
			list.Type, list.Bits = columns.Float, max(f.Bits, list.Bits)
		}
	}
	return list, nil
}

// number returns a label as a number, or -1 if it is not one.
func number(label string) int {
	n, err := strconv.ParseUint(label, 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

// areNumbers reports whether the labels of the columns are numbers.
func areNumbers(wide []config.WideColumn) bool {
	return !slices.ContainsFunc(wide, func(c config.WideColumn) bool { return number(c.Label) < 0 })
}

// areNumbered reports whether the labels of the columns are the numbers from 0 on.
func areNumbered(wide []config.WideColumn) bool {
	met := make([]bool, len(wide))
	for _, c := range wide {
		n := number(c.Label)
		if n < 0 || n >= len(met) || met[n] {
			return false
		}
		met[n] = true
	}
	return true
}

// sameLabels reports whether columns belong to the same labels.
func sameLabels(a, b []config.WideColumn) bool {
	has := make(map[string]bool)
	for _, c := range a {
		has[c.Label] = c.Label != ""
	}
	return len(a) == len(b) && !slices.ContainsFunc(b, func(c config.WideColumn) bool { return !has[c.Label] })
}

// listColumns names columns for messages.
func listColumns(wide []config.WideColumn) string {
	const most = 3
	names := make([]string, 0, most+1)
	for _, c := range wide[:min(len(wide), most)] {
		names = append(names, strconv.Quote(c.Column))
	}
	if len(wide) > most {
		names = append(names, "…")
	}
	return "columns " + strings.Join(names, ", ")
}

// findWide finds scores in columns with names like proba_<label>, and labels in columns with names
// like label_<label>, if no single column has them. Such names may mean anything. The columns are
// therefore taken for scores only if there is one for each true label in the first rows, and for
// labels only if there is a column of scores for each. If several sets of columns fit, it takes
// none.
func (t *tables) findWide(ctx context.Context) error {
	if t.withoutLabels() {
		return nil
	}
	p := t.predictions
	scores := p.families(roles.Score)
	if !p.vacant(roles.Score) {
		scores = [][]config.WideColumn{p.columns[roles.Score].Wide}
	}
	type pair struct{ score, label []config.WideColumn }
	var fit []pair
	for _, s := range scores {
		switch label := t.labelled().columns[roles.Label]; {
		case label.Wide != nil:
			if sameLabels(s, label.Wide) {
				fit = append(fit, pair{score: s})
			}
		case label.Column != "":
			known, err := t.haveColumns(ctx, label.Column, s)
			if err != nil {
				return err
			}
			if known {
				fit = append(fit, pair{score: s})
			}
		case p.vacant(roles.Label):
			for _, l := range p.families(roles.Label) {
				if sameLabels(s, l) {
					fit = append(fit, pair{s, l})
				}
			}
		}
	}
	if len(fit) != 1 || !t.mayBeWide() || t.cfg.Task == metrics.Binary && (len(fit[0].score) != 2 || fit[0].label != nil) {
		return nil
	}
	if p.vacant(roles.Score) {
		if t.decided(roles.Score, fit[0].score[0].Column) {
			return nil
		}
		p.adopt(roles.Score, fit[0].score)
	}
	if fit[0].label != nil {
		p.adopt(roles.Label, fit[0].label)
	}
	return nil
}

// mayBeWide reports whether the configuration permits a column for each label.
func (t *tables) mayBeWide() bool {
	return slices.Contains([]metrics.Task{0, metrics.Binary, metrics.Multiclass, metrics.Multilabel}, t.cfg.Task) && t.cfg.Input.Layout != config.LayoutLabel && !t.predictions.has(roles.Class)
}

func (t *table) adopt(r roles.Role, wide []config.WideColumn) {
	var o config.Origin
	o.Widen(wide)
	t.columns[r], t.found[r] = o, true
}

// families returns sets of at least two columns whose names consist of the same usual name of a
// role, an underscore or dot, and a label. Each column has one number in each row.
func (t *table) families(r roles.Role) (all [][]config.WideColumn) {
	taken := t.taken()
	for _, name := range r.Of().Names {
		for _, separator := range []string{"_", "."} {
			family := slices.DeleteFunc(t.matching(name+separator, ""), func(c config.WideColumn) bool { return slices.Contains(taken, c.Column) })
			other := func(c config.WideColumn) bool {
				f, err := t.lookup(c.Column)
				return err != nil || f.List || f.Type == columns.String
			}
			if len(family) > 1 && !slices.ContainsFunc(family, other) {
				all = append(all, family)
			}
		}
	}
	return all
}

// nameListed takes the names of listed columns of scores as the labels, if nothing else names these
// and each label in the first rows is the name of a column.
func (t *tables) nameListed(ctx context.Context) error {
	o, label := origin{t.predictions, roles.Score}, t.labelled().columns[roles.Label]
	if o.wide() == nil || !o.listed() || label.Column == "" || label.Wide != nil || len(t.cfg.Labels)+t.cfg.NumLabels > 0 || t.cfg.LabelsFile != "" {
		return nil
	}
	named := slices.Clone(o.wide())
	for i := range named {
		named[i].Label = named[i].Column
	}
	known, err := t.haveColumns(ctx, label.Column, named)
	if err != nil || !known {
		return err
	}
	t.predictions.columns[roles.Score].Wide = named
	return nil
}

// haveColumns reports whether each label in the first rows of a column has a column of its own.
func (t *tables) haveColumns(ctx context.Context, column string, wide []config.WideColumn) (bool, error) {
	label, err := t.labelled().lookup(column)
	if err != nil {
		return false, err
	}
	labels, err := t.labelled().firstValues(ctx, column)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(labels, func(l string) bool {
		return !slices.ContainsFunc(wide, func(c config.WideColumn) bool { return spelled(label, c.Label) == spelled(label, l) })
	}), nil
}

// findForecasts finds the columns of forecasts of quantiles and puts them in the order of their
// levels. The bounds of an interval are two quantiles. Without a prediction, the median is the
// prediction.
func (t *tables) findForecasts() error {
	p, in := t.predictions, &t.cfg.Input
	if lower, upper := p.column(roles.Lower), p.column(roles.Upper); lower != "" && upper != "" {
		var o config.Origin
		o.Widen([]config.WideColumn{{Label: tail(1 - in.IntervalLevel), Column: lower}, {Label: tail(1 + in.IntervalLevel), Column: upper}})
		p.columns[roles.Quantiles] = o
	}
	if !p.has(roles.Quantiles) {
		return nil
	}
	o, key := p.columns[roles.Quantiles], p.key(roles.Quantiles)
	if o.Wide == nil {
		return t.cfg.Errorf(key, "column %q: expected a column for each level, such as {0.1: q10, 0.5: q50, 0.9: q90}", o.Column)
	}
	levels := make(map[string]float64, len(o.Wide))
	for _, c := range o.Wide {
		level, err := strconv.ParseFloat(c.Label, 64)
		if err != nil || !(level > 0 && level < 1) {
			return t.cfg.Errorf(key, "column %q: %q is not the level of a quantile: expected a number between 0 and 1, as in {0.1: q10, 0.9: q90}", c.Column, c.Label)
		}
		levels[c.Label] = level
	}
	slices.SortFunc(o.Wide, func(a, b config.WideColumn) int { return cmp.Compare(levels[a.Label], levels[b.Label]) })
	for i, c := range o.Wide {
		t.levels = append(t.levels, levels[c.Label])
		if i > 0 && t.levels[i]-t.levels[i-1] < 1e-6 {
			return t.cfg.Errorf(key, "columns %q and %q are of the same level", o.Wide[i-1].Column, c.Column)
		}
		if t.levels[i] == 0.5 && p.vacant(roles.Prediction) {
			p.set(roles.Prediction, c.Column)
			t.note("prediction: column %q, the median", c.Column)
		}
	}
	p.columns[roles.Quantiles] = o
	return nil
}

// tail returns half of twice the level of a quantile as text.
func tail(twice float64) string {
	return strconv.FormatFloat(math.Round(twice/2*1e9)/1e9, 'g', -1, 64)
}
