package synthetic

import (
	"math"

	"github.com/parquet-go/parquet-go"
)

// Outcomes of comparisons, as batch.truth has them.
const (
	firstWins int32 = iota
	secondWins
	tie
)

var outcomeNames = []parquet.Value{
	parquet.ByteArrayValue([]byte("model_a")), parquet.ByteArrayValue([]byte("model_b")), parquet.ByteArrayValue([]byte("tie")),
}

// battles is the model of task preference: any two systems are compared, and one comparison in five is
// a tie. Otherwise, the odds of a system are proportional to its number, from 1, to the power -1/2.
type battles struct {
	systems               int
	first, second, winner stream
}

func (s *Spec) battles() *battles {
	draws := func(purpose string) stream { return newStream(s.Seed, purpose) }
	return &battles{systems: s.Labels, first: draws("first"), second: draws("second"), winner: draws("winner")}
}

// pair returns the two systems of a row.
func (m *battles) pair(row int64) (a, b int) {
	a = int(m.first.uniform(row) * float64(m.systems))
	b = int(m.second.uniform(row) * float64(m.systems-1))
	if b >= a {
		b++
	}
	return a, b
}

func (m *battles) fill(b *batch) {
	const ties = 0.2
	strength := func(system int) float64 { return 1 / math.Sqrt(float64(system+1)) }
	for i, row := range b.rows {
		first, second := m.pair(row)
		share := strength(first) / (strength(first) + strength(second))
		switch u := m.winner.uniform(row); {
		case u < ties:
			b.truth.class[i] = tie
		case u < ties+float64((1-ties)*share):
			b.truth.class[i] = firstWins
		default:
			b.truth.class[i] = secondWins
		}
	}
}

// columns returns the columns of the systems and of the outcome.
func (m *battles) columns() []column {
	names, text := numbered("system", m.systems), dictionary(parquet.String())
	return []column{
		perRow("model_a", text, func(b *batch, i int) parquet.Value {
			first, _ := m.pair(b.rows[i])
			return names[first]
		}),
		perRow("model_b", text, func(b *batch, i int) parquet.Value {
			_, second := m.pair(b.rows[i])
			return names[second]
		}),
		perRow("winner", text, func(b *batch, i int) parquet.Value { return outcomeNames[b.truth.class[i]] }),
	}
}
