package transforms

import (
	"math"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/metrics"
)

// counts says whether the frequencies of labels must be counted in the data
// before they can be evaluated.
func (s *Spec) counts() bool {
	return s.Params.Propensity != nil && s.Labels.Frequencies.Examples == 0
}

// withFrequencies returns the vocabulary with the frequencies of the labels in the
// examples that will be evaluated: a fold of its own, which leaves out the same
// bad rows.
func withFrequencies(s beam.Scope, spec Spec, vocab beam.PCollection, fold folding) beam.PCollection {
	s = s.Scope("frequencies")
	spec.Labels, spec.Slices = Vocabulary{}, nil
	spec.Params.Propensity = nil
	spec.Params.Curves, spec.Params.Tuning = metrics.NoCurves, nil // nobody would read the scores
	spec.Params.Metrics = []string{"recall"}                       // is made from the counts of true labels
	spec.Params.Decisions = true
	if spec.Columns.Prediction == "" {
		spec.Decision = Decision{Threshold: math.MaxFloat64} // predictions need no counting
	}
	partials, _ := fold(s, spec, beam.SideInput{Input: vocab})
	return beam.ParDo(s, frequenciesOf, vocab, beam.SideInput{Input: merged(s, partials)})
}

func frequenciesOf(vocab Vocabulary, overall func(*[]byte, *partial) bool) Vocabulary {
	var key []byte
	var p partial
	for overall(&key, &p) {
		vocab.Frequencies = metrics.CountLabels(p.stats)
	}
	return vocab
}

func init() {
	register.Function2x1(frequenciesOf)
	register.Iter2[[]byte, partial]()
}
