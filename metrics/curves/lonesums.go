package curves

// loneSums are what the lone positives of a chunk add to areas: those of weight 1 that have their score for
// themselves, where all weights are whole. Most positives are like that. Each of them adds the FP there, less
// the FP at the start of the chunk, to every curve but that without its own group. An addition for each curve
// would take long. So there are one sum for all curves and, for each, what it differs by. Sums are right
// modulo 2^64, and areas are below that.
type loneSums struct {
	positives uint64   // so far
	fp        uint64   // of all entries, added up over the positives
	own       []uint64 // by place of the group, what the curve without it differs by; see area
}

// start starts a chunk of n curves.
func (l *loneSums) start(n int) {
	l.own = grown(l.own, 1+n)
	clear(l.own)
	l.positives, l.fp = 0, 0
}

// fall notes n negatives of the group at a place. area takes them away from every positive, but those so far
// do not have them.
func (l *loneSums) fall(place int32, n int64) { l.own[place] += uint64(n) * l.positives }

// area returns the sum over the positives of FP - FP at the start, for curve i.
func (l *loneSums) area(g *groupSweep, c *curveSums, i int) uint64 {
	return l.fp - l.positives*wholeOf(c.start.FP+g.ofWeights[1+i][negative].hi) + l.own[1+i]
}

// addLone adds an entry of weight 1 that has its score for itself, where all weights are whole and trapezoids
// are not asked for. The curve without the entry's group, if there is one, stays where it is.
func (u *groupSums) addLone(g *groupSweep, kind uint32, place int32) {
	g.rows++
	g.weights[kind].hi++
	g.ofWeights[place][kind].hi++
	l := &u.lone
	if kind == negative {
		l.fall(place, 1)
		return
	}
	fp := g.weights[negative].hi
	l.positives++
	l.fp += wholeOf(fp)
	if place == 0 {
		u.addSteps(g, 0, len(u.steps))
		return
	}
	own := int(place) - 1
	l.own[place] -= wholeOf(fp - g.ofWeights[place][negative].hi - u.curves[own].start.FP)
	u.addSteps(g, 0, own)
	u.addSteps(g, own+1, len(u.steps))
}

// addSteps adds steps of 1 to the curves from one up to another.
func (u *groupSums) addSteps(g *groupSweep, from, to int) {
	positives, negatives, extractor := g.weights[positive].hi, g.weights[negative].hi, u.extractor
	steps, groups := u.steps[from:to], g.ofWeights[1+from:1+to]
	for i := range steps {
		of := &groups[i]
		tp, fp := positives-of[positive].hi, negatives-of[negative].hi
		steps[i].add(tp/(tp+fp), extractor)
	}
}
