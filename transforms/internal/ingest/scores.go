package ingest

import (
	"fmt"
	"math"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
)

// labelScores sets the scores of the labels of a batch, if there are any.
func (c *Converter) labelScores(b *metrics.Batch) {
	labelled := c.by[roles.ScoreLabel].Column != nil
	switch {
	case c.by[roles.Score].Column == nil:
	case labelled && c.spec.Params.Sparse:
		c.sparse(b)
	case labelled && c.spec.CompleteScores:
		c.completeScores(b)
	default:
		c.scores = c.scoresOf(c.scores, &c.by[roles.Score], b.Rows)
		if c.spec.Recalibration != nil {
			c.spec.Recalibration.Apply(c.scores)
		}
		c.setScores(b, c.scores)
	}
}

// scoresOf returns the scores of s, of the model or of a baseline, as a matrix in the memory of out: one for each label, or
// for the positive label alone.
func (c *Converter) scoresOf(out []float64, s *source, rows int) []float64 {
	switch {
	case c.by[roles.ScoreLabel].Column != nil:
		return c.scoresByRow(out, s, rows)
	case c.spec.BothClasses != nil && s.Offsets != nil:
		return c.positiveScores(out, s, rows)
	}
	return c.denseScores(out, s, rows)
}

// setScores sets the column that belongs to the type of the scores.
func (c *Converter) setScores(b *metrics.Batch, scores []float64) {
	b.Score = scores
	switch c.spec.Params.ScoreType {
	case metrics.Probability:
		b.Probability = scores
	case metrics.Logit:
		b.Logit = scores
	}
}

// denseScores returns the scores of s as a matrix, in the memory of out. It rejects rows with a list that
// is null or has another length, and with invalid scores.
func (c *Converter) denseScores(out []float64, s *source, rows int) []float64 {
	width := s.width
	out = collections.Resize(out, rows*width)
	for r := range rows {
		row := out[r*width:][:width]
		if from, ok := c.vector(row, s, r, "scores"); ok && s.Null != nil {
			for v := from; v < from+width; v++ {
				if s.Null[v] {
					c.rejectValue(s, r, v, s.null)
				}
			}
		}
	}
	bounded := bounded(c.spec)
	for i, x := range out {
		if x >= 0 && x <= 1 || !bounded && x == x {
			continue // nearly always
		}
		first, _ := s.span(i / width)
		out[i], _ = c.legal(s, x, i/width, first+i%width)
	}
	return out
}

// positiveScores returns the score of the positive label in each row of s, where both classes have a score, in the memory
// of out. See denseScores for what it rejects.
func (c *Converter) positiveScores(out []float64, s *source, rows int) []float64 {
	both, list := c.spec.BothClasses, *s
	list.width = 2
	c.bothScores = c.denseScores(c.bothScores, &list, rows)
	out = collections.Resize(out, rows)
	for r := range out {
		positive, other := c.bothScores[2*r+both.Positive], c.bothScores[2*r+1-both.Positive]
		if out[r] = positive; bounded(c.spec) {
			continue
		}
		if out[r] -= other; out[r] != out[r] { // of two that are infinite
			c.reject(s, r, fmt.Sprintf("%v and %v", c.bothScores[2*r], c.bothScores[2*r+1]), nanScore)
			out[r] = 0
		}
	}
	return out
}

// vector copies the list of numbers in row r, or clears the copy and rejects the row; see list.
func (c *Converter) vector(out []float64, s *source, r int, what string) (from int, ok bool) {
	if from, ok = c.list(s, r, len(out), what, wrongLength); ok {
		s.copyFloats(out, from)
	} else {
		clear(out)
	}
	return from, ok
}

// legal returns x, which is value v of the scores s, in row r. It clips probabilities outside [0, 1]
// within the tolerance, and rejects invalid scores.
func (c *Converter) legal(s *source, x float64, r, v int) (float64, bool) {
	if x >= 0 && x <= 1 || !bounded(c.spec) && !math.IsNaN(x) {
		return x, true
	}
	return c.clipped(s, x, r, v)
}

// clipped is the slow path of legal.
func (c *Converter) clipped(s *source, x float64, r, v int) (float64, bool) {
	why := notProbability
	switch excess := max(-x, x-1); {
	case math.IsNaN(x):
		why = nanScore
	case excess <= c.spec.ProbabilityTolerance:
		c.found.clip(excess)
		return min(max(x, 0), 1), true
	}
	c.rejectValue(s, r, v, why)
	return x, false
}

// scoreAt returns value v of the scores s, in row r, or rejects the row.
func (c *Converter) scoreAt(s *source, r, v int) (float64, bool) {
	if s.IsNull(v) {
		c.rejectValue(s, r, v, s.null)
		return 0, false
	}
	return c.legal(s, s.Number(v), r, v)
}

// scoresByRow returns the scores of s as a matrix, in the memory of out, if each score was in a row of its
// own with its label. It rejects examples that lack the score of a label.
func (c *Converter) scoresByRow(out []float64, s *source, rows int) []float64 {
	width := s.width
	out = collections.Resize(out, rows*width)
	clear(out)
	for r := range rows {
		from, to := c.by[roles.ScoreLabel].span(r)
		good := c.readLabelled(s, r, to-from)
		switch {
		case !c.distinct(&c.by[roles.ScoreLabel], r) || !good:
		case to-from < width:
			c.reject(&c.by[roles.ScoreLabel], r, fmt.Sprintf("%d labels", to-from), wrongLength)
		default:
			for _, e := range c.labelled.elements {
				out[r*width+int(e.label())] = c.rowScores[e.place()]
			}
		}
	}
	return out
}

// readLabelled reads the n labels and scores s of row r. It returns false if it has rejected one.
func (c *Converter) readLabelled(s *source, r, n int) (good bool) {
	firstLabel, _ := c.by[roles.ScoreLabel].span(r)
	firstScore, _ := s.span(r)
	c.labelled.reset()
	c.rowScores = c.rowScores[:0]
	good = true
	for i := range n {
		label, known := c.label(&c.by[roles.ScoreLabel], r, firstLabel+i)
		score, legal := c.scoreAt(s, r, firstScore+i)
		if good = good && known && legal; known {
			c.labelled.add(label, i)
		}
		c.rowScores = append(c.rowScores, score)
	}
	return good
}

// sparse sets the scores of a batch that has lists of some labels and lists of their scores. It
// rejects rows with lists that are null, have different lengths or name a label twice, and with bad
// labels or scores.
func (c *Converter) sparse(b *metrics.Batch) {
	out := &c.candidates
	out.reset()
	c.scores = c.scores[:0]
	for r := range b.Rows {
		start := len(c.scores)
		if !c.appendSparse(out, r) {
			out.Label, c.scores = out.Label[:start], c.scores[:start]
		}
		out.endRow()
	}
	b.Candidates, b.Score = out.Sets, c.scores
}

// completeScores sets the scores of a batch whose rows have a list of all labels, in any order, and a list of
// their scores. It rejects the same rows as sparse, and those that lack a label.
func (c *Converter) completeScores(b *metrics.Batch) {
	listed := *b // with the sparse scores
	c.sparse(&listed)
	width := c.by[roles.Score].width
	c.complete = collections.Resize(c.complete, b.Rows*width)
	clear(c.complete)
	for r := range b.Rows {
		from, to := listed.Candidates.Offset[r], listed.Candidates.Offset[r+1]
		switch {
		case c.badAt[r] != 0:
		case int(to-from) < width:
			c.reject(&c.by[roles.ScoreLabel], r, fmt.Sprintf("%d labels", to-from), wrongLength)
		default: // in increasing order and without duplicates, so all
			copy(c.complete[r*width:][:width], listed.Score[from:to])
		}
	}
	c.setScores(b, c.complete)
}

// appendSparse appends the labels for which row r has scores, in order, and these scores; or it
// rejects the row.
func (c *Converter) appendSparse(out *setBuilder, r int) bool {
	for _, s := range []*source{&c.by[roles.ScoreLabel], &c.by[roles.Score]} {
		if s.IsNullList(r) {
			c.reject(s, r, "null", nullScores)
			return false
		}
	}
	from, to := c.by[roles.Score].span(r)
	firstLabel, end := c.by[roles.ScoreLabel].span(r)
	if end-firstLabel != to-from {
		c.reject(&c.by[roles.Score], r, fmt.Sprintf("%d labels and %d scores", end-firstLabel, to-from), unequalLists)
		return false
	}
	if !c.readLabelled(&c.by[roles.Score], r, to-from) {
		return false
	}
	list := c.labelled.sorted()
	for i, e := range list {
		if i > 0 && e.label() == list[i-1].label() {
			c.reject(&c.by[roles.ScoreLabel], r, c.nameOf(&c.by[roles.ScoreLabel], e.label()), duplicateLabel)
			return false
		}
		out.Label = append(out.Label, e.label())
		c.scores = append(c.scores, c.rowScores[e.place()])
	}
	return true
}

// setTruthOfScores marks the scores whose labels are true.
func setTruthOfScores(b *metrics.Batch) {
	b.Truth = collections.Resize(b.Truth, len(b.Score))
	clear(b.Truth)
	for r := range b.Rows {
		truth := b.True.Row(int32(r))
		if b.Candidates.Offset == nil {
			for _, label := range truth {
				b.Truth[r*b.Labels+int(label)] = true
			}
			continue
		}
		from := b.Candidates.Offset[r]
		for i, label := range b.Candidates.Row(int32(r)) {
			for len(truth) > 0 && truth[0] < label {
				truth = truth[1:]
			}
			b.Truth[int(from)+i] = len(truth) > 0 && truth[0] == label
		}
	}
}
