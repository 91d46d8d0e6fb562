package evaluation

import (
	"maps"
	"slices"

	"github.com/beameval/beameval/io/report"
)

// twoByTwo has the weights of a 2×2 table, indexed by report.TP and the like.
type twoByTwo [4]float64

// decisions are what was decided of each label, and of a binary task or all labels pooled.
type decisions struct {
	all    twoByTwo
	labels map[string]twoByTwo
}

// of returns the decisions of a label; nil means all examples.
func (d *decisions) of(label *string) twoByTwo {
	if label == nil {
		return d.all
	}
	return d.labels[*label]
}

// decisionsOf returns the decisions of a report, each class of a multiclass task against the others.
func decisionsOf(r *report.Report) *decisions {
	d := &decisions{labels: map[string]twoByTwo{}}
	add := func(class string, cell int, w float64) {
		t := d.labels[class]
		t[cell] += w
		d.labels[class] = t
	}
	total := 0.0
	for i := range r.Confusion {
		switch c := &r.Confusion[i]; {
		case len(c.Slice) > 0:
		case c.Label != nil:
			cell := cellOf(c.True == "1", c.Predicted == "1")
			add(*c.Label, cell, c.Weight)
			d.all[cell] += c.Weight
		case r.Task == "binary":
			d.all[cellOf(c.TrueIndex == 1, c.PredictedIndex == 1)] += c.Weight
		case c.True == c.Predicted:
			total += c.Weight
			add(c.True, report.TP, c.Weight)
		default:
			total += c.Weight
			add(c.True, report.FN, c.Weight)
			add(c.Predicted, report.FP, c.Weight)
		}
	}
	if r.Task == "multiclass" {
		for class, t := range d.labels {
			t[report.TN] = total - t[report.TP] - t[report.FN] - t[report.FP]
			d.labels[class] = t
		}
		for _, class := range slices.Sorted(maps.Keys(d.labels)) {
			for cell, w := range d.labels[class] {
				d.all[cell] += w
			}
		}
	}
	return d
}

// cellOf returns the index of a cell of a 2×2 table.
func cellOf(truth, predicted bool) int {
	switch {
	case truth && predicted:
		return report.TP
	case truth:
		return report.FN
	case predicted:
		return report.FP
	}
	return report.TN
}

// rate returns fpr, recall or precision; NaN if it is undefined.
func (t *twoByTwo) rate(name string) float64 {
	switch name {
	case "fpr":
		return t[report.FP] / (t[report.FP] + t[report.TN])
	case "recall":
		return t[report.TP] / (t[report.TP] + t[report.FN])
	}
	return t[report.TP] / (t[report.TP] + t[report.FP])
}
