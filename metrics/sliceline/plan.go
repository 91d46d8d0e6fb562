package sliceline

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/wire"
)

// DefaultCandidates is the number of candidates that [Options] without one allow. To find them, at most
// triedByDefault slices are tried on each level; with other numbers of candidates, in proportion.
const (
	DefaultCandidates = 100_000
	triedByDefault    = 1 << 28
)

// Plan is the state of a search: the best slices so far, and the slices to count next. The latter
// are candidates for better ones or, at the end, the best slices and their parents, the slices with
// one term less.
type Plan struct {
	Values  [][]string // of each column, sorted; none if the column is left out
	LeftOut []bool     // by column: it has too many values
	All     Cell       // all examples searched
	// Undefined is the number of examples that were not searched because their error is undefined or
	// infinite.
	Undefined int64
	Best      []Ranked // best first
	Tracked   []Slice
	Sought    bool // whether Tracked are candidates
	// Unsearched is the first level that had too many candidates, or slices to try, so that it and all
	// above it were not searched; 0 if there is none.
	Unsearched int
	// Same is the number of slices that would be among the best, but have the same examples as one with
	// fewer terms.
	Same int
}

// Ranked is a slice with its score, size and errors.
type Ranked struct {
	Slice       Slice
	Score       float64
	Rows        int64
	Weight      float64
	Errors      float64 // total, weighted
	HighestLoss float64 // of an example
}

func compareRanked(a, b Ranked) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), compareSlices(a.Slice, b.Slice))
}

// Plan searches the slices that were counted, and finds the candidates among all others, up to the
// level of the options. It calls tried, unless that is nil, with how many more slices it has tried.
func (c *Counts) Plan(o Options, tried func(more int)) *Plan {
	p := &Plan{Values: make([][]string, len(c.columns)), LeftOut: make([]bool, len(c.columns)), All: c.All, Undefined: c.Undefined}
	numbers := make([][]int32, len(c.columns))
	for i := range c.columns {
		p.LeftOut[i] = c.columns[i].full
		p.Values[i], numbers[i] = c.values(i)
	}
	g := &grid{scorer: newScorer(&c.All, o), ones: make([][]size, len(c.columns)), pairs: make(map[[2]Term]size)}
	if mean := g.scorer.mean; !(mean > 0) || math.IsInf(mean, 1) {
		return p
	}
	var ranked []Ranked
	for b := range c.columns {
		for j, y := range numbers[b] {
			second := Term{int32(b), int32(j)}
			one := sizeOf(&c.cells[b][y])
			g.ones[b] = append(g.ones[b], one)
			ranked = g.rank(ranked, Slice{second}, one)
			for a := 0; a < b && !c.single && o.Level > 1; a++ {
				of := &c.pairs[pair(a, b)]
				for i, x := range numbers[a] {
					cell := of.at(x, y)
					if first := (Term{int32(a), int32(i)}); cell.Rows() >= g.scorer.support {
						both := sizeOf(cell)
						g.pairs[[2]Term{first, second}] = both
						ranked = g.rank(ranked, Slice{first, second}, both)
					}
				}
			}
		}
	}
	p.rank(ranked, o.Top)
	g.paired = !c.single
	g.least = threshold(p.Best, o.Top)
	if p.Tracked, p.Unsearched = g.candidates(o, tried); len(p.Tracked) > 0 {
		p.Sought = true
	} else {
		p.track()
	}
	return p
}

// threshold returns the score that a slice must exceed to be among the best.
func threshold(list []Ranked, top int) float64 {
	if len(list) < top {
		return 0
	}
	return list[top-1].Score
}

// rank makes the top of the slices the best. It leaves out slices that add nothing to one with fewer terms
// because they have the same examples. Both have the same score, so the other one comes first.
func (p *Plan) rank(ranked []Ranked, top int) {
	slices.SortFunc(ranked, compareRanked)
	p.Best = nil
	for _, r := range ranked {
		if len(p.Best) == top {
			break
		}
		if slices.ContainsFunc(p.Best, func(l Ranked) bool { return l.Rows == r.Rows && l.Slice.contains(r.Slice) }) {
			p.Same++
		} else {
			p.Best = append(p.Best, r)
		}
	}
}

// track tracks the best slices and their parents.
func (p *Plan) track() {
	p.Sought, p.Tracked = false, nil
	for _, r := range p.Best {
		p.Tracked = append(p.Tracked, r.Slice)
		for i := 0; i < len(r.Slice) && len(r.Slice) > 1; i++ {
			p.Tracked = append(p.Tracked, r.Slice.without(i))
		}
	}
	slices.SortFunc(p.Tracked, compareSlices)
	p.Tracked = slices.CompactFunc(p.Tracked, func(a, b Slice) bool { return compareSlices(a, b) == 0 })
}

// grid has the sizes of slices of one and two terms.
type grid struct {
	scorer *scorer
	ones   [][]size         // by column and value
	pairs  map[[2]Term]size // those with enough examples
	paired bool             // pairs were counted
	least  float64          // the score to exceed
}

// rank appends a slice if its score counts.
func (g *grid) rank(list []Ranked, s Slice, of size) []Ranked {
	if score, ok := g.scorer.score(of); ok && score > 0 {
		list = append(list, Ranked{Slice: s, Score: score, Rows: of.rows, Weight: of.weight, Errors: of.errors, HighestLoss: of.most})
	}
	return list
}

// bounded is a slice with the bounds of its size.
type bounded struct {
	slice Slice
	size  size
}

// candidates returns the slices that were not counted and that may be among the best, level by
// level. If a level has too many, it also returns that level, which is left out.
func (g *grid) candidates(o Options, tried func(more int)) (list []Slice, unsearched int) {
	most := cmp.Or(o.MostCandidates, DefaultCandidates)
	var alive []bounded // of the level before; it always contains the parents of a slice that is alive
	for column, sizes := range g.ones {
		for value, of := range sizes {
			if g.scorer.bound(of) > g.least {
				alive = append(alive, bounded{Slice{{int32(column), int32(value)}}, of})
			}
		}
	}
	ones := alive
	for l := 2; l <= o.Level && len(alive) > 0; l++ {
		if len(alive)*len(ones)*DefaultCandidates > most*triedByDefault {
			return list, l
		}
		var next []bounded
		for _, parent := range alive {
			for _, one := range ones {
				if child, ok := g.extend(parent, one); ok {
					next = append(next, child)
				}
			}
			if tried != nil {
				tried(len(ones))
			}
			if (l > 2 || !g.paired) && len(list)+len(next) > most {
				return list, l
			}
		}
		for _, b := range next {
			if l > 2 || !g.paired {
				list = append(list, b.slice)
			}
		}
		alive = next
	}
	return list, 0
}

// extend adds a term to a slice. ok is false if the result cannot be among the best, or if the term
// is not the last.
func (g *grid) extend(parent bounded, one bounded) (child bounded, ok bool) {
	term := one.slice[0]
	if term.Column <= parent.slice[len(parent.slice)-1].Column {
		return bounded{}, false
	}
	of := parent.size.within(one.size)
	for _, other := range parent.slice {
		if !g.paired {
			break
		}
		both, counted := g.pairs[[2]Term{other, term}]
		if !counted {
			return bounded{}, false
		}
		of = of.within(both)
	}
	if !(g.scorer.bound(of) > g.least) {
		return bounded{}, false
	}
	return bounded{slices.Concat(parent.slice, Slice{term}), of}, true
}

// Add ranks the candidates by their sums, which have a single group, 0.
func (p *Plan) Add(sums *Sums, o Options) {
	g := &grid{scorer: newScorer(&p.All, o)}
	ranked := slices.Clone(p.Best)
	for i, cell := range sums.Group(0) {
		ranked = g.rank(ranked, p.Tracked[i], sizeOf(&cell))
	}
	p.rank(ranked, o.Top)
	p.track()
}

// PlanFields lists the fields of a plan for a coder.
func PlanFields(c *wire.Coder, p *Plan) {
	wire.List(c, &p.Values, (*wire.Coder).Strings)
	wire.List(c, &p.LeftOut, (*wire.Coder).Bool)
	cellFields(c, &p.All)
	wire.Int(c, &p.Undefined)
	wire.List(c, &p.Best, func(c *wire.Coder, r *Ranked) {
		sliceFields(c, p, &r.Slice)
		c.Float(&r.Score)
		wire.Int(c, &r.Rows)
		c.Float(&r.Weight)
		c.Float(&r.Errors)
		c.Float(&r.HighestLoss)
	})
	wire.List(c, &p.Tracked, func(c *wire.Coder, s *Slice) { sliceFields(c, p, s) })
	c.Bool(&p.Sought)
	wire.Int(c, &p.Unsearched)
	wire.Int(c, &p.Same)
	if len(p.LeftOut) != len(p.Values) {
		c.Fail("%d columns, of which %d may be left out", len(p.Values), len(p.LeftOut))
	}
}

func sliceFields(c *wire.Coder, p *Plan, s *Slice) {
	before := int32(-1)
	wire.List(c, (*[]Term)(s), func(c *wire.Coder, t *Term) {
		wire.Int(c, &t.Column)
		wire.Int(c, &t.Value)
		if t.Column <= before || int(t.Column) >= len(p.Values) || t.Value < 0 || int(t.Value) >= len(p.Values[t.Column]) {
			c.Fail("there is no value %d of column %d", t.Value, t.Column)
			return
		}
		before = t.Column
	})
	if len(*s) == 0 {
		c.Fail("a slice without terms")
	}
}
