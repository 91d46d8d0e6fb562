package preference

// component returns the systems, in increasing order, of the largest strongly connected component of
// the graph in which each win leads from the winner to the loser, and each tie in both directions; or
// of the component of the reference, unless that is -1.
func component(systems int, pairs []Pair, reference int) []int {
	to, from := make([][]int, systems), make([][]int, systems)
	edge := func(winner, loser int) {
		to[winner], from[loser] = append(to[winner], loser), append(from[loser], winner)
	}
	for _, p := range pairs {
		if p.WinsA > 0 || p.Tie > 0 {
			edge(p.A, p.B)
		}
		if p.WinsB > 0 || p.Tie > 0 {
			edge(p.B, p.A)
		}
	}
	connected := func(s int) (set []int) {
		below, above := reached(s, to), reached(s, from)
		for other := range systems {
			if below[other] && above[other] {
				set = append(set, other)
			}
		}
		return set
	}
	if reference >= 0 {
		return connected(reference)
	}
	var largest []int
	met := make([]bool, systems)
	for s := range systems {
		if met[s] {
			continue
		}
		set := connected(s)
		for _, other := range set {
			met[other] = true
		}
		if len(set) > len(largest) {
			largest = set
		}
	}
	return largest
}

// reached reports which systems edges lead to from a system.
func reached(s int, edges [][]int) []bool {
	met := make([]bool, len(edges))
	met[s] = true
	for next := []int{s}; len(next) > 0; {
		last := len(next) - 1
		s, next = next[last], next[:last]
		for _, other := range edges[s] {
			if !met[other] {
				met[other] = true
				next = append(next, other)
			}
		}
	}
	return met
}

// identified reports whether Davidson's model has a finite maximum for systems that are connected and
// have ties. It has none if strengths and ties can grow together without end, so that ever more
// outcomes are the most probable ones: if each winner can be at least one ahead of its loser, and tied
// systems at most one apart. This fails if and only if some cycle has more wins than ties, which
// Bellman and Ford's relaxation finds.
func identified(systems int, pairs []Pair) bool {
	ahead := make([]int, systems) // at least
	for range systems {
		changed := false
		relax := func(winner, loser, by int) {
			if least := ahead[loser] + by; ahead[winner] < least {
				ahead[winner], changed = least, true
			}
		}
		for _, p := range pairs {
			if p.WinsA > 0 {
				relax(p.A, p.B, 1)
			}
			if p.WinsB > 0 {
				relax(p.B, p.A, 1)
			}
			if p.Tie > 0 {
				relax(p.A, p.B, -1)
				relax(p.B, p.A, -1)
			}
		}
		if !changed {
			return false
		}
	}
	return true
}
