package curves

import (
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/transforms/internal/element"
)

// Piece is some of what the sweep of a range of scores needs: scores, or totals.
type Piece struct {
	Labels  int             // how many there are
	Entries int             // how many scores, at most
	Tuples  element.Spilled // a sliceTable: tags of scores are tuple·classes + class
	Scores  element.Spilled // a run; see package runs
	Totals  element.Spilled // rangeTotals
}

func pieceFields(c *wire.Coder, p *Piece) {
	wire.Int(c, &p.Labels)
	wire.Int(c, &p.Entries)
	element.SpilledFields(c, &p.Tuples)
	element.SpilledFields(c, &p.Scores)
	element.SpilledFields(c, &p.Totals)
}

// tuples reads the table of the tuples.
func (p *Piece) tuples() (*sliceTable, error) {
	t := new(sliceTable)
	return t, readSpilled(&p.Tuples, t, sliceTableFields)
}

// totals reads the totals.
func (p *Piece) totals() (*rangeTotals, error) {
	t := new(rangeTotals)
	return t, readSpilled(&p.Totals, t, rangeTotalsFields)
}

func readSpilled[T any](s *element.Spilled, v *T, fields func(*wire.Coder, *T)) error {
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
	element.Register(pieceFields)
	register.Iter1[Piece]()
	register.Emitter2[int, Piece]()
}
