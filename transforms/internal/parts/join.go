package parts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/transforms/checks"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Joined is what several heads have in common, and how the parts become parts of it.
type Joined struct {
	Head
	// Refold has, for each part that is divided in another way, the fold of each of its folds.
	Refold map[int][]int32
	// Relabel has, for each part that lacks some labels, the place of each of its labels among these.
	Relabel map[int][]int32
}

// Join joins the heads of parts, which have the given names. It returns an error that names the difference if they
// do not belong together. The result does not depend on the order of the parts.
func Join(heads []*Head, names []string) (*Joined, error) {
	all := &Joined{Head: *heads[0]}
	for i, h := range heads[1:] {
		if err := all.join(h, names[0], names[i+1]); err != nil {
			return nil, err
		}
	}
	all.Output.Found = foundBy(heads)
	all.joinFolds(heads)
	slices.Sort(all.Suppressed)
	all.Suppressed = slices.Compact(all.Suppressed)
	for _, list := range []*[]string{&all.LeftOut, &all.Inexact} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return all, all.joinLabels(heads, names)
}

// join joins a head with those before.
func (all *Joined) join(h *Head, first, name string) error {
	for _, d := range differences("", all.Output.Config, h.Output.Config) {
		if !free(d.path) {
			return d.explain(first, name)
		}
	}
	a, err := agreed(&all.Head)
	if err != nil {
		return err
	}
	b, err := agreed(h)
	if err != nil {
		return err
	}
	if list := differences("", a, b); len(list) > 0 {
		return list[0].explain(first, name)
	}
	out := &all.Output
	out.Config = common(out.Config, h.Output.Config)
	all.Labels, all.Exact = max(all.Labels, h.Labels), all.Exact || h.Exact
	out.JSONRows, out.FoundByName = max(out.JSONRows, h.Output.JSONRows), out.FoundByName || h.Output.FoundByName
	all.Suppressed, all.MinSupport = slices.Concat(all.Suppressed, h.Suppressed), max(all.MinSupport, h.MinSupport)
	all.LeftOut, all.Inexact = slices.Concat(all.LeftOut, h.LeftOut), slices.Concat(all.Inexact, h.Inexact)
	all.Knots = slices.Concat(all.Knots, h.Knots)
	if all.QueryIDs != h.QueryIDs {
		all.LoseQueries()
	}
	s := &all.Job.Spec
	s.MaxSlices, s.MaxNames = max(s.MaxSlices, h.Job.MaxSlices), max(s.MaxNames, h.Job.MaxNames)
	s.Columns = least(s.Columns, h.Job.Columns)
	s.Truth, s.Baseline = least(s.Truth, h.Job.Truth), least(s.Baseline, h.Job.Baseline)
	return nil
}

// least returns the lesser of two values, by their JSON: columns may have several names in parts, and messages need one.
func least[T any](a, b T) T {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	if errX == nil && errY == nil && bytes.Compare(y, x) < 0 {
		return b
	}
	return a
}

// agreed returns what must be the same in all parts, as JSON.
func agreed(h *Head) (json.RawMessage, error) {
	job, out := h.Job, h.Output
	job.Columns, job.Truth, job.Baseline, job.MaxSlices, job.MaxNames = input.Columns{}, nil, nil, 0, 0
	job.Params.Digest, job.Params.Replicated = false, nil // they follow from Confidence
	job.Labels = input.Vocabulary{Items: job.Labels.Items, Frequencies: job.Labels.Frequencies}
	if h.Folding.Most > 0 && job.Confidence != nil { // they follow from all parts
		c := *job.Confidence
		c.Folds, c.Each, c.Refold = 0, nil, false
		job.Confidence = &c
	}
	folding := h.Folding
	folding.Rows, folding.Many, folding.Lost = 0, false, false
	out.Config, out.JSONRows, out.Found, out.FoundByName = nil, 0, nil, false
	return json.Marshal(struct {
		Spec           shuffle.Job
		Output         Output
		Folding        input.Folding
		Truth          bool
		LabelsAreNamed bool
		IDs            bool
	}{job, out, folding, h.Job.Truth != nil, h.Labels == LabelsNamed, h.IDs})
}

// foundBy returns what was found before all runs: each message once.
func foundBy(heads []*Head) []checks.Said {
	first := heads[0].Output.Found
	if !slices.ContainsFunc(heads, func(h *Head) bool { return !slices.Equal(h.Output.Found, first) }) {
		return first
	}
	var all []checks.Said
	for _, h := range heads {
		all = append(all, h.Output.Found...)
	}
	slices.SortFunc(all, func(a, b checks.Said) int {
		return strings.Compare(a.Name+"\x00"+a.Message, b.Name+"\x00"+b.Message)
	})
	return slices.Compact(all)
}

// joinLabels finds the labels of all parts: if they were found in the data, the union in its order; otherwise the
// labels of the part with the most, whose order all others must have.
func (all *Joined) joinLabels(heads []*Head, names []string) error {
	vocabularies := collections.Map(heads, func(h *Head) *input.Vocabulary { return &h.Job.Labels })
	if all.Labels != LabelsNamed {
		all.Job.Labels = unionOf(vocabularies)
	} else {
		most := 0
		for i, v := range vocabularies {
			if v.Len() > vocabularies[most].Len() || v.Len() == vocabularies[most].Len() && slices.Compare(v.Names, vocabularies[most].Names) < 0 {
				most = i
			}
		}
		all.Job.Labels = *vocabularies[most]
	}
	all.Relabel = make(map[int][]int32)
	for i, v := range vocabularies {
		places, err := placesIn(&all.Job.Labels, v)
		if err != nil {
			return fmt.Errorf("%s: %w", quote.Line(names[i]), err)
		}
		if places != nil {
			all.Relabel[i] = places
		}
	}
	return all.echoLabels()
}

// unionOf returns the union of labels that were found in data, in the order in which they would have been found in
// all of it: numbers first.
func unionOf(list []*input.Vocabulary) input.Vocabulary {
	var numbers []int64
	var texts []string
	for _, v := range list {
		n, t := v.Found()
		numbers, texts = append(numbers, n...), append(texts, t...)
	}
	slices.Sort(numbers)
	slices.Sort(texts)
	u := input.FoundLabels(slices.Compact(numbers), slices.Compact(texts))
	u.Items = list[0].Items
	return u
}

// placesIn returns the place of each label of a part among all labels, or nil if the part has all of them.
func placesIn(all, part *input.Vocabulary) ([]int32, error) {
	if all.Len() == part.Len() && slices.Equal(all.Names, part.Names) {
		return nil, nil
	}
	if !part.Named() && part.Len() > mostRelabelled {
		return nil, fmt.Errorf("it has %d labels without names, and another report has %d: set num_labels", part.Len(), all.Len())
	}
	places, last := make([]int32, part.Len()), -1
	for label := range places {
		name := part.Name(label)
		at, found := all.Label(name)
		switch {
		case !found:
			return nil, fmt.Errorf("label %s is not among the %d labels of the report with the most labels: labels that are named must be the same, in the same order", quote.Value(name), all.Len())
		case at <= last:
			return nil, fmt.Errorf("label %s follows %s, and in other reports it precedes it: labels must have the same order", quote.Value(name), quote.Value(part.Name(label-1)))
		}
		places[label], last = int32(at), at
	}
	return places, nil
}

// mostRelabelled is the largest number of labels without names that may be fewer than in other parts.
const mostRelabelled = 10_000_000

// mostEchoed is the largest number of labels that a configuration repeats by name.
const mostEchoed = 1000

// echoLabels puts the labels into the configuration, if a part has others.
func (all *Joined) echoLabels() error {
	if all.Labels != LabelsNamed || len(all.Relabel) == 0 {
		return nil
	}
	config, ok := parse(all.Output.Config)
	if !ok {
		return nil
	}
	key, value := "labels", any(all.Job.Labels.Names)
	if n := all.Job.Labels.Len(); all.Job.Labels.Names == nil || n > mostEchoed {
		key, value = "num_labels", n
	}
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	before := -1
	for i, m := range config {
		if slices.Contains([]string{"task", "input", "truth"}, m.key) {
			before = i
		}
	}
	all.Output.Config = slices.Insert(config, before+1, member{key, data}).write()
	return nil
}

// AddSlice adds slices by a column that only the names of the parts have.
func (all *Joined) AddSlice(column string) error {
	for _, set := range all.Job.Slices {
		if len(set) == 1 && set[0].Name() == column {
			return fmt.Errorf("the reports have slices by %s already", quote.Line(column))
		}
	}
	all.Job.Slices = append(slices.Clip(all.Job.Slices), input.Slice{{Column: column}})
	config, ok := parse(all.Output.Config)
	at := slices.IndexFunc(config, func(m member) bool { return m.key == "slices" })
	if !ok || at < 0 {
		return nil
	}
	var sets []json.RawMessage
	if err := json.Unmarshal(config[at].value, &sets); err != nil {
		return nil // not a list of slices, as another program may write it
	}
	name, err := json.Marshal([]string{column})
	if err != nil {
		return err
	}
	data, err := json.Marshal(append(sets, name))
	if err != nil {
		return err
	}
	config[at].value = data
	all.Output.Config = config.write()
	return nil
}
