package ingest

import (
	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/metrics"
)

// estimates are the rows of a batch without a label.
type estimates struct {
	unlabelled []bool // by row
	estimated  []int32
	copies     metrics.Batch
	of         []int32
}

func (e *estimates) reset(wanted bool, rows int) {
	e.estimated = e.estimated[:0]
	if wanted {
		e.unlabelled = lists.Resize(e.unlabelled, rows)
		clear(e.unlabelled)
	}
}

// copiedScores is the approximate number of scores in a batch of copies.
const copiedScores = 32 << 10

// Estimates calls each with copies of the good rows of the last batch that have no label, and with
// the row of which each is a copy. There is a copy for each class: the true class of the copy, which
// is weighted by the probability of the class. So every weighted metric of the copies is the
// expectation that follows from the probabilities (confidence-based performance estimation). Both
// are valid until each returns.
func (c *Converter) Estimates(each func(copies *metrics.Batch, of []int32) error) error {
	b := &c.batch
	classes := max(b.Labels, 2) // of a binary task, b.Labels is 1
	some := max(copiedScores/(classes*b.Labels), 1)
	for from := 0; from < len(c.estimated); from += some {
		rows := c.estimated[from:min(from+some, len(c.estimated))]
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
