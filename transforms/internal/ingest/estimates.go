package ingest

import (
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics"
)

// unlabelled are the rows of a batch without a label, if these are kept.
type unlabelled struct {
	withoutLabel []bool  // by row; nil if they are bad
	rows         []int32 // the good ones
}

func (u *unlabelled) reset(kept bool, rows int) {
	u.rows = u.rows[:0]
	if kept {
		u.withoutLabel = collections.Resize(u.withoutLabel, rows)
		clear(u.withoutLabel)
	}
}

// Unlabelled returns the good rows of the last batch that have no label.
func (c *Converter) Unlabelled() []int32 { return c.unlabelled.rows }

// estimates are copies of rows without a label.
type estimates struct {
	copies metrics.Batch
	of     []int32
}

// copiedScores is the approximate number of scores in a batch of copies.
const copiedScores = 32 << 10

// Estimates calls each with copies of the good rows of the last batch that have no label; of[i] is
// the row that copy i was made from. A row has a copy for each class. The class is the copy's true
// class, and its probability the copy's weight. So every weighted metric of the copies is the
// expectation that follows from the probabilities (confidence-based performance estimation). copies
// and of are the Converter's, and valid until each returns.
func (c *Converter) Estimates(each func(copies *metrics.Batch, of []int32) error) error {
	b := &c.batch
	classes := max(b.Labels, 2) // of a binary task, b.Labels is 1
	some := max(copiedScores/(classes*b.Labels), 1)
	for rows := range slices.Chunk(c.Unlabelled(), some) {
		c.of = c.of[:0]
		for _, r := range rows {
			for range classes {
				c.of = append(c.of, r)
			}
		}
		c.copies.Gather(b, c.of)
		for i, r := range c.of {
			c.copies.SetClass(i, int32(i%classes), probabilityOf(b, r, i%classes))
		}
		if err := each(&c.copies, c.of); err != nil {
			return err
		}
	}
	return nil
}

// probabilityOf returns the probability that row r has a class.
func probabilityOf(b *metrics.Batch, r int32, class int) float64 {
	if b.Labels > 1 {
		return b.Probability[int(r)*b.Labels+class]
	}
	p := b.Probability[r]
	if class == 0 {
		return 1 - p
	}
	return p
}
