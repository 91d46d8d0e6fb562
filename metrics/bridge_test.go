package metrics

import (
	"testing"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Bridge gives tests of this package what is in package metricstest, which imports it.
func Bridge(takeRows func(*Batch, []int32) *Batch, laws func(testing.TB, func(*Params) Statistic, *Params, *Batch)) {
	take = takeRows
	holdLaws = func(t testing.TB, empty func(*Params) statistic, p *Params, b *Batch) {
		t.Helper()
		laws(t, func(p *Params) Statistic { return lawful{empty(p)} }, p, b)
	}
}

// lawful turns a statistic of the table into one that can be tested alone.
type lawful struct{ statistic }

func (s lawful) code(c *wire.Coder, _ *lawful) { s.visit(fields.Coding(c), s.statistic) }

func (s lawful) Merge(from Statistic) { s.visit(fields.Merging(), from.(lawful).statistic) }
func (s lawful) Reset()               { s.visit(fields.Emptying(), s.statistic) }

func (s lawful) Append(dst []byte) []byte {
	dst, err := wire.Append(dst, &s, s.code)
	if err != nil {
		panic(err)
	}
	return dst
}

// Decode decodes all that is left.
func (s lawful) Decode(d *Decoder) {
	if err := wire.Decode(d.Bytes(d.Len()), &s, s.code); err != nil {
		d.Fail("%w", err)
	}
}
