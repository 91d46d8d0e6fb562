package transforms

import "iter"

// grouping groups the rows of a batch by cell.
type grouping struct {
	count  []int32 // of each cell; all zero between calls
	met    []int32
	sorted []int32
}

// by yields each cell among the rows, in order of appearance, with its rows in
// order. What it yields is valid until the next call.
func (g *grouping) by(cells, rows []int32) iter.Seq2[int32, []int32] {
	return func(yield func(int32, []int32) bool) {
		g.met = g.met[:0]
		for _, r := range rows {
			cell := cells[r]
			for int(cell) >= len(g.count) {
				g.count = append(g.count, 0)
			}
			if g.count[cell] == 0 {
				g.met = append(g.met, cell)
			}
			g.count[cell]++
		}
		if len(g.met) == 1 {
			g.count[g.met[0]] = 0
			yield(g.met[0], rows)
			return
		}
		g.sorted = append(g.sorted[:0], make([]int32, len(rows))...)
		start := int32(0)
		for _, cell := range g.met {
			n := g.count[cell]
			g.count[cell] = start
			start += n
		}
		for _, r := range rows {
			cell := cells[r]
			g.sorted[g.count[cell]] = r
			g.count[cell]++
		}
		start = 0
		for i, cell := range g.met {
			end := g.count[cell]
			g.count[cell] = 0
			if !yield(cell, g.sorted[start:end]) {
				for _, rest := range g.met[i+1:] {
					g.count[rest] = 0
				}
				return
			}
			start = end
		}
	}
}
