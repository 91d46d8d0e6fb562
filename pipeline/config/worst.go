package config

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/beameval/beameval/metrics"
)

// WorstExamples says how many examples with the highest losses are listed, or how many that changed since a
// baseline.
type WorstExamples struct {
	// How many examples are listed; of changed examples, as many regressions and as many improvements.
	Count int `key:"count" default:"20" range:"[1,10000]"`
	// Also list as many of each label, each slice or, with both, each label in each slice.
	Per []string `key:"per" values:"label slice" default:"[]"`
}

// The values of WorstExamples.Per.
const (
	perLabel = "label"
	perSlice = "slice"
)

// PerLabel reports whether the examples of each label are listed.
func (w *WorstExamples) PerLabel() bool { return slices.Contains(w.Per, perLabel) }

// PerSlice reports whether the examples of each slice are listed.
func (w *WorstExamples) PerSlice() bool { return slices.Contains(w.Per, perSlice) }

// decode accepts a number of examples or a mapping.
func (w *WorstExamples) decode(d *decoder, n *node, path string) {
	keys := keysOf(reflect.ValueOf(w))
	setDefaults(keys)
	switch n.Tag {
	case kindNumber:
		w.Count = d.whole(n, path)
	case kindMap:
		d.mapping(n, path, keys)
	default:
		d.wrongType(path, "a number of examples or a mapping", n)
	}
}

// MarshalJSON writes the number of examples, unless there is more to say.
func (w WorstExamples) MarshalJSON() ([]byte, error) {
	if len(w.Per) == 0 {
		return marshal(w.Count)
	}
	var o object
	o.add("count", w.Count)
	o.add("per", w.Per)
	return o.MarshalJSON()
}

// Statistics says what statistics.bin has. It is not written if it is nil.
type Statistics struct {
	// Leave out slices with fewer examples: a merged report has no slice that is left out of one of its parts.
	MinSupport int `key:"min_support" default:"0" range:"[0,1000000000]"`
	// exact also keeps all scores, so that a merged report has exact curves, too. Files then have all scores, with the
	// slices of each: up to some bytes for each score.
	Curves metrics.CurveMode `key:"curves" values:"bounded exact" default:"bounded"`
	// Also keep the hash of the id of each example, and whether it was evaluated. An example that two reports have evaluated
	// is then an error when they are merged, and one that had no label in one of them counts once.
	IDs bool `key:"ids"`

	off bool
}

// Written reports whether statistics are written.
func (s *Statistics) Written() bool { return s != nil && !s.off }

// HasIDs reports whether statistics have ids.
func (s *Statistics) HasIDs() bool { return s.Written() && s.IDs }

// decode accepts a truth value or a mapping.
func (s *Statistics) decode(d *decoder, n *node, path string) {
	keys := keysOf(reflect.ValueOf(s))
	setDefaults(keys)
	switch n.Tag {
	case kindBool:
		s.off = !d.boolean(n, path)
	case kindMap:
		d.mapping(n, path, keys)
	default:
		d.wrongType(path, "true, false or a mapping", n)
	}
}

// MarshalJSON writes a truth value, unless there is more to say.
func (s Statistics) MarshalJSON() ([]byte, error) {
	exact := s.Curves == metrics.ExactCurves
	if s.off || s.MinSupport == 0 && !exact && !s.IDs {
		return marshal(!s.off)
	}
	var o object
	o.add("min_support", s.MinSupport)
	if exact {
		o.add("curves", s.Curves)
	}
	if s.IDs {
		o.add("ids", true)
	}
	return o.MarshalJSON()
}

func (v *validator) worstExamples() {
	v.listed("worst_examples.per", v.WorstExamples)
	v.listed("changed_examples.per", v.ChangedExamples)
}

func (v *validator) listed(path string, w *WorstExamples) {
	if w == nil {
		return
	}
	v.distinct(path, w.Per)
	for i, per := range w.Per {
		at := fmt.Sprintf("%s[%d]", path, i)
		if per == perLabel {
			v.onlyFor(at, metrics.Multiclass, metrics.Multilabel)
		}
		v.failIf(per == perSlice && !v.everySlice().some && !v.failed["slices"], at, "there are no slices; set slices, or leave it out")
	}
}
