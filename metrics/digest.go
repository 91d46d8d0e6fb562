package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// examples counts all examples, with their weight, and the examples of weight 0.
type examples struct {
	all        exact.Tally
	weightless int64
}

func (s *examples) Fold(b *Batch, rows []int32) {
	if b.Weight == nil {
		s.all.AddOnes(int64(len(rows)))
		return
	}
	var weights [blockOfRows]float64
	for block := range slices.Chunk(rows, blockOfRows) {
		for i, r := range block {
			weights[i] = b.Weight[r]
			if weights[i] == 0 {
				s.weightless++
			}
		}
		s.all.AddAll(weights[:len(block)])
	}
}

func (s *examples) visit(v *fields.Visitor, from statistic) {
	f := from.(*examples)
	fields.Visit(v, &s.all, &f.all)
	v.Count(&s.weightless, f.weightless)
}
func (s *examples) fits(*Params) bool { return true }

// Digest identifies the examples of a Partial in a few bytes. Two sets of examples with equal
// digests are the same, unless two sums of hashes happen to be equal.
type Digest struct {
	Rows int64
	// Sum is the sum, modulo 2^64, of a hash of the key and the truth of each example. It does not
	// depend on predictions and weights. For the queries of a ranking and for grades and ratings, only the keys are
	// hashed, because the items depend on what was retrieved, and grades and ratings are the result.
	Sum uint64
}

// Digest returns the digest of the folded examples, if Params asked for one.
func (p *Partial) Digest() Digest {
	if s, ok := p.stats[kindDigest].(*digest); ok {
		return s.Digest
	}
	return Digest{}
}

// Positives returns the numbers of positive and negative examples with weight of a label or, in a multiclass
// task, of a class, among the examples of the digest. A binary task has only label 0.
func (p *Partial) Positives(label int) (positive, negative int64) {
	s, ok := p.stats[kindDigest].(*digest)
	if !ok {
		return 0, 0
	}
	if n := s.positives.Lookup(uint64(label)); n != nil {
		positive = int64(*n)
	}
	return positive, p.Weighty() - positive
}

// digest is the statistic of a Digest. It also counts the examples of each label that have weight.
type digest struct {
	Digest
	positives fields.Keyed[rowCount, *rowCount]
}

// rowCount is a number of rows.
type rowCount int64

func (n *rowCount) Empty() bool                              { return *n == 0 }
func (n *rowCount) Fields(v *fields.Visitor, from *rowCount) { v.Count((*int64)(n), int64(*from)) }

func (s *digest) Fold(b *Batch, rows []int32) {
	s.Rows += int64(len(rows))
	for _, r := range rows {
		h := hash.Mix(b.Key[r])
		weighty := b.weight(r) != 0
		add := func(label int32, truth uint64) {
			if weighty {
				*s.positives.Value(uint64(label))++
			}
			h += hash.Mix(truth + 1)
		}
		switch {
		case b.Target != nil:
			h += hash.Mix(math.Float64bits(b.Target[r] + 0)) // -0 + 0 is 0
		case b.True.Offset != nil:
			for _, label := range b.True.Row(r) {
				add(label, uint64(label))
			}
		case b.Outcome != nil:
			h += hash.Mix(uint64(b.Outcome[r]) + 1)
			add(b.First[r], uint64(b.First[r]))
			h = hash.Mix(h) // the order of both counts
			add(b.Second[r], uint64(b.Second[r]))
		case b.RatingOffset != nil: // a rating is a result
			for _, rater := range b.Rater[b.RatingOffset[r]:b.RatingOffset[r+1]] {
				if weighty {
					*s.positives.Value(uint64(rater))++
				}
			}
		case b.Class != nil && b.Labels > 1:
			add(b.Class[r], uint64(b.Class[r]))
		case b.Class != nil && b.Class[r] == 1:
			add(0, 1)
		}
		s.Sum += hash.Mix(h)
	}
}

// foldUnlabelled adds rows without a label.
func (s *digest) foldUnlabelled(b *Batch, rows []int32) {
	s.Rows += int64(len(rows))
	for _, r := range rows {
		s.Sum += hash.Mix(hash.Mix(b.Key[r]) + unlabelledRow)
	}
}

// unlabelledRow tells the digest of a row without a label from digests of rows with one.
const unlabelledRow = 0x9e3779b97f4a7c15

func (s *digest) visit(v *fields.Visitor, from statistic) {
	f := from.(*digest)
	v.Count(&s.Rows, f.Rows)
	fields.Number(v, &s.Sum, f.Sum, math.MaxUint64)
	s.positives.Fields(v, &f.positives)
}

func (s *digest) fits(p *Params) bool { return s.positives.Below(uint64(max(p.scored(), 1))) }

func (s *digest) relabelled(to []int32, _ int) statistic {
	more := &digest{Digest: Digest{Rows: s.Rows, Sum: hash.Mix(s.Sum ^ uint64(len(to)))}}
	more.positives = s.positives.Rekeyed(func(label uint64) uint64 { return uint64(to[label]) })
	return more
}

// tally is an exact.Tally in a Keyed: it counts the rows of a key.
type tally struct{ exact.Tally }

func (t *tally) Fields(v *fields.Visitor, from *tally) { fields.Visit(v, &t.Tally, &from.Tally) }

// numberOfRows evaluates the number of examples, whatever their weights.
var numberOfRows = evaluator{from: kindExamples, overall: func(e *evaluation, _ choice) Value {
	return defined(float64(e.partial.Examples()))
}}
