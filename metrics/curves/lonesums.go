package curves

// loneSums are what the lone positives of a chunk add to areas: those of weight 1 that have their score for
// themselves, where all weights are whole. Most positives are like that. Each adds the FP there less the FP
// at the start to every curve but one, and so much work would be most of it. So sums of all entries and of
// each group are kept, of which area makes those of the curves. They are right modulo 2^64, and areas are
// below that.
type loneSums struct {
	positives uint64   // so far
	fp        uint64   // of all entries, added up over the positives
	own       []uint64 // by place of the group; see area
}

func (l *loneSums) start(n int) {
	l.own = grown(l.own, 1+n)
	clear(l.own)
	l.positives, l.fp = 0, 0
}

// fall notes n negatives of the group at a place: the positives so far do not have them above.
func (l *loneSums) fall(place int32, n int64) { l.own[place] += uint64(n) * l.positives }

// area returns the sum for curve i.
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
