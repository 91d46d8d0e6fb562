package metrics

import (
	"math"

	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Digest identifies the examples of a Partial in a few bytes. Two sets of examples with equal
// digests are the same, unless two sums of hashes happen to be equal.
type Digest struct {
	Rows int64
	// Sum is the sum, modulo 2^64, of a hash of the key and the truth of each example. It does not
	// depend on predictions and weights. For the queries of a ranking, only the keys are hashed,
	// because the items depend on what was retrieved.
	Sum uint64
}

// Digest returns the digest of the folded examples, if Params asked for one.
func (p *Partial) Digest() Digest {
	if s, ok := p.stats[kindDigest].(*digest); ok {
		return s.Digest
	}
	return Digest{}
}

// Positives returns the numbers of positive and negative examples of a label or, in a multiclass
// task, of a class, among the examples of the digest. A binary task has only label 0.
func (p *Partial) Positives(label int) (positive, negative int64) {
	s, ok := p.stats[kindDigest].(*digest)
	if !ok {
		return 0, 0
	}
	if n := s.positives.Lookup(uint64(label)); n != nil {
		positive = int64(*n)
	}
	return positive, s.Rows - positive
}

// digest is the statistic of a Digest. It also counts the examples of each label.
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
		switch {
		case b.Target != nil:
			h += hash.Mix(math.Float64bits(b.Target[r] + 0)) // -0 + 0 is 0
		case b.True.Offset != nil:
			for _, label := range b.True.Row(r) {
				s.add(&h, label, uint64(label))
			}
		case b.Class != nil && b.Labels > 1:
			s.add(&h, b.Class[r], uint64(b.Class[r]))
		case b.Class != nil && b.Class[r] == 1:
			s.add(&h, 0, 1)
		}
		s.Sum += hash.Mix(h)
	}
}

// add counts an example with a label, and adds the label to the hash.
func (s *digest) add(h *uint64, label int32, truth uint64) {
	*s.positives.Value(uint64(label))++
	*h += hash.Mix(truth + 1)
}

func (s *digest) visit(v *fields.Visitor, from statistic) {
	f := from.(*digest)
	v.Count(&s.Rows, f.Rows)
	fields.Number(v, &s.Sum, f.Sum, math.MaxUint64)
	s.positives.Fields(v, &f.positives)
}

func (s *digest) fits(p *Params) bool { return s.positives.Below(uint64(max(p.scored(), 1))) }
