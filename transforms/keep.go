package transforms

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/parts"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Statistics says what the statistics of a report, in statistics.bin, are of. From the statistics of several reports,
// [Merge] makes the report of all their data.
type Statistics struct {
	// Config is the effective configuration with bounded curves, if Output.Config has exact ones.
	Config json.RawMessage `json:",omitempty"` // which is not null on workers
	// LabelsFound says that the labels of the Spec were found in the data.
	LabelsFound bool
	// MinSupport leaves out slices with fewer examples; Suppressed has the hashes of those that are left out of the
	// reports that were merged into this one.
	MinSupport int64
	Suppressed []uint64
	// Exact keeps all scores, from which exact curves of all data are traced. Without it, what is merged has bounded
	// curves.
	Exact bool
	// IDsOf are the files with the ids of a merged report; see Spec.KeepIDs.
	IDsOf []parts.Part
	// Folding says how intervals of all data are computed, if Confidence.Folds was not given.
	Folding input.Folding
	// LeftOut names what reports had that were merged into this one, and it has not.
	LeftOut []string
}

// CheckStatistics returns an error if the statistics of a spec cannot be merged with others. With exact curves, they
// need either Statistics.Exact, which exact sets, or Params.Portable.
func CheckStatistics(spec *Spec, exact bool) error {
	curving := spec.Params.Curving()
	if why := parts.CannotTravel(&shuffle.Job{Spec: *spec}, exact && curving); why != "" {
		return errors.New(why)
	}
	if curving && exact == spec.Params.Portable {
		return errors.New("exact curves cannot be merged: set either Params.Portable, so that bounded ones are kept, or Statistics.Exact, so that scores are")
	}
	return nil
}

// statistics returns what writes statistics.bin, or nil if it is not written.
func (out *evaluable) statistics(ctx context.Context, f *writeFn) (func(io.Writer) error, error) {
	spec, o := &f.Spec, &f.Output
	if o.Statistics == nil {
		return nil, nil
	}
	if err := CheckStatistics(&spec.Spec, o.Statistics.Exact); err != nil {
		return nil, fmt.Errorf("statistics: %w", err)
	}
	config := o.Config
	if o.Statistics.Config != nil {
		config = o.Statistics.Config
	}
	labels := parts.LabelsNamed
	switch {
	case !f.Known:
		labels = parts.LabelsFound
	case o.Statistics.LabelsFound:
		labels = parts.LabelsPlanned
	}
	scores := o.Statistics.Exact && spec.Params.Curving()
	head := &parts.Head{Labels: labels, Scores: scores, IDs: len(o.Statistics.IDsOf) > 0, Folding: o.Statistics.Folding, LeftOut: slices.Clone(o.Statistics.LeftOut), Output: parts.Output{
		Config: config, Formats: o.Formats, JSONRows: o.JSONRows, Checks: o.Checks, Found: o.Found, FoundByName: o.FoundByName, Gates: o.Gates,
	}}
	if o.Merged == nil {
		head.Leave(&spec.Job)
	}
	head.Complete(spec.Job, out.vocab)
	if err := out.keepQueries(head); err != nil {
		return nil, err
	}
	if err := out.vocab.Err(); err != nil {
		return nil, err
	}
	list, err := out.keptSlices(head, o.Statistics)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error {
		kept, err := out.keptScores(head)
		if err != nil {
			return err
		}
		to := parts.NewWriter(w)
		to.Head(head)
		if err := out.writeIDs(ctx, to, o.Statistics.IDsOf); err != nil {
			return err
		}
		for _, s := range list {
			p, err := shuffle.DecodePartial(s.partial)
			if err != nil {
				return err
			}
			out.travel(&p, scores)
			to.Slice(s.encoded, &p)
		}
		if scores {
			to.Scores(kept)
		}
		return to.End()
	}, nil
}

// keepQueries says in a head which queries the report has, each with its metrics.
func (out *evaluable) keepQueries(head *parts.Head) error {
	all := out.overall()
	if !out.spec.PerQuery || all == nil {
		return nil
	}
	p, err := shuffle.DecodePartial(all.partial)
	if err != nil || len(p.Queries) == 0 {
		return err
	}
	list, err := fold.ReadQueries(p.Queries[:1])
	if err != nil || len(list) == 0 {
		return err
	}
	head.QueryIDs = list[0].ID.Kind()
	return nil
}

// writeIDs writes the ids of all examples, if they are kept: of merged parts, or of the data.
func (out *evaluable) writeIDs(ctx context.Context, to *parts.Writer, of []parts.Part) error {
	if len(of) > 0 {
		_, err := parts.JoinIDs(ctx, of, to.ID)
		return err
	}
	all := out.overall()
	if all == nil {
		return nil
	}
	p, err := shuffle.DecodePartial(all.partial)
	if err != nil || p.Met == nil {
		return err
	}
	for _, id := range p.Met.Sorted() {
		to.ID(id)
	}
	return nil
}

// keptScores returns the scores that a file with this head keeps, or nil, and adds their knots to the head.
func (out *evaluable) keptScores(head *parts.Head) (*ranges.Kept, error) {
	if !head.Scores {
		return nil, nil
	}
	kept, err := ranges.Keep(&out.spec.Params, out.spec.RangeBytes, out.scores, func(key string) bool {
		_, left := slices.BinarySearch(head.Suppressed, parts.KeyHash([]byte(key)))
		return left
	})
	if err != nil {
		return nil, err
	}
	head.Knots = kept.Knots
	return kept, nil
}

// keptSlice is a slice with its encoded key and partial.
type keptSlice struct{ encoded, partial []byte }

// keptSlices returns the slices that have rows and enough examples, with their baselines, by their encoded keys. It
// adds to the head those that have too few.
func (out *evaluable) keptSlices(head *parts.Head, o *Statistics) (list []keptSlice, err error) {
	head.MinSupport, head.Suppressed = o.MinSupport, slices.Clone(o.Suppressed)
	for _, s := range out.slices {
		key := s.key.AppendBinary(nil)
		if few, err := s.fewerThan(o.MinSupport); err != nil {
			return nil, err
		} else if few {
			head.Suppressed = append(head.Suppressed, parts.KeyHash(key))
		} else if !s.added {
			list = append(list, keptSlice{key, s.partial})
		}
	}
	slices.Sort(head.Suppressed)
	head.Suppressed = slices.Compact(head.Suppressed)
	for key, s := range out.before {
		if _, left := slices.BinarySearch(head.Suppressed, parts.KeyHash([]byte(key))); left {
			continue
		}
		list = append(list, keptSlice{[]byte(shuffle.OfBaseline(key)), s.partial})
	}
	slices.SortFunc(list, func(a, b keptSlice) int { return bytes.Compare(a.encoded, b.encoded) })
	return list, nil
}

// fewerThan reports whether a slice, but not the overall one, has fewer examples.
func (s *sliceStatistics) fewerThan(least int64) (bool, error) {
	if least == 0 || s.added || len(s.key) == 0 {
		return false, nil
	}
	p, err := shuffle.DecodePartial(s.partial)
	if err != nil {
		return false, err
	}
	n := p.Stats.Examples()
	for _, g := range p.Folds {
		if g.Stats != nil {
			n += g.Stats.Examples()
		}
	}
	return n < least, nil
}

// travel leaves in a partial what can be merged; scores says that the curves are traced again, from all scores.
func (out *evaluable) travel(p *shuffle.Partial, scores bool) {
	travelling := out.spec.Params.Travelling
	if scores {
		travelling = (*metrics.Partial).Untraced
	}
	p.Stats = travelling(p.Stats)
	p.Folds = slices.DeleteFunc(p.Folds, func(g shuffle.Fold) bool { return g.Stats == nil })
	for i := range p.Folds {
		p.Folds[i].Stats = travelling(p.Folds[i].Stats)
	}
	p.Counts.Sample, p.Counts.Failed, p.Counts.Rows = nil, nil, 0
}
