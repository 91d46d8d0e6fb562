package transforms

import (
	"context"
	"math"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

// counts says whether the frequencies of labels must be counted in the data
// before they can be evaluated.
func (s *Spec) counts() bool {
	return s.Params.Propensity != nil && s.Labels.Frequencies.Examples == 0
}

// withFrequencies returns the Vocabulary with the frequencies of the labels in the
// examples that will be evaluated: a fold of its own, which leaves out the same bad
// rows. For labels see foldTasks.
func withFrequencies(s beam.Scope, spec Spec, labels beam.PCollection, in input) beam.PCollection {
	s = s.Scope("frequencies")
	spec.Slices = nil
	spec.Params.Propensity = nil
	spec.Params.Curves, spec.Params.Tuning = metrics.NoCurves, nil // nobody would read the scores
	spec.Params.Metrics = []string{"recall"}                       // is made from the counts of true labels
	spec.Params.Decisions = true
	if spec.Columns.Prediction == "" {
		spec.Decision = &Decision{Threshold: math.MaxFloat64} // predictions need no counting
	}
	partials, _ := in.fold(s, spec, labels)
	return beam.ParDo(s, &frequenciesFn{spec}, outcome(s, merged(s, partials), labels))
}

// frequenciesFn counts labels.
type frequenciesFn struct{ Spec Spec }

// ProcessElement returns the labels with their frequencies.
func (f *frequenciesFn) ProcessElement(ctx context.Context, _ int, parts func(*outcomePart) bool) (Vocabulary, error) {
	out, err := readOutcome(&f.Spec, parts)
	if err != nil {
		return Vocabulary{}, marked(err)
	}
	spec := f.Spec.with(out.vocab)
	err = out.each(ctx, &spec, func(_ int, _ slice.Key, p *partial) error {
		out.vocab.Frequencies = metrics.CountLabels(p.stats)
		return nil
	})
	return *out.vocab, marked(err)
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[frequenciesFn]())
}
