package metrics

import "testing"

// Bridge gives tests of this package what is in package metricstest, which imports it.
func Bridge(takeRows func(*Batch, []int32) *Batch, laws func(testing.TB, func(*Params) Statistic, *Params, *Batch)) {
	take = takeRows
	holdLaws = func(t testing.TB, empty func(*Params) statistic, p *Params, b *Batch) {
		t.Helper()
		laws(t, func(p *Params) Statistic { return empty(p) }, p, b)
	}
}
