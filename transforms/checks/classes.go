package checks

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// classes are the classes of the examples of a slice, without those that are estimated.
type classes struct {
	slice           slice.Key
	examples        int64
	true, predicted only
	// positives is the number of examples of class 1, of a binary task.
	positives int64
}

// only is the single class of examples, if they have no other.
type only struct {
	class string
	many  bool
	met   bool
}

func (o *only) meet(class string) {
	if o.met && o.class != class {
		o.many = true
	}
	o.class, o.met = class, true
}

// classesOf returns the classes of each slice, from the confusion matrices.
func (f *Facts) classesOf() []classes {
	if f.classes != nil {
		return f.classes
	}
	cells := f.Report.Confusion
	for i := range cells {
		cell := &cells[i]
		if cell.Count == 0 || cell.Label != nil || report.OfEstimates(cell.Slice) {
			continue
		}
		if n := len(f.classes); n == 0 || !slices.Equal(f.classes[n-1].slice, cell.Slice) { // the cells of a slice are together
			f.classes = append(f.classes, classes{slice: cell.Slice})
		}
		of := &f.classes[len(f.classes)-1]
		of.examples += cell.Count
		of.true.meet(cell.True)
		of.predicted.meet(cell.Predicted)
		if cell.TrueIndex == 1 {
			of.positives += cell.Count
		}
	}
	return f.classes
}

// oneClassIn returns the largest slice whose examples are all of one class. The slice of all examples matters
// more than others, and others count only with enough examples.
func (f *Facts) oneClassIn(of func(*classes) *only, format string) *Found {
	var found *Found
	places := int64(0)
	var largest int64
	for i := range f.classesOf() {
		c := &f.classes[i]
		class := of(c)
		overall := len(c.slice) == 0
		if class.many || !class.met || !overall && c.examples < enough || overall && c.examples < 2 {
			continue
		}
		places++
		if found != nil && (len(found.Slice) == 0 || c.examples <= largest && !overall) {
			continue
		}
		largest = c.examples
		found = &Found{Slice: c.slice, Message: fmt.Sprintf(format, quote.Visible(class.class), where(c.slice), c.examples)}
	}
	if found == nil {
		return nil
	}
	found.Count = places
	found.Message += others(places)
	return found
}

// where describes a slice.
func where(key slice.Key) string {
	if len(key) == 0 {
		return "all examples"
	}
	return key.String()
}

// others says in how many other places than the one that is named a check holds, too.
func others(places int64) string {
	switch places {
	case 1:
		return ""
	case 2:
		return "; this holds in 1 other slice or label, too"
	}
	return fmt.Sprintf("; this holds in %d other slices and labels, too", places-1)
}

func oneTrue(f *Facts) *Found {
	return f.oneClassIn(func(c *classes) *only { return &c.true },
		"the true class is always %s in %s (%d examples): metrics that compare classes, such as roc_auc, are undefined, and accuracy says little; check how rows were selected")
}

func onePredicted(f *Facts) *Found {
	return f.oneClassIn(func(c *classes) *only { return &c.predicted },
		"the predicted class is always %s in %s (%d examples): check the threshold, and that the scores are of this data")
}

// positivesIn returns the numbers of positives and negatives of a binary task in a slice, or zeros.
func (f *Facts) positivesIn(key slice.Key) (positives, negatives int64) {
	if f.bySlice == nil {
		f.bySlice = map[string]*classes{}
		for i := range f.classesOf() {
			c := &f.classes[i]
			f.bySlice[c.slice.Encoded()] = c
		}
	}
	c := f.bySlice[key.Encoded()]
	if c == nil {
		return 0, 0
	}
	return c.positives, c.examples - c.positives
}
