package curves

import (
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/discount"
)

// DCG is the discounted cumulative gain of one ranking of rows, best score
// first, of which positives gain 1 and negatives nothing; the row in place i
// counts 1/log2(i+1) of its gain (Järvelin and Kekäläinen 2002). Rows with equal
// scores share the mean discount of their places (McSherry and Najork 2008), as
// in scikit-learn's ndcg_score with ignore_ties=False. Weights do not matter:
// places count rows. The zero DCG is empty and ready to use.
type DCG struct{ gain exact.Sum }

// Add adds the rows of one score, positives of which are positive, below the
// rows with higher scores.
func (g *DCG) Add(above, rows, positives int64) {
	if above < 0 || rows <= 0 || positives == 0 || above+rows < above {
		return // no rows, or no number of rows
	}
	g.gain.AddProduct(float64(positives), discount.Sum(above, above+rows)/float64(rows))
}

// Merge adds the rows of from, which it leaves as they are.
func (g *DCG) Merge(from *DCG) { g.gain.Merge(&from.gain) }

// Append appends the canonical encoding.
func (g *DCG) Append(dst []byte) []byte { return g.gain.Append(dst) }

// Decode replaces g by what Append wrote.
func (g *DCG) Decode(d *wire.Decoder) { g.gain.Decode(d) }

// NDCG is the gain as a share of that of the best ranking, with all positives,
// of which there are so many, first: within (0, 1]. Without positives it is
// undefined; there scikit-learn returns 0.
func (g *DCG) NDCG(positives int64) Value {
	if positives <= 0 {
		return undefined(noPositives)
	}
	return share(g.gain.Float64(), discount.Sum(0, positives))
}
