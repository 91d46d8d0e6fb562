package allocation

import "math"

// Cell is a stratum before small ones are merged.
type Cell struct {
	// Group is a number of what the cell has in common with others, besides the judge's grades.
	Group int
	Grades
}

// Merge merges cells of fewer rows than [Least], the smallest first, each with the cell whose mean grade is nearest: one of its group or, if
// there is none, any other. It returns the members of each stratum, whose first is the first of the cells, in the order of the cells. The result depends only on the order of the cells.
func Merge(cells []Cell) (strata [][]int) {
	left := make([]merged, len(cells))
	for i, c := range cells {
		left[i] = merged{c, []int{i}}
	}
	for len(left) > 1 {
		small := smallest(left)
		if left[small].Rows >= Least {
			break
		}
		to := nearest(left, small)
		first, last := min(small, to), max(small, to)
		group := left[to].Group
		left[first] = merged{Cell{group, left[first].Plus(left[last].Grades)}, append(left[first].members, left[last].members...)}
		left = append(left[:last], left[last+1:]...)
	}
	for _, m := range left {
		strata = append(strata, m.members)
	}
	return strata
}

// merged is cells that were merged.
type merged struct {
	Cell
	members []int
}

// smallest returns the first of the cells with the fewest rows.
func smallest(cells []merged) (at int) {
	for i := range cells {
		if cells[i].Rows < cells[at].Rows {
			at = i
		}
	}
	return at
}

// nearest returns the cell with which a small one is merged.
func nearest(cells []merged, small int) (at int) {
	best, inGroup := math.Inf(1), false
	for i := range cells {
		same := cells[i].Group == cells[small].Group
		apart := math.Abs(cells[i].Mean - cells[small].Mean)
		if i != small && (same && !inGroup || same == inGroup && apart < best) {
			at, best, inGroup = i, apart, same
		}
	}
	return at
}
