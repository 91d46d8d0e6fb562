package report

import (
	"slices"

	"github.com/beameval/beameval/io/slice"
)

// GateItems returns, for each gate, the indexes of the items to which it applies, in ascending order. An item is
// anything with the name of a metric, a slice and a label. There may be many gates and many items, so
// it does not look at all items for each gate.
func GateItems[T any](gates []Gate, items []T, place func(*T) (name string, key slice.Key, label *string)) [][]int {
	targets, all := targetsOf(gates)
	for i := range items {
		name, key, label := place(&items[i])
		for _, t := range targets.of(name, key, label) {
			if t.gate.IsFor(name, key, label) {
				t.items = append(t.items, i)
			}
		}
	}
	of := make([][]int, len(gates))
	for i, t := range all {
		of[i] = slices.Clip(t.items)
	}
	return of
}

// target is what gates apply to: their metric, slices and label.
type target struct {
	gate  *Gate // one of them
	items []int
}

// targets has those of the gates on each metric.
type targets map[string]*targetsOfMetric

type targetsOfMetric struct {
	each, in map[string][]*target // by label, and by label and slice
}

// targetsOf returns the targets of gates, and that of each gate.
func targetsOf(gates []Gate) (found targets, all []*target) {
	found, same := targets{}, map[string]*target{}
	for i := range gates {
		g := &gates[i]
		row := Row{Name: g.Metric, Slice: g.Slice, Label: g.Label}
		key := "in" + string(row.Key())
		if g.Each {
			row.Slice = nil
			key = "each" + string(row.Key())
		}
		t, met := same[key]
		if !met {
			t = &target{gate: g}
			same[key] = t
			found.add(t)
		}
		all = append(all, t)
	}
	return found, all
}

func (f targets) add(t *target) {
	g := t.gate
	m := f[g.Metric]
	if m == nil {
		m = &targetsOfMetric{each: map[string][]*target{}, in: map[string][]*target{}}
		f[g.Metric] = m
	}
	if key := labelKey(g.Label); g.Each {
		m.each[key] = append(m.each[key], t)
	} else {
		key = string(g.Slice.AppendWritten([]byte(key)))
		m.in[key] = append(m.in[key], t)
	}
}

// of returns the targets that may have a metric of a slice and label, and few others.
func (f targets) of(name string, key slice.Key, label *string) []*target {
	m := f[name]
	if m == nil {
		return nil
	}
	var found []*target
	of := labelKey(label)
	if len(key) > 0 {
		found = m.each[of]
	}
	if len(m.in) > 0 {
		found = slices.Concat(found, m.in[string(key.AppendWritten([]byte(of)))])
	}
	return found
}

// labelKey tells no label from one that is empty.
func labelKey(label *string) string {
	if label == nil {
		return ""
	}
	return "\x01" + *label + "\x00"
}

// GateRows returns the indexes of the rows to which each gate applies.
func GateRows(gates []Gate, rows []Row) [][]int {
	return GateItems(gates, rows, func(row *Row) (string, slice.Key, *string) { return row.Name, row.Slice, row.Label })
}
