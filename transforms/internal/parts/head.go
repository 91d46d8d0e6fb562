package parts

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/checks"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/lanes"
)

// Head says what the statistics of a file are of.
type Head struct {
	Job    shuffle.Job // as Kept returns it
	Output Output
	Labels Labels // of Job: where they are from
	// Suppressed has the hashes of the keys of slices that are left out because they have fewer than MinSupport
	// examples, ascending: these slices are left out of what is merged, too.
	Suppressed []uint64 `json:",omitempty"`
	MinSupport int64    `json:",omitempty"`
	// Scores says that the scores are kept, from which exact curves are traced; Knots is what ranges.Kept has.
	Scores bool     `json:",omitempty"`
	Knots  []uint64 `json:",omitempty"`
	// IDs says that the hashes of the ids of all examples are kept.
	IDs bool `json:",omitempty"`
	// QueryIDs is the kind of the ids of queries in per_query.parquet, which the report has; 0 if it has no such file.
	QueryIDs slice.Kind `json:",omitempty"`
	// Folding says how intervals of all parts are computed.
	Folding input.Folding
	// LeftOut names what the report has and the file has not, as people read it. Inexact are the metrics among it that
	// need exact curves: a merged report, whose curves are bounded, never had them.
	// Exact says that the report has exact curves.
	LeftOut []string `json:",omitempty"`
	Inexact []string `json:",omitempty"`
	Exact   bool     `json:",omitempty"`
}

// Labels says where labels are from.
type Labels int

// Labels that were found in the data may be others in other data: before the run by planning, or only by the run.
const (
	LabelsNamed Labels = iota
	LabelsPlanned
	LabelsFound
)

// Output says what a report has besides metrics.
type Output struct {
	Config      json.RawMessage `json:",omitempty"` // the effective configuration
	Formats     []report.Format `json:",omitempty"`
	JSONRows    int             `json:",omitempty"`
	Checks      checks.Options
	Found       []checks.Said `json:",omitempty"` // before the run
	FoundByName bool          `json:",omitempty"`
	Gates       []report.Gate `json:",omitempty"`
}

// Complete completes a head that has all but Job and what follows from it: job is the settled spec, as it was before
// the labels were known, and vocab has the labels.
func (h *Head) Complete(job shuffle.Job, vocab *input.Vocabulary) {
	if !h.Scores {
		h.Exact = job.Params.Curving()
		job.Params, h.Inexact = job.Params.Bounded()
	}
	h.Output.Checks.Unmade = nil // they follow from what a report is made of
	slices.Sort(h.LeftOut)
	h.LeftOut = slices.Compact(h.LeftOut)
	h.IDs = h.IDs || job.KeepIDs
	h.Job = kept(job, vocab)
}

// singleQueries is left out if it cannot be merged.
const singleQueries = "metrics of single queries"

// LoseQueries says that the file of single queries is not there.
func (h *Head) LoseQueries() {
	h.QueryIDs, h.LeftOut = slice.KindNull, append(h.LeftOut, singleQueries)
}

// Leave leaves out what a report of predictions has, and what cannot be merged.
func (h *Head) Leave(job *shuffle.Job) {
	for _, one := range []struct {
		there bool
		what  string
	}{
		{job.Search != nil, "the search for the worst slices"},
		{h.makes(checks.DuplicateExamples, job) && job.CountsIDs(), "check " + checks.DuplicateExamples + ", which needs ids"},
		{h.makes(checks.Overlap, job) && job.Training != nil, "check " + checks.Overlap + ", which needs ids and the training data"},
		{compare(h.Output.Gates), baselineOfGates},
	} {
		if one.there {
			h.LeftOut = append(h.LeftOut, one.what)
		}
	}
	var found []checks.Said
	for _, said := range h.Output.Found {
		if slices.Contains(checks.Unmerged(), said.Name) {
			h.LeftOut = append(h.LeftOut, "check "+said.Name+", which is of the files of a report")
		} else {
			found = append(found, said)
		}
	}
	h.Output.Found = found
}

const baselineOfGates = "the baseline of gates, so that gates on change are unknown"

func compare(gates []report.Gate) bool {
	return slices.ContainsFunc(gates, func(g report.Gate) bool { return g.Compares() })
}

// WithGates returns what is left out of a report with other gates.
func WithGates(leftOut []string, gates []report.Gate) []string {
	leftOut = slices.DeleteFunc(slices.Clone(leftOut), func(what string) bool { return what == baselineOfGates })
	if compare(gates) {
		leftOut = append(leftOut, baselineOfGates)
	}
	return leftOut
}

// makes reports whether the report makes a check.
func (h *Head) makes(check string, job *shuffle.Job) bool {
	return !slices.Contains(h.Output.Checks.Off, check) && checks.MadeFor(check, job.Params.Task)
}

// kept returns the part of a job on which metrics depend.
func kept(job shuffle.Job, vocab *input.Vocabulary) shuffle.Job {
	s := &job.Spec
	s.Labels = input.Vocabulary{Count: vocab.Len(), Numbers: vocab.Numbers, Frequencies: vocab.Frequencies, Items: input.ItemFrequencies{Head: vocab.Items.Head}}
	if vocab.Named() {
		s.Labels.Names = make([]string, vocab.Len())
		for label := range s.Labels.Names {
			s.Labels.Names[label] = vocab.Name(label)
		}
		s.Labels.Count = 0
	}
	s.Params.Labels = 0
	s.Search, s.PerQuery, s.ItemFiles, s.Training = nil, false, nil, nil
	s.KeepIDs = false
	s.Long, s.Shuffled, s.Encoding, s.BothClasses, s.CompleteScores = false, false, "", nil, false
	s.RangeBytes, s.Goroutines, s.Division, s.TempDir, s.MaxExampleRows = 0, 0, lanes.Division{}, "", 0
	job.Constants, job.Pass, job.Windowed = shuffle.Constants{}, shuffle.Pass{}, false
	return job
}

// check returns an error if a head is none that this program writes, and leaves nothing in it that a merge would not keep.
func (h *Head) check() error {
	labels := &h.Job.Labels
	switch {
	case labels.File != "":
		return errors.New("labels in another file")
	case labels.Count < 0 || labels.Count > math.MaxInt32:
		return fmt.Errorf("%d labels", labels.Count)
	case h.QueryIDs > slice.KindString:
		return fmt.Errorf("queries with ids of unknown kind %d", h.QueryIDs)
	case h.Scores != h.Job.Params.Curving():
		return errors.New("exact curves without scores")
	case h.Labels < LabelsNamed || h.Labels > LabelsFound:
		return fmt.Errorf("labels of unknown origin %d", h.Labels)
	}
	if c := h.Job.Confidence; c != nil && (len(c.Each) > shuffle.MostFolds || !slices.IsSorted(c.Each)) {
		return fmt.Errorf("%d values that are a fold each", len(c.Each))
	}
	h.Job = kept(h.Job, labels)
	return nil
}

// CannotTravel returns why the statistics of a job, with its scores or without, cannot be merged with others, or "".
func CannotTravel(job *shuffle.Job, scores bool) string {
	p := &job.Params
	bounded, leftOut := p.Bounded()
	switch {
	case job.KeepIDs && job.KeepsUnlabelled():
		return "ids are not kept together with estimates for rows without a label, because labels that come late would change these: leave statistics.ids out"
	case job.KeepIDs && job.Columns.Example == "" && !job.DividesByID():
		return "there are no ids to keep: set input.columns.example, or leave statistics.ids out"
	case scores && (job.Columns.Weight != "" || p.TunesCosts()):
		return "scores of examples with weights or costs are not kept: leave statistics.curves out"
	case job.Sampling != nil:
		return "rows that were drawn with known probabilities are one sample, and strata of other reports have others: leave output.statistics out, and evaluate all rows at once"
	case slices.ContainsFunc(job.Slices, divided):
		return "slices of quantiles are divided where the numbers of each part say, so that two parts have different ones: use bins"
	case p.Propensity != nil && job.Labels.Frequencies.Examples == 0:
		return "propensities of labels are counted in the evaluated data, so that two parts have different ones: take the frequencies of labels from a file"
	case scores:
		return ""
	case p.Quantiles:
		return "calibration bins of equal weight need all scores in order: use bins of equal width"
	case p.TunesCosts() && p.Curves == metrics.ExactCurves:
		return "thresholds that are tuned for the costs of each example need exact curves, which cannot be merged: tune them for another criterion"
	case len(leftOut) > 0 && len(bounded.Metrics) == 0:
		return "all metrics need exact curves, which cannot be merged: name others"
	}
	return ""
}

// divided reports whether a set of slices has quantiles.
func divided(set input.Slice) bool {
	return slices.ContainsFunc(set, func(c input.SliceColumn) bool { return c.Quantiles > 0 })
}
