package sliceline

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/beameval/beameval/internal/testing/simulation"
	"github.com/beameval/beameval/metrics/confidence"
)

// sample is a random data set of six columns with five values each, and 50 folds.
type sample struct {
	numbers [][]int32
	errors  []float64
	folds   []int32
}

// newSample draws errors with draw, which gets the values of a row and may
// change them.
func newSample(rng *rand.Rand, rows int, draw func(row []int32) float64) *sample {
	s := &sample{numbers: make([][]int32, 6)}
	row := make([]int32, 6)
	for range rows {
		for k := range row {
			row[k] = int32(rng.IntN(5))
		}
		s.errors, s.folds = append(s.errors, draw(row)), append(s.folds, int32(rng.IntN(50)))
		for k, v := range row {
			s.numbers[k] = append(s.numbers[k], v)
		}
	}
	return s
}

// find searches the even folds. It returns the sums of the odd folds, which confirm, and of the
// even folds.
func (s *sample) find(o Options) (p *Plan, odd, even *Sums) {
	c := NewCounts(len(s.numbers), 5)
	for k := range s.numbers {
		for v := range 5 {
			c.Number(k, strconv.Itoa(v))
		}
	}
	e := &Examples{Numbers: s.numbers, Errors: s.errors}
	byFold := make([][]int32, 50)
	for r, fold := range s.folds {
		byFold[fold] = append(byFold[fold], int32(r))
	}
	for fold := 0; fold < 50; fold += 2 {
		e.Rows = append(e.Rows, byFold[fold]...)
	}
	c.Add(e)
	p = c.Plan(o, nil)
	t := NewTracker(p)
	codes := &Examples{Numbers: make([][]int32, len(s.numbers)), Errors: s.errors}
	for _, k := range t.Columns() {
		for _, v := range s.numbers[k] {
			codes.Numbers[k] = append(codes.Numbers[k], t.Code(k, strconv.Itoa(int(v))))
		}
	}
	if p.Sought {
		searched := new(Sums)
		codes.Rows = e.Rows
		t.Add(searched, 0, codes, nil)
		p.Add(searched, o)
		t = NewTracker(p)
		for _, k := range t.Columns() {
			codes.Numbers[k] = codes.Numbers[k][:0]
			for _, v := range s.numbers[k] {
				codes.Numbers[k] = append(codes.Numbers[k], t.Code(k, strconv.Itoa(int(v))))
			}
		}
	}
	odd, even = new(Sums), new(Sums)
	for fold := range int32(50) {
		codes.Rows = byFold[fold]
		t.Add([]*Sums{even, odd}[fold%2], fold, codes, nil)
	}
	return p, odd, even
}

func confirmed(list []Found) (some []Found) {
	for _, f := range list {
		if f.Confirmed {
			some = append(some, f)
		}
	}
	return some
}

// sets is the number of data sets that are drawn.
func sets() int { return simulation.Draws(300) }

// TestSimulatedNull draws data sets in which no slice is worse than another: 5 % may have a confirmed slice,
// plus twice the standard error of this share. Naively, by the examples searched and without
// adjustment, all have one.
func TestSimulatedNull(t *testing.T) {
	for name, draw := range map[string]func(*rand.Rand) float64{
		"exponential": func(rng *rand.Rand) float64 { return rng.ExpFloat64() },
		"zero or one": func(rng *rand.Rand) float64 { return float64(rng.IntN(10) / 9) },
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			wrong, naive, n := 0, 0, sets()
			for range n {
				s := newSample(rng, 20_000, func([]int32) float64 { return draw(rng) })
				o := Options{Alpha: 0.999, MinSupport: 100, Level: 2, Top: 20} // with 0.95, no score is above 0
				p, odd, even := s.find(o)
				list, _ := p.Confirm(odd, 0.95)
				wrong += min(len(confirmed(list)), 1)
				if slices.ContainsFunc(p.Best, func(r Ranked) bool { return p.compare(even, r.Slice, nil, 0.95).p < 0.05 }) {
					naive++
				}
			}
			t.Logf("%d of %d data sets have a confirmed slice; naively %d", wrong, n, naive)
			if share := float64(wrong) / float64(n); share > 0.05+2*math.Sqrt(0.05*0.95/float64(n)) {
				t.Errorf("%.3f of the data sets have a confirmed slice", share)
			}
			if naive < n {
				t.Errorf("naively only %d of %d data sets have one: the test tests nothing", naive, n)
			}
		})
	}
}

// TestSimulatedNullOfClusters does the same for examples of users, who have about 20 each. Their
// errors and the values of their columns depend on the user, but no slice is worse. All examples of
// a user are in one fold.
func TestSimulatedNullOfClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	wrong, n := 0, sets()
	for range n {
		s := &sample{numbers: make([][]int32, 6)}
		for range 1000 {
			row, fold, mean := make([]int32, 6), int32(rng.IntN(50)), rng.ExpFloat64()
			for k := range row {
				row[k] = int32(rng.IntN(5))
			}
			for range 10 + rng.IntN(20) {
				s.errors, s.folds = append(s.errors, mean*rng.ExpFloat64()), append(s.folds, fold)
				for k, v := range row {
					s.numbers[k] = append(s.numbers[k], v)
				}
			}
		}
		p, odd, _ := s.find(Options{Alpha: 0.99, MinSupport: 100, Level: 2, Top: 20})
		list, _ := p.Confirm(odd, 0.95)
		wrong += min(len(confirmed(list)), 1)
	}
	t.Logf("%d of %d data sets have a confirmed slice", wrong, n)
	if share := float64(wrong) / float64(n); share > 0.05+2*math.Sqrt(0.05*0.95/float64(n)) {
		t.Errorf("%.3f of the data sets have a confirmed slice", share)
	}
}

// TestSimulatedPlanted draws data sets with a slice of two columns, of 2 % of the examples, that has twice the
// loss of the others: in 90 % it must be found and confirmed. Alpha must be higher than 0.95, for
// which a slice of 2 % would need more than 3.5 times the mean loss.
func TestSimulatedPlanted(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, level := range []int{2, 3} {
		found, others, n := 0, 0, sets()/3
		for range n {
			s := newSample(rng, 20_000, func(row []int32) float64 {
				if row[1] == 0 && row[3] == 0 { // 4 %: half of these rows move
					if rng.IntN(2) == 0 {
						return 2 * rng.ExpFloat64()
					}
					row[3] = 1 + int32(rng.IntN(4))
				}
				return rng.ExpFloat64()
			})
			p, odd, _ := s.find(Options{Alpha: 0.99, MinSupport: 100, Level: level, Top: 20})
			list, _ := p.Confirm(odd, 0.95)
			want := Slice{{1, 0}, {3, 0}}
			for _, f := range confirmed(list) {
				switch {
				case compareSlices(f.Slice, want) == 0:
					found++
				case !f.Slice.contains(want): // its parents are worse than the rest too
					others++
					t.Logf("%s: %+v", named(p, f.Slice), f)
				}
			}
		}
		t.Logf("level %d: found in %d of %d, %d others", level, found, n, others)
		if found < n*9/10 || others > n/10 {
			t.Errorf("level %d: found in %d of %d data sets, with %d other slices", level, found, n, others)
		}
	}
}

// TestConfirm compares the numbers of a slice with those computed directly.
func TestConfirm(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	s := newSample(rng, 5000, func(row []int32) float64 {
		if row[0] == 0 {
			return 3 * rng.ExpFloat64()
		}
		return rng.ExpFloat64()
	})
	p, odd, _ := s.find(Options{Alpha: 0.95, MinSupport: 20, Level: 2, Top: 10})
	list, adding := p.Confirm(odd, 0.95)
	if len(list) == 0 || !slices.Equal(list[0].Slice, Slice{{0, 0}}) || !list[0].Confirmed {
		t.Fatalf("found %+v", list)
	}
	if len(list)+adding != 10 || adding == 0 {
		t.Errorf("%d slices, and %d that add nothing", len(list), adding)
	}
	var in, out, n, m float64
	for r, e := range s.errors {
		switch {
		case s.folds[r]%2 == 0:
		case s.numbers[0][r] == 0:
			in, n = in+e, n+1
		default:
			out, m = out+e, m+1
		}
	}
	f := list[0]
	near := func(a, b, by float64) bool { return math.Abs(a-b) <= by }
	if !near(f.Value, in/n, 1e-9) || !near(f.Rest, out/m, 1e-9) || f.Difference != f.Value-f.Rest {
		t.Errorf("%v against %v: want %v against %v", f.Value, f.Rest, in/n, out/m)
	}
	// The delete-a-group jackknife, by its definition.
	var replicates []float64
	for fold := int32(1); fold < 50; fold += 2 {
		var in, out, n, m float64
		for r, e := range s.errors {
			switch {
			case s.folds[r]%2 == 0 || s.folds[r] == fold:
			case s.numbers[0][r] == 0:
				in, n = in+e, n+1
			default:
				out, m = out+e, m+1
			}
		}
		replicates = append(replicates, in/n-out/m)
	}
	se, dof := confidence.Jackknife(replicates)
	half := confidence.TQuantile(0.95, dof) * se
	if !near(f.Low, f.Difference-half, 1e-9) || !near(f.High, f.Difference+half, 1e-9) {
		t.Errorf("interval [%v, %v] of %v: want ± %v", f.Low, f.High, f.Difference, half)
	}
	// The errors are exponential, so the standard error of the difference is known.
	if known := math.Sqrt(9/n + 1/m); !near(se/known, 1, 0.4) {
		t.Errorf("standard error %v: should be about %v", se, known)
	}
	if p := confidence.PValue(f.Difference/se, dof) / 2; f.PAdjusted < p || f.PAdjusted > 10*p*(1+1e-6) {
		t.Errorf("adjusted p-value %v of 10 tests: the p-value is %v", f.PAdjusted, p)
	}
}

// TestFewFolds: a slice is not confirmed if its examples are in few folds, such as one user's
// examples.
func TestFewFolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	s := newSample(rng, 5000, func(row []int32) float64 {
		if row[0] == 0 {
			row[0] = 1
		}
		return rng.ExpFloat64()
	})
	for r := range s.folds {
		if s.folds[r] < 12 {
			s.numbers[0][r], s.errors[r] = 0, 5+rng.Float64()
		}
	}
	p, odd, _ := s.find(Options{Alpha: 0.95, MinSupport: 20, Level: 1, Top: 3})
	list, _ := p.Confirm(odd, 0.95)
	if f := list[0]; !slices.Equal(f.Slice, Slice{{0, 0}}) || f.Confirmed || f.Reason != "few groups" || !(f.Difference > 1) || !math.IsNaN(f.PAdjusted) {
		t.Errorf("%+v", f)
	}
}
