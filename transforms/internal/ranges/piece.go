package ranges

import (
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Piece is a part of the input for one range of scores: scores, or totals.
type Piece struct {
	Range   int
	Labels  int             // the number of labels; 0 in totals
	Entries int             // the number of scores, at most
	Tuples  shuffle.Spilled // a sliceTable; the tags of the scores are tuple·classes + class
	Scores  shuffle.Spilled // a run; see package scoreruns
	Totals  shuffle.Spilled // rangeTotals
}

// PieceFields lists the fields of a piece for a coder.
func PieceFields(c *wire.Coder, p *Piece) {
	wire.Int(c, &p.Range)
	wire.Int(c, &p.Labels)
	wire.Int(c, &p.Entries)
	shuffle.SpilledFields(c, &p.Tuples)
	shuffle.SpilledFields(c, &p.Scores)
	shuffle.SpilledFields(c, &p.Totals)
}

// tuples decodes the table of the tuples.
func (p *Piece) tuples() (*sliceTable, error) {
	t := new(sliceTable)
	return t, readSpilled(&p.Tuples, t, sliceTableFields)
}

// totals decodes the totals.
func (p *Piece) totals() (*rangeTotals, error) {
	t := new(rangeTotals)
	return t, readSpilled(&p.Totals, t, rangeTotalsFields)
}

func readSpilled[T any](s *shuffle.Spilled, v *T, fields func(*wire.Coder, *T)) error {
	data, err := s.Read()
	if err != nil {
		return err
	}
	if err := wire.Decode(data, v, fields); err != nil {
		return fmt.Errorf("decoding a range of scores: %w", err)
	}
	return nil
}

func init() {
	shuffle.Register(PieceFields)
	register.Iter1[Piece]()
	register.Emitter2[int, Piece]()
}
