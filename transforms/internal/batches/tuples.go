package batches

import "iter"

// Grouping groups the rows of a batch by tuple, or by other small numbers.
type Grouping struct {
	count  []int32 // by tuple; all zero between calls
	met    []int32
	sorted []int32
}

// Met returns the tuples of the rows, in order of first occurrence. They are valid until the next call.
func (g *Grouping) Met(tuples, rows []int32) []int32 {
	g.tally(tuples, rows)
	for _, tuple := range g.met {
		g.count[tuple] = 0
	}
	return g.met
}

// tally counts the rows of each tuple.
func (g *Grouping) tally(tuples, rows []int32) {
	g.met = g.met[:0]
	for _, r := range rows {
		tuple := tuples[r]
		for int(tuple) >= len(g.count) {
			g.count = append(g.count, 0)
		}
		if g.count[tuple] == 0 {
			g.met = append(g.met, tuple)
		}
		g.count[tuple]++
	}
}

// By yields the tuples of the rows, in order of first occurrence, each with its rows in order. The
// rows are valid until the next call.
func (g *Grouping) By(tuples, rows []int32) iter.Seq2[int32, []int32] {
	return func(yield func(int32, []int32) bool) {
		g.tally(tuples, rows)
		if len(g.met) == 1 {
			g.count[g.met[0]] = 0
			yield(g.met[0], rows)
			return
		}
		g.sorted = append(g.sorted[:0], make([]int32, len(rows))...)
		start := int32(0)
		for _, tuple := range g.met {
			n := g.count[tuple]
			g.count[tuple] = start
			start += n
		}
		for _, r := range rows {
			tuple := tuples[r]
			g.sorted[g.count[tuple]] = r
			g.count[tuple]++
		}
		start = 0
		for i, tuple := range g.met {
			end := g.count[tuple]
			g.count[tuple] = 0
			if !yield(tuple, g.sorted[start:end]) {
				for _, rest := range g.met[i+1:] {
					g.count[rest] = 0
				}
				return
			}
			start = end
		}
	}
}
