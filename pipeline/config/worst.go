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
